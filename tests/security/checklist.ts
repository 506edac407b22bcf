/** One thing that must hold against an attacker, and what proves it. */
export interface Check {
  readonly holds: string;
  /** Tests by file and a part of their name. */
  readonly proofs: Readonly<Record<string, readonly string[]>>;
  /** Where a part of it is not proved here: why. */
  readonly apart?: string;
}

const GUARD = "tests/security/guard.test.ts";
const LIMITS = "tests/security/limits.test.ts";
const BAIT = "tests/security/bait.test.ts";
const BENEATH = "packages/server/src/files/open-beneath.test.ts";
const ISOLATION = "tests/docker/isolation.test.ts";
const NETWORK = "tests/docker/network.test.ts";
const GUARDED = "tests/docker/real-clis-guarded.test.ts";
const TROUBLE = "tests/docker/real-clis-trouble.test.ts";

export const CHECKLIST: Readonly<Record<string, Check>> = {
  S01: {
    holds: "no route answers without a token",
    proofs: { [GUARD]: ["every route of the router answers 401"] },
  },
  S02: {
    holds: "no socket opens without a token or from another site",
    proofs: {
      [GUARD]: ["a WebSocket is refused before the upgrade", "a WebSocket from another site"],
    },
  },
  S03: {
    holds: "only the exact Host is served",
    proofs: { [GUARD]: ["Host %j is refused, for static files too"] },
  },
  S04: {
    holds: "other Origins change and hear nothing",
    proofs: { [GUARD]: ["Origin %j is refused for changes and sockets"] },
  },
  S05: {
    holds: "a change is JSON or nothing",
    proofs: { [GUARD]: ["a change sent as %s is refused"] },
  },
  S06: {
    holds: "reading methods change nothing, and no CORS header is given",
    proofs: { [GUARD]: ["GET, HEAD and OPTIONS on a route that changes something"] },
  },
  S07: {
    holds: "another address than loopback needs a password and TLS",
    proofs: {
      "tests/server/program.test.ts": ["without a password and TLS is refused"],
      "tests/security/tls.test.ts": ["with a password and TLS another machine's browser"],
    },
  },
  S08: {
    holds: "no token in a URL; a login code works once and is written down nowhere",
    proofs: {
      [GUARD]: ["a token in the query is not accepted", "a code works once"],
      "tests/security/canary.test.ts": ["a login code are nowhere but where they belong"],
    },
  },
  S09: {
    holds: "guessing tokens and codes is slow, and locks nobody out",
    proofs: {
      [LIMITS]: ["after twenty wrong tokens in a minute 429", "wrong login codes count"],
      "packages/server/src/guard/credentials.test.ts": [
        "secrets of any length are compared as a whole",
      ],
    },
  },
  S10: {
    holds: "every answer carries its headers, and no other site can frame, read or embed us",
    proofs: {
      [GUARD]: ["every answer carries the headers that protect it"],
      "tests/security/other-site.test.ts": ["can read nothing, change nothing"],
    },
  },
  S11: {
    holds: "large, endless and slow requests end, and others are served meanwhile",
    proofs: {
      [LIMITS]: [
        "a body over 1 MiB is refused",
        "ten thousand headers are refused with 431",
        "a WebSocket frame over the limit closes the socket with 1009",
        "a request that dribbles in is ended",
        "whatever bytes come in, the server lives",
      ],
    },
  },
  S12: {
    holds: "an id never becomes a path unchecked",
    proofs: {
      "tests/security/ids.test.ts": [
        "are refused in every route, and nothing appears on the disk",
        "are refused in what is sent",
        "are refused in the address of the events",
        "are refused in a snapshot, also where its hash is right",
      ],
      "packages/orchestrator/src/queue/serve-queue.test.ts": ["bad files are put aside"],
      "packages/protocol/src/id.test.ts": ["%j is refused"],
    },
  },
  S13: {
    holds: "links, FIFOs, huge files and swaps in a tree lead nowhere",
    proofs: {
      "tests/security/files.test.ts": ["is shown for what it is", "a note at %s is not read"],
      [BENEATH]: ["before step %i: the outside is never read", "links are not followed"],
    },
    apart: "swaps happen before every single step instead of at random for a minute",
  },
  S14: {
    holds: "nothing in a repository makes our git run a program",
    proofs: {
      [BAIT]: [
        "the bait works: git without our care springs every trap",
        "the pointer works",
        "springs nothing in a whole run and every view of it",
        "still nothing is sprung",
      ],
      "packages/runner/src/tree/tree.test.ts": [
        "nothing that the repository's configuration, hooks or attributes name is run",
        "a repository put in place of the first one later is not asked",
      ],
      "packages/server/src/files/committed.test.ts": ["is not believed when it names %s"],
      "packages/runner/src/tree/git-folder.test.ts": [
        "a planted .git/%s is named",
        "hooks of a repository inside are named",
        "a folder that git would take for a repository, whatever its name, is named",
      ],
      [ISOLATION]: [
        "what git would execute on the host cannot be written, made or replaced",
        "a rebase that a person has left half-done is not added to",
      ],
    },
    apart: "nothing is committed, merged or pushed by the product",
  },
  S15: {
    holds: "settings in a repository move no CLI, and changes of them are marked",
    proofs: {
      [GUARDED]: ["what a repo says about addresses and homes does not move %s"],
      "packages/protocol/src/obeyed-path.test.ts": ["what runs or is obeyed by itself is marked"],
      [BAIT]: ["a diff against the last commit is shown all the same"],
    },
  },
  S16: {
    holds: "a container has no privileges and holds no secret that can be seen",
    proofs: {
      [ISOLATION]: [
        "there is no Docker socket and nothing of the host but the mounts",
        "no capability, no new privileges, a read-only root, limits in force",
        "what can be seen from outside is as hardened as promised, and holds no secret",
      ],
    },
  },
  S17: {
    holds: "behind an allow-list nothing else is reachable, and what was refused is told",
    proofs: {
      [NETWORK]: [
        "past the proxy there is nothing: no host, no neighbour, no metadata, no DNS, no IPv6",
        "the host's other ports are refused even where its address is allowed",
        "none: there is no network at all",
        "what was refused is told",
      ],
    },
  },
  S18: {
    holds: "the proxy lets exact names through and nothing that looks like them",
    proofs: {
      "packages/agents/src/proxy/host-rules.test.ts": [
        "%j:%i is refused",
        "an allowed name that points inside is refused",
      ],
      "packages/agents/src/proxy/forward-proxy.test.ts": ["%j is refused and told"],
      [NETWORK]: ["the proxy refuses %s"],
    },
  },
  S19: {
    holds: "a secret is shown nowhere, in whatever form it is printed",
    proofs: {
      "tests/security/canary.test.ts": ["a key in the environment, the token and a login code"],
      "tests/runner/outputs.test.ts": ["a secret shows up nowhere"],
      [TROUBLE]: ["a secret given to %s is shown nowhere, in whatever form it is printed"],
      "packages/agents/src/secrets.test.ts": ["a secret split over chunks never comes through"],
    },
  },
  S20: {
    holds: "a reference to a variable that is not set stops the task and names the variable",
    proofs: {
      "tests/runner/refusals.test.ts": ["a missing variable", "a secret in a refused task"],
    },
  },
  S21: {
    holds: "text of models, workers and repositories stays text in the browser",
    proofs: { "tests/browser/hostile.test.ts": ["stays text in titles, logs, chat and panels"] },
  },
  S22: {
    holds: "no terminal escape but colour comes through",
    proofs: {
      "packages/server/src/cli/terminal.test.ts": ["%s is taken out"],
      "packages/web/src/text/ansi.test.ts": ["whatever comes in, no control character comes out"],
    },
  },
  S23: {
    holds: "a model cannot widen what the task allows, and a patch that tries is refused whole",
    proofs: {
      "packages/runner/src/narrow-worker-call.test.ts": ["%s is dropped and named"],
      "packages/orchestrator/src/plan/patch-to-facts.test.ts": ["%s refuses the whole patch"],
      "packages/orchestrator/src/plan/dangerous-command.test.ts": [
        "is not run before a person has seen it",
      ],
    },
  },
  S24: {
    holds: "state, history and queue are in no worker's mount",
    proofs: { [ISOLATION]: ["there is no Docker socket and nothing of the host but the mounts"] },
  },
  S25: {
    holds: "a forged result counts for nobody",
    proofs: {
      "tests/security/forged-results.test.ts": [
        "a result that names another task finishes neither",
        "result files that nobody asked for are read by nobody",
      ],
      "packages/orchestrator/src/execute/finish.test.ts": [
        "a result of an earlier epoch is ignored and says so",
      ],
      "packages/server/src/run-task.test.ts": ["that writes %s is malformed"],
    },
  },
  S26: {
    holds: "YAML from outside is plain data, and no bomb is taken",
    proofs: {
      "tests/security/yaml.test.ts": ["%s with %s is refused", "a large answer is refused"],
      "packages/agents/src/meta/answer-reader.test.ts": ["hostile texts of the largest size"],
    },
    apart: "how long a refusal takes is not asserted in a test",
  },
  S27: {
    holds: "a snapshot that was tampered with is refused before anything changes",
    proofs: {
      "packages/orchestrator/src/store/snapshots.test.ts": [
        "a damaged snapshot is refused before anything changes",
        "a symbolic link among the snapshots is not followed",
      ],
      "tests/server/routes.test.ts": ["is refused before anything changes"],
      "tests/security/ids.test.ts": ["are refused in a snapshot"],
    },
    apart: "a snapshot is one file with a hash: there is no list of paths to tamper with",
  },
  S28: {
    holds: "home and token are for their user alone",
    proofs: {
      "tests/security/home.test.ts": [
        "is made for its user alone, and brought back to that",
        "is refused if it belongs to someone else",
        "is written 0600, also over one that others could read",
      ],
    },
  },
  S29: {
    holds: "what several machines share is guarded",
    proofs: {},
    apart: "there is no database and no worker on another machine",
  },
  S30: {
    holds: "what we depend on is pinned, runs nothing when installed, and nothing is remote",
    proofs: {
      "tests/security/dependencies.test.ts": [
        "every package is pinned by version and hash",
        "installing runs no package's own script",
      ],
      "tests/package.test.ts": [
        "needs no other package and runs no script when installed",
        "plays the demo to its end, offline",
      ],
    },
  },
};
