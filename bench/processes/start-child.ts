/** Starts a process of the benchmark, or of the hub as its supervisor does: ready when it says so, gone when this one is. */
import { join } from 'node:path';
import { supervised } from '#runtime/process/shutdown.ts';

export interface Child {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Sends it a message and waits for the next one from it. */
  ask(message: object): Promise<Readonly<Record<string, unknown>>>;
  /** SIGTERM, and SIGKILL for one that hangs. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** The file that Bun runs, from the project's folder, with its arguments. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Takes what it prints; a log costs what it costs in production, where it goes to a file or a pipe too. */
  readonly logFile: string;
}

const projectRoot = join(import.meta.dir, '..', '..');
const readyTimeoutMs = 60_000;
const answerTimeoutMs = 120_000;
const stopTimeoutMs = 20_000;
/** The benchmark's results must not hang on the settings of whoever runs it. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG'] as const;

type Message = Readonly<Record<string, unknown>>;

export async function startChild({ command, env = {}, logFile }: ChildOptions): Promise<Child> {
  const name = command.join(' ');
  const log = Bun.file(logFile);
  let hear: (message: Message) => void = () => {};
  let fail: (reason: Error) => void = () => {};
  const nextMessage = (timeoutMs: number): Promise<Message> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${name} said nothing for ${timeoutMs} ms.`)),
        timeoutMs,
      );
      hear = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
      fail = (reason) => {
        clearTimeout(timer);
        reject(reason);
      };
    });
  const ready = nextMessage(readyTimeoutMs);
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: projectRoot,
    detached: true,
    stdin: 'ignore',
    stdout: log,
    stderr: log,
    env: { ...inheritedEnvironment(), ...env, [supervised]: '1' },
    ipc: (message: Message) => hear(message),
  });
  const tellOfItsEnd = async (): Promise<void> => {
    const code = await child.exited;
    const said = await log.text().catch(() => '');
    fail(new Error(`${name} ended with code ${code}. What it said last:\n${said.slice(-2000)}`));
  };
  void tellOfItsEnd();
  return {
    pid: child.pid,
    ready: await ready,
    ask: (message) => {
      const answer = nextMessage(answerTimeoutMs);
      child.send(message);
      return answer;
    },
    stop: async () => {
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      child.kill('SIGTERM');
      await child.exited;
      clearTimeout(timer);
    },
  };
}

export function inheritedEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
