/** How a command of the docs is run by the tests, where it is not simply run to its end. */
export type HowToRun =
  | { readonly how: "to the end" }
  /** It speaks to a server, so one is started first if none runs. */
  | { readonly how: "with a server" }
  /** It works on a workspace that no server has open, so one is opened and closed first. */
  | { readonly how: "after a server" }
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
  [
    /^npx --no-install multiverse images build$/,
    {
      how: "instead",
      command: "npx --no-install multiverse images build --help",
      why: "it needs Docker and downloads; tests/docker/images.test.ts builds from the same Dockerfiles",
    },
  ],
  [
    /^npm run bench/,
    {
      how: "instead",
      command: "npm run bench -- --list",
      why: "it takes minutes, and measures nothing while tests run",
    },
  ],
];

export const howToRun = (command: string): HowToRun =>
  RULES.find(([pattern]) => pattern.test(command))?.[1] ?? { how: "to the end" };
