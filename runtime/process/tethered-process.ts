/**
 * Runs a foreign program (a Redis or Postgres server) that must not outlive this process, even if this
 * process is killed with SIGKILL: a shell between the two holds a pipe from this process and stops the
 * program when the pipe closes.
 */
import { constants } from 'node:os';

export interface TetheredProcess {
  /** Resolves with the exit code when the program and its shell are gone. */
  readonly exited: Promise<number>;
  /** The end of the program's output, for error messages. */
  output(): string;
  /** Sends the stop signal, and SIGKILL after `timeoutMs`. Resolves when the program is gone. */
  stop(timeoutMs: number): Promise<void>;
}

export interface TetherOptions {
  readonly command: readonly string[];
  readonly stopSignal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL';
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The user to run as, if not this process's own. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** A folder to remove after the program has ended. */
  readonly removeAfterwards?: string;
}

/**
 * Arguments: stop signal, folder to remove or an empty string, then the command. The reader of the pipe runs
 * beside the program. The pipe is file descriptor 3, because a shell gives background jobs an empty standard
 * input. If the shell itself is killed, the reader still stops the program and cleans up.
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

/** Keeps a reference to each shell. Garbage collection would close its pipe. */
const running = new Set<Bun.Subprocess>();

/** Starts the program in its own session, so that a Ctrl-C in the terminal does not reach it. */
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
  // Lets a test end that forgot to stop its server. The shell then stops the server.
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
  // Reading only fails when the program is gone, which `exited` reports.
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

/** The shell leads its own process group, which includes the program. */
function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, constants.signals.SIGKILL);
  } catch {
    // It has just ended.
  }
}
