/**
 * Runs a foreign program (a Redis or Postgres server) that must never outlive this process, not even when this one is
 * killed with SIGKILL: a shell between the two holds a pipe from here and stops the program when the pipe closes.
 */
import { constants } from 'node:os';

export interface TetheredProcess {
  /** Resolves with the exit code when the program, and all that hangs on it, is gone. */
  readonly exited: Promise<number>;
  /** The last of what the program wrote, for error messages. */
  output(): string;
  /** Stops the program with its stop signal, after `timeoutMs` with SIGKILL. Resolves when it is gone. */
  stop(timeoutMs: number): Promise<void>;
}

export interface TetherOptions {
  readonly command: readonly string[];
  readonly stopSignal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whom the program runs as, if not as this process's own user. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** A folder that is removed once the program has ended. */
  readonly removeAfterwards?: string;
}

/**
 * Arguments: stop signal, folder to remove or nothing, then the command. The reader of the pipe runs beside the
 * program; file descriptor 3 carries the pipe, because a shell gives its background jobs an empty standard input.
 * Should the shell itself be killed, the reader alone still stops the program and cleans up.
 */
const tetherScript = `
signal=$1; folder=$2; shift 2
clean_up() { if [ -n "$folder" ]; then rm -rf -- "$folder"; fi; }
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{
  read -r _
  kill -s "$signal" "$program"
  while kill -0 "$program"; do sleep 0.05; done
  clean_up
} <&3 3<&- >/dev/null 2>&1 &
reader=$!
exec 3<&-
trap '' HUP INT QUIT TERM
wait "$program"
code=$?
kill -s KILL "$reader"
clean_up
exit "$code"
`;

const maxOutputCharacters = 4000;

/** The pipe of a shell that nobody refers to any more would be closed whenever the garbage is collected. */
const running = new Set<Bun.Subprocess>();

/** Starts the program in a session of its own, so that a Ctrl-C in the terminal does not reach it. */
export function spawnTethered({
  command,
  stopSignal,
  env,
  user,
  removeAfterwards,
}: TetherOptions): TetheredProcess {
  const shell = Bun.spawn(
    ['sh', '-c', tetherScript, 'tether', stopSignal.slice('SIG'.length), removeAfterwards ?? '', ...command],
    {
      ...user,
      detached: true,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env, ...env },
    },
  );
  // A test that forgets to stop its server still ends; the tether then stops the server.
  shell.unref();
  running.add(shell);
  const exited = shell.exited.finally(() => running.delete(shell));

  let output = '';
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output = (output + decoder.decode(chunk, { stream: true })).slice(-maxOutputCharacters);
    }
  };
  // Reading fails only when the program is gone, which `exited` tells.
  void Promise.allSettled([collect(shell.stdout), collect(shell.stderr)]);

  return {
    exited,
    output: () => output.trim(),
    stop: async (timeoutMs) => {
      void shell.stdin.end();
      const timer = setTimeout(() => killGroup(shell.pid), timeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** The shell leads a group of its own, which holds the program too. */
function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, constants.signals.SIGKILL);
  } catch {
    // It ended in this very moment.
  }
}
