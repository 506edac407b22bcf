const raw = String.raw;
const rule = (text: string): RegExp => new RegExp(text, "im");

/** Programs in front of another one: `sudo -E`, `env A=b`, `xargs -0`. */
const PREFIX = raw`(?:(?:\S{0,200}/)?(?:sudo|env|exec|command|nohup|time|busybox|xargs)\s+(?:-\S*\s+|\w+=\S*\s+)*)*`;
const SHELL = raw`${PREFIX}(?:\S{0,200}/)?\b(?:ba|da|z|k|a|c|tc|fi)?sh(?![\w./-])`;
const INTERPRETER = raw`${PREFIX}(?:\S{0,200}/)?\b(?:python[\d.]*|node|deno|bun|perl|ruby|php)`;
/** A server of the task's own. */
const HERE = raw`(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?![\w.-])`;
/** Unless all it names is here. */
const FETCH = raw`\b(?:curl|wget)\b(?!(?:(?!https?://(?!${HERE}))[^\n;|&]){0,300}\s(?:https?://)?${HERE})`;
/** Where a command begins, and the rest of one. */
const BEGIN = raw`(?:^|[;&|(]\s*)`;
const REST = raw`[^\n;|&]{0,300}`;
/** Whatever stands between two things that do not go together. Bounded, so that no text takes long to judge. */
const GAP = raw`[^\n]{0,300}`;
const SUBSTITUTE = raw`(?:<\(|\$\(|\`)`;
const DECODE = raw`\b(?:base64|xxd|uudecode)\b`;

const PIPED_TO_SHELL = rule(raw`\|&?\s*${SHELL}`);
const PIPED_AS_PROGRAM = rule(raw`\|&?\s*${INTERPRETER}\s*-?\s*(?:$|[;&|)<>])`);
const DELETED_FROM_ABOVE = rule(
  raw`\brm\b(?=${REST}\s(?:-\w*r|--recursive))${REST}\s(?:/(?!tmp/\w)|~|\$\{?HOME|\.\.|\.git\b|(?:\./)?\*|\./?(?:\s|$))`,
);

/** Runs what nobody has seen: fetched, decoded, or put together on the way. */
const RUNS_UNSEEN: readonly RegExp[] = [
  PIPED_TO_SHELL,
  PIPED_AS_PROGRAM,
  rule(raw`(?:${SHELL}|\bsource|${BEGIN}\.)\s${GAP}${SUBSTITUTE}${GAP}(?:${FETCH}|${DECODE})`),
  rule(raw`${BEGIN}${SUBSTITUTE}[^\n)]*(?:${FETCH}|${DECODE}|\bprintf\b|\becho\b)`),
  rule(raw`\beval\b${GAP}(?:\$|\`)`),
  rule(raw`${FETCH}${REST}(?:&&|;|\n)${GAP}(?:\bchmod\b|${SHELL}|\bsource\b|${INTERPRETER}\s)`),
  rule(
    raw`${INTERPRETER}\s${REST}-(?:c|e|r|-eval)\s${GAP}(?:os\.system|subprocess|child_process|\bsystem\b|(?<!\.)\bexec\s*\(|\beval\s*\(|urlopen|\bsocket\b|https?://(?!${HERE}))`,
  ),
  rule(raw`\bgit\b${GAP}\b(?:alias\.[\w-]+[=\s]+!|core\.(?:hookspath|fsmonitor|sshcommand)\b)`),
];

/** Takes away more than what a task has made itself. */
const DELETES_ALL: readonly RegExp[] = [
  DELETED_FROM_ABOVE,
  rule(raw`\|\s*xargs\b[^\n;|]*\brm\b`),
  rule(
    raw`\bfind\b(?!${REST}-i?(?:name|path|regex)\b)${REST}(?:-delete\b|-exec\w*\s+(?:\S{0,200}/)?rm\b)`,
  ),
  rule(
    raw`\bgit\b${REST}\s(?:clean\s+-\w*[dfx]|reset\s${REST}--hard|checkout\s+(?:-f|--\s+\.|\.)(?:\s|$)|push\b)`,
  ),
];

/** Reaches for logins or for the machine around it, or carries something away. */
const REACHES_OUT: readonly RegExp[] = [
  rule(
    raw`\.ssh/|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/credentials|\.codex/auth\.json|\.claude/\.credentials|\.netrc\b|\.git-credentials|\.kube/config|\.gnupg/|/etc/(?:shadow|sudoers)|/proc/\w+/environ`,
  ),
  rule(
    raw`\bdocker\.sock\b|\bdocker\b${REST}(?:--privileged|(?:-v|--volume)[\s=]*/:|source=/,|--pid[\s=]*host)|\bnsenter\b`,
  ),
  rule(raw`/dev/(?:tcp|udp)/|\b(?:nc|ncat)\b${REST}\s-\w*[ec]\b`),
  rule(
    raw`${FETCH}${GAP}\s(?:-[dFT]|--data\S*|--form\S*|--upload-file|--post-\w+)[\s=]*\S*(?:@|\$|\`|-(?:\s|$))`,
  ),
  rule(raw`\b(?:env|printenv)\s*\|${GAP}\b(?:curl|wget|nc|ncat)\b`),
  rule(raw`\bcrontab\b|\.(?:bashrc|bash_profile|profile|zshrc)\b|\bauthorized_keys\b`),
];

/**
 * A command as the shell will read it. Quotes, backslashes and `$IFS` only make a word look different; so do letters of
 * other widths, and marks without any, to whoever looks at it.
 */
const asRead = (command: string): string =>
  command
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\\\n/g, " ")
    .replaceAll(/\$(?:IFS|\{IFS[^}]*\})(?:\$\d)?/g, " ")
    .replaceAll(/["'\\]|\$@/g, "")
    .replaceAll(/[ \t]+/g, " ");

const matches = (text: string, rules: readonly RegExp[]): boolean => {
  const read = asRead(text);
  return rules.some((each) => each.test(read));
};

/** Whether a command that would run by itself should be seen by a person first: no check of a task needs any of this. */
export const isDangerous = (command: string): boolean =>
  matches(command, [...RUNS_UNSEEN, ...DELETES_ALL, ...REACHES_OUT]);

/** The same for prose that a worker may take for its orders: only what can hardly be meant otherwise. */
export const urgesDanger = (line: string): boolean =>
  matches(line.replaceAll("`", ""), [PIPED_TO_SHELL, PIPED_AS_PROGRAM, DELETED_FROM_ABOVE]);
