export const HELP = `agent-runner: runs one task with coding agents, checks the result, leaves a note.

Usage: agent-runner [options] < task.yaml

Options:
  --meta-model <id>     model of the meta-agent; wins over runner.meta.model
  --task <file>         read the task from a file instead of stdin
  --json                print run events as JSON Lines; the last line is always "finished"
  --events <file>       append the same events to a file
  --result <file>       write the result JSON to a file (atomically)
  --record <file>       append everything needed to replay this run
  --replay <file>       run again from a recording: no model, no CLI
  --dry-run             check the task, print it resolved with the exec plan, run nothing
  --log-level <level>   debug, info, warn, error (default: warn on a terminal, else info)
  --log-format <form>   text or json (default: text on a terminal, else json)
  -V, --version         print the version
  -h, --help            print this help

Exit codes: 0 complete; 1 failed, blocked or refused; 130 after SIGINT, 143 after SIGTERM.

A task needs version, and task.prd with a path or a text:

  version: 1
  task:
    title: Greeting
    repo: .
    prd: { text: "Write hello.txt that says hello." }
    test: { command: "test -s hello.txt" }
  runner:
    worker: { kind: codex-cli }     # claude-code, gemini-cli, cursor-cli, mock

\`kind: mock\` for runner.meta and runner.worker needs neither keys nor Docker.
Command patterns of your own: a patterns.yaml named by MULTIVERSE_PATTERNS, or <repo>/.agent-runner/patterns.yaml.
`;
