/**
 * The shell scripts a container works with. They need a POSIX `sh` and nothing else, because images differ. They are given
 * to each command anew and lie nowhere in the container: what runs in there could change them, and with them what we
 * believe about the commands after it.
 */
export const RUN_DIR = "/run/multiverse";
export const HOME_DIR = "/home/agent";
export const PROJECT_DIR = "/workspace/project";
export const LOGIN_DIR = "/run/multiverse-logins";
export const PIPE_DIR = "/run/multiverse-pipes";

/** Keeps the container alive. Its session is that of PID 1: how `kill` tells it from everything that was started later. */
export const KEEPER = "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done";

/**
 * Runs the command `"$@"` with its output, and at last its exit code, in the pipes of `$id`. Where there are none that
 * reach `$host` (a kernel's name), it becomes the command, and the engine hears it alone. The shell keeps its own words
 * to itself ("Killed"), and the pipe for the end from the command, so that it closes with the shell.
 */
export const PIPED = `host_kernel=none
{ read -r host_kernel < /proc/sys/kernel/random/boot_id; } 2>/dev/null
[ "$host_kernel" = "$host" ] && [ -p "${PIPE_DIR}/$id.end" ] && [ -w "${PIPE_DIR}/$id.end" ] || exec "$@"
exec 2>/dev/null 9> "${PIPE_DIR}/$id.end"
echo begun >&9
"$@" > "${PIPE_DIR}/$id.out" 2> "${PIPE_DIR}/$id.err" 9>&-
code=$?
echo $code >&9
exit $code
`;

/**
 * `shim <id> <kernel> <dir> <command> …`: reads the run's variables from stdin up to a mark, notes its pid, and runs the
 * command, which gets the rest of stdin. `read` takes byte by byte, so not one of the command's bytes is lost. Input that
 * ends before the mark is half of what was meant, and nothing is run.
 */
const SHIM = `id=$1 host=$2 dir=$3
shift 3
vars=
line=
while IFS= read -r line && [ "$line" != "--$id--" ]; do
  vars="$vars$line
"
done
[ "$line" = "--$id--" ] || exit 125
eval "$vars"
unset vars line
echo $$ > "${RUN_DIR}/$id.pid"
cd "$dir" || exit 125
${PIPED}`;

/**
 * \`kill <seconds> <spared id> …\`: ends every process but the container's own and those of the spared runs: TERM, so
 * many seconds, KILL. Exit code 0 says that nothing is left. Sessions tell who belongs where, and a process that made
 * itself a session of its own is found all the same.
 */
const KILL = `grace=$1
shift
spared=" 0 1 $$ "
for id in "$@"; do
  { read -r sid < "${RUN_DIR}/$id.pid"; } 2>/dev/null && spared="$spared$sid "
done
targets() {
  for stat in /proc/[0-9]*/stat; do
    { IFS= read -r line < "$stat"; } 2>/dev/null || continue
    rest=\${line##*) }
    case $rest in Z*|X*) continue ;; esac
    rest=\${rest#* }; rest=\${rest#* }; rest=\${rest#* }
    case $spared in *" \${rest%% *} "*) continue ;; esac
    pid=\${stat#/proc/}
    echo "\${pid%/stat}"
  done
}
gone() {
  tries=$1
  while [ -n "$(targets)" ]; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
}
if [ "$grace" -gt 0 ]; then
  for pid in $(targets); do kill -TERM "$pid" 2>/dev/null; done
  gone $((grace * 10)) && exit 0
fi
for pid in $(targets); do kill -KILL "$pid" 2>/dev/null; done
gone 30
`;

/** Copies a login into the private home: small files only, since a CLI's folder may hold gigabytes of its history. */
const COPY_LOGIN = `copy() {
  if [ -d "$1" ]; then
    (cd "$1" && find . -maxdepth 2 -type f -size -2048 ! -path './projects/*' ! -path './tmp/*' ! -path './todos/*' ! -path './sessions/*' ! -path './history/*' ! -path './log/*') |
    while IFS= read -r file; do
      mkdir -p "$2/\${file%/*}" && cp "$1/$file" "$2/$file"
    done
  else
    mkdir -p "\${2%/*}" && cp "$1" "$2"
  fi
}
`;

const sh = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables as shell text. A name that is none is left out: it could be anything. */
export const exportLines = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .filter(([name, value]) => VARIABLE.test(name) && !value.includes("\0"))
    .map(([name, value]) => `export ${name}=${sh(value)}\n`)
    .join("");

/** What the shim reads before the command's own input. */
export const runInput = (
  id: string,
  env: Readonly<Record<string, string>>,
  stdin: string,
): string => `${exportLines(env)}--${id}--\n${stdin}`;

/** What runs a command of the task; what ends everything but the spared runs. */
export const shim = (...args: readonly string[]): string[] => ["sh", "-c", SHIM, "sh", ...args];
export const kill = (...args: readonly string[]): string[] => ["sh", "-c", KILL, "sh", ...args];

export interface SetupParts {
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Places below the home, in the order of the mounts. */
  readonly loginTargets: readonly string[];
}

/** Runs once in a new container, from stdin: nothing of it is seen from outside. */
export function setupScript({ homeFiles, loginTargets }: SetupParts): string {
  const write = (path: string, content: string): string =>
    `printf %s ${sh(content)} > ${sh(path)}\n`;
  return [
    "set -eu\numask 077\n",
    COPY_LOGIN,
    ...loginTargets.map(
      (target, i) => `copy ${sh(`${LOGIN_DIR}/${i}`)} ${sh(`${HOME_DIR}/${target}`)}\n`,
    ),
    ...Object.entries(homeFiles).map(
      ([path, content]) =>
        `mkdir -p ${sh(`${HOME_DIR}/${path}`.replace(/\/[^/]*$/, ""))}\n${write(`${HOME_DIR}/${path}`, content)}`,
    ),
    "echo ready\n",
  ].join("");
}
