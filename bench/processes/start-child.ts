/**
 * Starts a process of the benchmark or of the hub, as the supervisor does. It reports when it is ready, and
 * ends with this one.
 */
import { join } from 'node:path';
import { supervised } from '#runtime/process/shutdown.ts';

export interface Child {
  readonly pid: number;
  /** Its first message. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Sends a message and resolves with the next one from the process. */
  ask(message: object): Promise<Readonly<Record<string, unknown>>>;
  /** Sends SIGTERM, and SIGKILL if it hangs. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** A program and its arguments; files are relative to the project. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** For its output. Logging costs as much as in production, where it goes to a file or pipe too. */
  readonly logFile: string;
}

const projectRoot = join(import.meta.dir, '..', '..');
const readyTimeoutMs = 60_000;
const replyTimeoutMs = 120_000;
const stopTimeoutMs = 20_000;
/** Settings of the user must not affect the results. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG'] as const;

type Message = Readonly<Record<string, unknown>>;

export async function startChild({ command, env = {}, logFile }: ChildOptions): Promise<Child> {
  const name = command.join(' ');
  const log = Bun.file(logFile);
  let receive: (message: Message) => void = () => {};
  let fail: (reason: Error) => void = () => {};
  const nextMessage = (timeoutMs: number): Promise<Message> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${name} sent no message for ${timeoutMs} ms.`)),
        timeoutMs,
      );
      receive = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
      fail = (reason) => {
        clearTimeout(timer);
        reject(reason);
      };
    });
  const ready = nextMessage(readyTimeoutMs);
  const child = Bun.spawn([...command], {
    cwd: projectRoot,
    detached: true,
    stdin: 'ignore',
    stdout: log,
    stderr: log,
    env: { ...inheritedEnvironment(), ...env, [supervised]: '1' },
    ipc: (message: Message) => receive(message),
  });
  const reportExit = async (): Promise<void> => {
    const code = await child.exited;
    const text = await log.text().catch(() => '');
    fail(new Error(`${name} exited with ${code}. The end of its log:\n${text.slice(-2000)}`));
  };
  void reportExit();
  return {
    pid: child.pid,
    ready: await ready,
    ask: (message) => {
      const reply = nextMessage(replyTimeoutMs);
      child.send(message);
      return reply;
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
