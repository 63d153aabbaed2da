/**
 * Runs work that would block the event loop in a separate thread. The thread starts with the first task and does one
 * task at a time. Agents take turns, the line is bounded, and each task has a time limit.
 */
import { join } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { binaryFolder, projectFolder } from './project-files.ts';
import { FairLine } from './turns/fair-line.ts';

/** The task took too long, twice. */
export class TaskTooLongError extends Error {
  override readonly name: string = 'TaskTooLongError';
}

/** Too many tasks wait: of this agent, of all agents, or because abandoned threads have not ended yet. */
export class ThreadBusyError extends Error {
  override readonly name: string = 'ThreadBusyError';
}

export interface WorkThreadOptions {
  /** The file of the program, which calls `serveThread`. */
  readonly program: string;
  /** Passed to the program when it starts. */
  readonly data: unknown;
  /** The time limit of a task. A second attempt follows, because the machine itself may have paused. */
  readonly taskMs: number;
  readonly waitingMax: { readonly ofAgent: number; readonly all: number };
}

type Answer = { readonly result: unknown } | { readonly error: string } | { readonly ready: true };

interface Waiting<Task, Result> {
  readonly agentId: string;
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
}

const attemptsMax = 2;
const startTimeoutMs = 30_000;
/** The maximum number of abandoned threads. Native code, such as a regular expression, cannot be interrupted. */
const abandonedMax = 2;
/** After this time an abandoned thread no longer counts, even if it never reported its end. */
const abandonedForMs = 60_000;

export class WorkThread<Task, Result> {
  readonly #options: WorkThreadOptions;
  readonly #line = new FairLine<Waiting<Task, Result>>();
  #thread: Worker | null = null;
  #abandoned = 0;
  #working = false;
  #closed = false;

  constructor(options: WorkThreadOptions) {
    this.#options = options;
  }

  /**
   * @param agentId the agent that the task is for
   * @throws TaskTooLongError, ThreadBusyError; Error when the task itself fails
   */
  run(agentId: string, task: Task): Promise<Result> {
    const { waitingMax } = this.#options;
    if (this.#closed || this.#abandoned >= abandonedMax) return Promise.reject(new ThreadBusyError());
    if (this.#line.size >= waitingMax.all || this.#line.countOf(agentId) >= waitingMax.ofAgent)
      return Promise.reject(new ThreadBusyError());
    return new Promise((resolve, reject) => {
      this.#line.join(agentId, { agentId, task, resolve, reject, attempts: 0 });
      void this.#work();
    });
  }

  /** Ends the thread. Tasks that wait are rejected. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#line.clear()) reject(new ThreadBusyError());
    void this.#thread?.terminate();
    this.#thread = null;
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) await this.#do(next);
    this.#working = false;
  }

  async #do(one: Waiting<Task, Result>): Promise<void> {
    const { agentId, task, resolve, reject } = one;
    try {
      if (this.#abandoned >= abandonedMax) throw new ThreadBusyError();
      const thread = this.#thread ?? (await this.#start());
      const startedAt = performance.now();
      one.attempts += 1;
      try {
        // The program returns the result of this task.
        resolve((await this.#ask(thread, { task }, this.#options.taskMs)) as Result);
      } finally {
        this.#line.charge(agentId, performance.now() - startedAt);
      }
    } catch (error) {
      if (error instanceof TaskTooLongError && one.attempts < attemptsMax && !this.#closed)
        this.#line.join(agentId, one);
      else reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #start(): Promise<Worker> {
    const thread = new Worker(this.#options.program, { workerData: this.#options.data });
    this.#thread = thread;
    await this.#ask(thread, null, startTimeoutMs);
    return thread;
  }

  /** @param question null to wait for the start of the program */
  #ask(thread: Worker, question: { readonly task: Task } | null, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        thread.unref();
        thread.off('message', onMessage);
        thread.off('error', onError);
        thread.off('exit', onExit);
      };
      const fail = (error: Error): void => {
        end();
        this.#abandon(thread);
        reject(error);
      };
      const onMessage = (answer: Answer): void => {
        end();
        if ('error' in answer) reject(new Error(answer.error));
        else resolve('result' in answer ? answer.result : undefined);
      };
      const onError = (error: unknown): void => fail(new Error('The thread failed.', { cause: error }));
      const onExit = (): void => fail(new Error('The thread has ended.'));
      const timer = setTimeout(() => fail(new TaskTooLongError()), timeoutMs);
      thread.on('message', onMessage);
      thread.on('error', onError);
      thread.on('exit', onExit);
      // An idle thread does not keep the process alive.
      thread.ref();
      if (question !== null) thread.postMessage(question, []);
    });
  }

  #abandon(thread: Worker): void {
    if (this.#thread === thread) this.#thread = null;
    // Nobody is left to receive the error of a thread that fails while it ends.
    thread.on('error', () => undefined);
    this.#abandoned += 1;
    const ended = Promise.race([thread.terminate(), Bun.sleep(abandonedForMs)]);
    void ended.catch(() => undefined).then(() => (this.#abandoned -= 1));
  }
}

/**
 * The file of a program in this project. The compiled binary contains it beside its own; see cli/build.ts.
 *
 * @param path from the project's folder, without the ending
 */
export function threadProgram(...path: readonly string[]): string {
  return Bun.isStandaloneExecutable
    ? `${join(binaryFolder, ...path)}.js`
    : `${join(projectFolder, ...path)}.ts`;
}

/**
 * Turns a thread into one that does tasks, for the program of a `WorkThread`.
 *
 * @param perform gets the tasks, one at a time, that are given to the `WorkThread`
 */
export function serveThread(perform: (task: never) => unknown): void {
  const port = parentPort;
  if (port === null) throw new Error('This program runs in a thread.');
  const answer = async (task: never): Promise<Answer> => {
    try {
      return { result: await perform(task) };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  port.on('message', ({ task }: { readonly task: never }) => {
    void answer(task).then((answered) => port.postMessage(answered));
  });
  port.postMessage({ ready: true });
}
