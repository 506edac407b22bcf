/** Any other sentence: a small plan of three tasks, and a plain run for tasks that no script knows. */
export const GENERIC_SCRIPT = String.raw`
version: 1
plans:
  - match: '[\s\S]'
    delay_ms: 1500
    answer:
      understanding:
        en: 'The demo agent is scripted and cannot really build this. It shows how the work would go: write a plan, do it, check it. Connect a real agent in the settings to get it done.'
        ja: デモエージェントは台本どおりに動くため、実際には作れません。計画を書き、実行し、確認するという流れをお見せします。本当に作るには、設定で実際のエージェントをつないでください。
      operations:
        - op: create
          temp_id: plan
          title: { en: 'Write a plan: {{input}}', ja: '計画を書く: {{input}}' }
          description: { en: 'A short plan in demo/{{slug}}/plan.md.', ja: 'demo/{{slug}}/plan.md に短い計画を書く。' }
          acceptance_criteria: [{ en: The plan exists and has three steps, ja: 計画があり、三つの手順がある }]
          wbs_level: 2
          phase_name: { en: Design, ja: 実装設計 }
          milestone: { en: Demo, ja: デモ }
          estimated_effort: small
          suggested_impl: { file_paths: ['demo/{{slug}}/plan.md'] }
        - op: create
          temp_id: do
          title: { en: 'Do it: {{input}}', ja: '実行する: {{input}}' }
          description: { en: 'The result in demo/{{slug}}/result.md.', ja: 'demo/{{slug}}/result.md に結果を書く。' }
          acceptance_criteria: [{ en: The result exists, ja: 結果がある }]
          dependencies: [plan]
          wbs_level: 3
          phase_name: { en: Implementation, ja: 実装 }
          milestone: { en: Demo, ja: デモ }
          estimated_effort: small
          suggested_impl: { file_paths: ['demo/{{slug}}/result.md'] }
        - op: create
          temp_id: check
          title: { en: 'Check it: {{input}}', ja: '確認する: {{input}}' }
          description: { en: 'What was checked, in demo/{{slug}}/check.md.', ja: 'demo/{{slug}}/check.md に確認した内容を書く。' }
          acceptance_criteria: [{ en: Every step of the plan is ticked, ja: 計画のすべての手順が確認済みである }]
          dependencies: [do]
          wbs_level: 3
          phase_name: { en: Verification, ja: 検証 }
          milestone: { en: Demo, ja: デモ }
          estimated_effort: small
          suggested_impl: { file_paths: ['demo/{{slug}}/check.md'] }
tasks:
  - match: '^(?:Write a plan|計画を書く): (?<input>.+)$'
    delay_ms: 600
    goal: { en: 'Write a short plan with three steps into demo/{{slug}}/plan.md.', ja: '三つの手順からなる短い計画を demo/{{slug}}/plan.md に書く。' }
    acceptance_criteria:
      - description: { en: The plan exists and has three steps, ja: 計画があり、三つの手順がある }
        type: file
        check: test "$(grep -c '^[0-9]' demo/{{slug}}/plan.md)" -eq 3
    runs:
      - delay_ms: 400
        say: [{ en: Writing the plan., ja: 計画を書きます。 }]
        files:
          'demo/{{slug}}/plan.md':
            en: "# {{input}}\n\n1. Understand what is wanted\n2. Do it in a small step\n3. Check the result\n"
            ja: "# {{input}}\n\n1. 何が求められているかを理解する\n2. 小さく実行する\n3. 結果を確認する\n"
        summary: { en: Wrote the plan., ja: 計画を書きました。 }
  - match: '^(?:Do it|実行する): (?<input>.+)$'
    delay_ms: 600
    goal: { en: 'Carry out demo/{{slug}}/plan.md and write the result into demo/{{slug}}/result.md.', ja: 'demo/{{slug}}/plan.md を実行し、結果を demo/{{slug}}/result.md に書く。' }
    acceptance_criteria:
      - description: { en: The result exists and is not empty, ja: 結果があり、空でない }
        type: file
        check: test -s demo/{{slug}}/result.md
    runs:
      - delay_ms: 400
        say: [{ en: Carrying out the plan., ja: 計画を実行します。 }]
        files:
          'demo/{{slug}}/result.md':
            en: "# Result: {{input}}\n\nThis file stands for the work that a real agent would have done.\n"
            ja: "# 結果: {{input}}\n\nこのファイルは、実際のエージェントが行うはずの作業の代わりです。\n"
        summary: { en: Did it., ja: 実行しました。 }
  - match: '^(?:Check it|確認する): (?<input>.+)$'
    delay_ms: 600
    goal: { en: 'Check every step of the plan and write down what was checked in demo/{{slug}}/check.md.', ja: '計画のすべての手順を確認し、demo/{{slug}}/check.md に記録する。' }
    acceptance_criteria:
      - description: { en: Every step of the plan is ticked, ja: 計画のすべての手順が確認済みである }
        type: file
        check: test "$(grep -c '^- \[x\]' demo/{{slug}}/check.md)" -eq 3
    runs:
      - delay_ms: 400
        say: [{ en: Checking the result., ja: 結果を確認します。 }]
        files:
          'demo/{{slug}}/check.md':
            en: "# Check: {{input}}\n\n- [x] understood\n- [x] done\n- [x] checked\n"
            ja: "# 確認: {{input}}\n\n- [x] 理解した\n- [x] 実行した\n- [x] 確認した\n"
        commands: ['ls demo/{{slug}}']
        summary: { en: Everything is checked., ja: すべて確認しました。 }
  - match: '[\s\S]?'
    delay_ms: 300
    goal: { en: 'Write demo/{{slug}}.md: the script knows nothing else about this task.', ja: 'demo/{{slug}}.md を書く。このタスクについて台本は何も知らない。' }
    acceptance_criteria:
      - description: { en: The worker has left its note, ja: ワーカーがメモを残している }
        type: file
        check: test -s demo/{{slug}}.md
    runs:
      - delay_ms: 300
        say: [{ en: 'No script for this task; leaving a note.', ja: このタスクの台本はありません。メモを残します。 }]
        files:
          'demo/{{slug}}.md': "# {{title}}\n\nDone by the demo agent, which is scripted and knows nothing about this task.\n"
        summary: { en: Left a note., ja: メモを残しました。 }
`;
