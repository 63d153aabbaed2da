/**
 * Runs searches on SQLite in a thread with its own connection, because a search blocks its thread and SQLite offers no
 * way to interrupt it. A search that takes too long is abandoned, and its thread ends as soon as SQLite returns.
 */
import { Worker } from 'node:worker_threads';
import { SearchTimeoutError } from './errors.ts';

/** As text, so that the compiled binary, which has no files, can start it too. */
const program = `
const { parentPort } = require('node:worker_threads');
const { Database } = require('bun:sqlite');
let db;
parentPort.on('message', (question) => {
  try {
    if (question.file !== undefined) {
      db = new Database(question.file, { create: false, readwrite: true, strict: true });
      db.run('PRAGMA busy_timeout = 1000');
      db.run('PRAGMA query_only = ON');
      parentPort.postMessage({ rows: [] });
    } else {
      parentPort.postMessage({ rows: db.query(question.sql).values(...question.params) });
    }
  } catch (error) {
    parentPort.postMessage({ error: String(error?.message), code: String(error?.code) });
  }
});`;

const waitingMax = 64;
/** The maximum number of abandoned threads. With more, searches fail immediately until one ends. */
const givenUpMax = 2;
/** After this time an abandoned thread no longer counts, even if it never reported its end. */
const givenUpForMs = 10_000;
const startTimeoutMs = 5_000;

type Rows = readonly (readonly unknown[])[];
type Message = { readonly rows: Rows } | { readonly error: string; readonly code: string };

export class SearchThread {
  readonly #file: string;
  readonly #timeoutMs: number;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #givenUp = 0;

  constructor(file: string, timeoutMs: number) {
    this.#file = file;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs one statement after those before it.
   * @throws SearchTimeoutError when it takes too long, or too many others wait
   */
  async run(sql: string, params: readonly unknown[]): Promise<Rows> {
    if (this.#waiting >= waitingMax) throw new SearchTimeoutError();
    this.#waiting += 1;
    const own = this.#last.then(() => this.#runNow(sql, params));
    this.#last = own.catch(() => undefined);
    try {
      return await own;
    } finally {
      this.#waiting -= 1;
    }
  }

  close(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }

  async #runNow(sql: string, params: readonly unknown[]): Promise<Rows> {
    if (this.#givenUp >= givenUpMax) throw new SearchTimeoutError();
    const worker = this.#worker ?? (await this.#start());
    return this.#ask(worker, { sql, params }, this.#timeoutMs);
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(program, { eval: true });
    worker.unref();
    this.#worker = worker;
    await this.#ask(worker, { file: this.#file }, startTimeoutMs);
    return worker;
  }

  #ask(worker: Worker, question: object, timeoutMs: number): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        worker.off('message', onMessage);
        worker.off('error', onError);
      };
      const onMessage = (message: Message): void => {
        end();
        if ('rows' in message) resolve(message.rows);
        else reject(Object.assign(new Error(message.error), { code: message.code }));
      };
      const onError = (error: unknown): void => {
        end();
        this.#giveUp(worker);
        reject(new Error('The search thread failed.', { cause: error }));
      };
      const timer = setTimeout(() => {
        end();
        this.#giveUp(worker);
        reject(new SearchTimeoutError());
      }, timeoutMs);
      worker.on('message', onMessage);
      worker.on('error', onError);
      worker.postMessage(question, []);
    });
  }

  #giveUp(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null;
    // Nobody is left to receive the error of a thread that fails while it ends.
    worker.on('error', () => undefined);
    this.#givenUp += 1;
    const ended = Promise.race([worker.terminate(), Bun.sleep(givenUpForMs)]);
    void ended.catch(() => undefined).then(() => (this.#givenUp -= 1));
  }
}
