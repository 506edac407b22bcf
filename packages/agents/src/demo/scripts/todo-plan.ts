/** The golden sentence: the plan of a small TODO web app, and its first task. */
export const TODO_PLAN_SCRIPT = String.raw`
version: 1
plans:
  - match: 'todo\s*アプリ|todo[\s-]*(list[\s-]*)?app'
    existing: '^(Design the TODO app|TODO アプリを設計する)$'
    delay_ms: 900
    answer:
      understanding:
        en: The TODO app is already in the plan; nothing was changed. (Demo agent, scripted)
        ja: TODO アプリはすでに計画にあります。変更はありません。(デモエージェント・台本どおりの応答)
  - match: 'todo\s*アプリ|todo[\s-]*(list[\s-]*)?app'
    delay_ms: 2500
    answer:
      understanding:
        en: >-
          A small TODO web app that runs with plain Node and no dependencies: a list in memory, kept in a file, a web page and a
          small server, each with its own tests. I assume a single user on one machine. (Demo agent, scripted: no AI is involved.)
        ja: >-
          Node だけで動き、依存パッケージのない小さな TODO アプリを作ります。リストの処理、ファイルへの保存、画面、サーバー、それぞれにテストを付けます。
          一台のマシンで一人が使う前提です。(デモエージェント: 台本どおりの応答で、AI は使っていません。)
      operations:
        - op: create
          temp_id: design
          title: { en: Design the TODO app, ja: TODO アプリを設計する }
          description:
            en: Write down what the app does, its files, the HTTP interface and the format of the data file in docs/design.md.
            ja: アプリの機能、ファイル構成、HTTP インターフェース、データファイルの形式を docs/design.md に書く。
          acceptance_criteria:
            - { en: docs/design.md names every file and every route of the app, ja: docs/design.md にすべてのファイルとルートが書かれている }
          wbs_level: 2
          phase_name: { en: Design, ja: 実装設計 }
          milestone: { en: M1 Foundation, ja: M1 土台 }
          estimated_effort: small
          priority: high
          suggested_impl: { language: markdown, file_paths: [docs/design.md] }
        - op: create
          temp_id: model
          title: { en: Build the todo list, ja: TODO リストの処理を作る }
          description:
            en: 'Pure functions on a list of todos in src/todo.mjs: add, toggle, remove, clear finished, filter. With tests.'
            ja: src/todo.mjs に、追加・完了切り替え・削除・完了済みの一括削除・絞り込みを行う純粋な関数を作る。テストも書く。
          acceptance_criteria:
            - { en: "The list's own tests pass (check: node --test test/todo.test.mjs)", ja: "リストのテストが通る (確認: node --test test/todo.test.mjs)" }
          dependencies: [design]
          wbs_level: 3
          phase_name: { en: Implementation, ja: 実装 }
          milestone: { en: M1 Foundation, ja: M1 土台 }
          estimated_effort: small
          suggested_impl: { language: javascript, file_paths: [src/todo.mjs, test/todo.test.mjs], constraints: [no dependencies] }
          test: { command: node --test test/todo.test.mjs }
        - op: create
          temp_id: page
          title: { en: Make the web page, ja: Web 画面を作る }
          description:
            en: 'One page in public/: add, tick off, filter and remove todos. Talks to /api/todos; opened as a file it keeps the list in the browser.'
            ja: public/ に画面を一つ作る。TODO の追加、完了、絞り込み、削除ができる。/api/todos と通信し、ファイルとして開いたときはブラウザに保存する。
          acceptance_criteria:
            - { en: The page has a form and a list and loads its script and style, ja: 画面にフォームとリストがあり、スクリプトとスタイルを読み込む }
          dependencies: [design]
          wbs_level: 3
          phase_name: { en: Implementation, ja: 実装 }
          milestone: { en: M2 Usable app, ja: M2 使えるアプリ }
          estimated_effort: medium
          suggested_impl: { language: html, file_paths: [public/index.html, public/style.css, public/app.js], constraints: [no external assets] }
        - op: create
          temp_id: store
          title: { en: Keep the list in a file, ja: リストをファイルに保存する }
          description:
            en: src/store.mjs loads the list from a JSON file when it is opened and saves every change atomically. With tests.
            ja: src/store.mjs は開くときに JSON ファイルからリストを読み込み、変更のたびに安全に書き込む。テストも書く。
          acceptance_criteria:
            - { en: "What was saved is there after reopening (check: node --test test/store.test.mjs)", ja: "保存した内容が開き直しても残っている (確認: node --test test/store.test.mjs)" }
          dependencies: [model]
          wbs_level: 3
          phase_name: { en: Implementation, ja: 実装 }
          milestone: { en: M1 Foundation, ja: M1 土台 }
          estimated_effort: small
          suggested_impl: { language: javascript, file_paths: [src/store.mjs, test/store.test.mjs], constraints: [no dependencies] }
          test: { command: node --test test/store.test.mjs }
        - op: create
          temp_id: server
          title: { en: Serve the app, ja: アプリを配信するサーバーを作る }
          description:
            en: src/server.mjs serves public/ and the JSON interface of docs/design.md with node:http. With tests against the running server.
            ja: src/server.mjs は node:http で public/ と docs/design.md の JSON インターフェースを配信する。動いているサーバーに対するテストも書く。
          acceptance_criteria:
            - { en: "Adding, ticking off and removing work over HTTP (check: node --test test/server.test.mjs)", ja: "追加・完了・削除が HTTP で動く (確認: node --test test/server.test.mjs)" }
          dependencies: [store]
          wbs_level: 3
          phase_name: { en: Implementation, ja: 実装 }
          milestone: { en: M2 Usable app, ja: M2 使えるアプリ }
          estimated_effort: medium
          suggested_impl: { language: javascript, file_paths: [src/server.mjs, test/server.test.mjs], constraints: [node:http only, no dependencies] }
          test: { command: node --test test/server.test.mjs }
        - op: create
          temp_id: readme
          title: { en: Check the whole and write the README, ja: 全体を確認して README を書く }
          description:
            en: package.json with start and test scripts, a README that says how to use the app, and a run of all tests.
            ja: start と test のスクリプトを持つ package.json、使い方を書いた README を用意し、すべてのテストを実行する。
          acceptance_criteria:
            - { en: "All tests pass together (check: node --test)", ja: "すべてのテストがまとめて通る (確認: node --test)" }
          dependencies: [server, page]
          wbs_level: 3
          phase_name: { en: Verification, ja: 検証 }
          milestone: { en: M2 Usable app, ja: M2 使えるアプリ }
          estimated_effort: small
          suggested_impl: { language: markdown, file_paths: [README.md, package.json] }
          test: { command: node --test }
      questions:
        - id: keep
          text: { en: Should the list survive a restart of the server?, ja: サーバーを再起動してもリストを残しますか? }
          options:
            - { en: 'Yes, in a file', ja: はい、ファイルに保存する }
            - { en: 'No, in memory only', ja: いいえ、メモリだけでよい }
          blocking: false
          default: { en: 'Yes, in a file', ja: はい、ファイルに保存する }
tasks:
  - match: '^(Design the TODO app|TODO アプリを設計する)$'
    delay_ms: 700
    goal:
      en: Write docs/design.md, the one description that the other tasks build on. Name every file, every route and the format of the data.
      ja: ほかのタスクの土台になる docs/design.md を書く。すべてのファイル、ルート、データの形式を書くこと。
    acceptance_criteria:
      - description: { en: docs/design.md names every file of the app, ja: docs/design.md にすべてのファイルが書かれている }
        type: file
        check: grep -q src/todo.mjs docs/design.md && grep -q src/store.mjs docs/design.md && grep -q src/server.mjs docs/design.md && grep -q public/index.html docs/design.md
      - description: { en: docs/design.md names every route, ja: docs/design.md にすべてのルートが書かれている }
        type: file
        check: grep -q 'GET /api/todos' docs/design.md && grep -q 'POST /api/todos' docs/design.md && grep -q 'PATCH /api/todos/' docs/design.md && grep -q 'DELETE /api/todos/' docs/design.md
      - description: { en: The design is short enough to be read in two minutes, ja: 二分で読める長さである }
        critical: false
    runs:
      - delay_ms: 450
        think: [{ en: 'Small app, one user, no dependencies: three modules and a page are enough.', ja: 小さなアプリで利用者は一人。三つのモジュールと画面一つで足りる。 }]
        say: [{ en: Writing the design down first., ja: まず設計を書きます。 }]
        files:
          docs/design.md: |
            # TODO app: design

            One user, one machine, plain Node (20 or later), no dependencies.

            | file | what it is for |
            | --- | --- |
            | src/todo.mjs | the list: pure functions, no input or output |
            | src/store.mjs | keeps the list in a JSON file |
            | src/server.mjs | serves the page and the interface below |
            | public/index.html, public/style.css, public/app.js | the page |
            | test/*.test.mjs | tests, run with node --test |

            ## Data

            A todo is { id, title, done, createdAt }. The file holds { "todos": [...] } and is replaced as a whole,
            so that a crash leaves the old list or the new one, never half of one.

            ## Interface

            | request | answer |
            | --- | --- |
            | GET /api/todos | 200, all todos |
            | POST /api/todos {title} | 201, the new todo; 400 without a title |
            | PATCH /api/todos/:id {done} | 200, the changed todo; 404 if there is none |
            | DELETE /api/todos/:id | 204; 404 if there is none |

            Everything else is a file of public/ or 404.
        summary: { en: Wrote docs/design.md., ja: docs/design.md を書きました。 }
`;
