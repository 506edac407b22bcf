/** How a command of the docs is run by the tests, where it is not simply run to its end. */
export type HowToRun =
  | { readonly how: "to the end" }
  /** It speaks to a server, so one is started first if none runs. */
  | { readonly how: "with a server" }
  /** It works on a workspace that no server has open, so one is opened and closed first. */
  | { readonly how: "after a server" }
  /** It builds a container image, from a base that is made here. */
  | { readonly how: "with Docker" }
  /** It goes on until it is stopped; the commands after it find it running. */
  | { readonly how: "until ready" }
  /** What is run in its place, and why. */
  | { readonly how: "instead"; readonly command: string; readonly why: string };

const RULES: readonly (readonly [pattern: RegExp, rule: HowToRun])[] = [
  [/^npm start$/, { how: "until ready" }],
  [/^npx --no-install multiverse (status|backlog|logs) /, { how: "with a server" }],
  [/^npx --no-install multiverse repair /, { how: "after a server" }],
  [/^npx --no-install multiverse (--demo )?~\/[\w-]+$/, { how: "until ready" }],
  [
    /^npm test$/,
    {
      how: "instead",
      command: "npm test -- tests/count-results",
      why: "all tests cannot run inside one of them",
    },
  ],
  [
    /^npm test -- packages/,
    {
      how: "instead",
      command: "npm test -- tests/count-results",
      why: "these run anyway, and once is enough",
    },
  ],
  [/^npx --no-install multiverse images build /, { how: "with Docker" }],
  [
    /^npm run bench/,
    {
      how: "instead",
      command: "npm run bench -- schedule-quality --json",
      why: "the rest takes minutes, and measures nothing while tests run",
    },
  ],
];

export const howToRun = (command: string): HowToRun =>
  RULES.find(([pattern]) => pattern.test(command))?.[1] ?? { how: "to the end" };
