/**
 * The log of every process: JSON lines on standard output, or readable lines when that is a terminal. Lines name the
 * cause of the work that they report.
 */
import pino, { type DestinationStream, type LogFn, type Logger } from 'pino';
import type pinoPretty from 'pino-pretty';
import { hostname } from 'node:os';
import { redactError, redactMessage, redactSecrets, redactText } from './log-redaction.ts';

export type { Logger } from 'pino';

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

interface LoggerOptions {
  /** The process or component, such as `api`. */
  readonly name: string;
  readonly level?: LogLevel;
  /** Replaces standard output. */
  readonly destination?: DestinationStream;
}

/**
 * Creates a logger. Nothing is lost and nothing throws if the process exits right after a call. If it is killed, it may
 * lose the lines at level `info` of its last turn of the event loop. Log errors as `err`.
 */
export function createLogger({ name, level = 'info', destination }: LoggerOptions): Logger {
  const stream = destination ?? standardOutput();
  const base = { pid: process.pid, hostname: hostname(), name };
  const logger = pino(
    {
      base,
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactSecrets },
      serializers: { err: redactError },
      hooks: { logMethod: withoutRawMessage },
    },
    stream,
  );
  plainForms.set(logger, { stream, bindings: membersOf(base) });
  // The formatter above does not see the bindings of a child logger.

  // oxlint-disable-next-line typescript/unbound-method -- it is called with the logger it was read from
  const { child } = logger;
  logger.child = function childWithoutSecrets(this: Logger, bindings, options) {
    const safe = redactSecrets(bindings);
    const made = child.call(this, safe, options);
    const own = plainForms.get(this);
    if (own !== undefined) plainForms.set(made, { ...own, bindings: own.bindings + membersOf(safe) });
    return made;
  } as Logger['child']; // The cast restores the generic parameter for custom levels, which the hub does not use.
  return logger;
}

/**
 * Logs a line at level `info` without the search for secrets, which takes most of the time of a line. Only for frequent
 * lines whose fields never hold secrets, texts of users, or errors.
 */
export function logPlainly(
  logger: Logger,
  fields: Readonly<Record<string, string | number>>,
  message: string,
): void {
  const plain = plainForms.get(logger);
  if (plain === undefined || !logger.isLevelEnabled('info')) return;
  const start = `{"level":"info"${pino.stdTimeFunctions.isoTime()}${plain.bindings}`;
  plain.stream.write(`${start}${membersOf(fields)},"msg":"${message}"}\n`);
}

/** What a plain line needs of its logger. */
interface PlainForm {
  readonly stream: DestinationStream;
  /** The fields of every line, such as `,"name":"api"`. */
  readonly bindings: string;
}

const plainForms = new WeakMap<object, PlainForm>();

function membersOf(fields: Readonly<Record<string, unknown>>): string {
  let members = '';
  for (const name in fields) members += `,"${name}":${JSON.stringify(fields[name])}`;
  return members;
}

function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return prettyOutput();
  const output = pino.destination({ dest: 1, sync: true });
  // A reader that went away (`npm start | head`) must not stop the hub.
  output.on('error', () => {});
  return writeOncePerTurn(output);
}

const pendingMaxLength = 64 * 1024;

/**
 * Writes the lines of one turn of the event loop together, because a write costs as much as building a line. Lines of
 * other levels than `info` are written immediately, after all lines before them.
 */
function writeOncePerTurn(output: DestinationStream): DestinationStream {
  let pending = '';
  let isExiting = false;
  const flush = (): void => {
    if (pending === '') return;
    const lines = pending;
    pending = '';
    output.write(lines);
  };
  process.on('exit', () => {
    isExiting = true;
    flush();
  });
  return {
    write: (line) => {
      if (pending === '' && !isExiting) setImmediate(flush);
      pending += line;
      // The level is the first field.
      const isInfo = line.startsWith('{"level":"info"');
      if (!isInfo || isExiting || pending.length > pendingMaxLength) flush();
    },
  };
}

/** The format on a terminal. */
export function readableForm(colorize: boolean): pinoPretty.PrettyOptions {
  return { colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' };
}

/**
 * Loaded only for a terminal, since it takes 6 MB per process. As a stream, not a worker, it writes immediately.
 */
function prettyOutput(): DestinationStream {
  // `require` is untyped; this is the type of the package's export. The build only supports this form.
  const pretty = require('pino-pretty') as typeof pinoPretty;
  // Bun respects NO_COLOR (https://no-color.org).
  return pretty({ sync: true, ...readableForm(Bun.enableANSIColors) });
}

/**
 * Redacts the message too, which bypasses the formatter. Pino uses an error's message if there is no other.
 */
function withoutRawMessage(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, message, ...rest] = args;
  const fields = first instanceof Error ? { err: first } : first;
  const error: unknown = (fields as { err?: unknown } | null | undefined)?.err;
  if (typeof first === 'string') method.call(this, redactText(first), message, ...rest);
  else if (message !== undefined) method.call(this, fields, redactText(message), ...rest);
  else if (error instanceof Error) method.call(this, fields, redactMessage(error));
  else method.call(this, fields);
}

/**
 * The cause of a piece of work: the request that started it, and the span it belongs to. It travels in the row of a job
 * and in a command to an actor, so that a worker's log lines and spans can name both.
 */
export interface Cause {
  /** The request's id, as in its response and log line. */
  readonly requestId?: string;
  /** The W3C `traceparent` of the span. Absent if nothing is traced. */
  readonly traceparent?: string;
}

const requestIdForm = /^[0-9A-Za-z-]{16,64}$/;
/**
 * W3C Trace Context, section 3.2: version 00, a trace id and a span id that are not all zeros, and the flags.
 */
const traceparentForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isRequestId(text: string): boolean {
  return requestIdForm.test(text);
}

export function isTraceparent(text: string): boolean {
  return traceparentForm.test(text);
}

/** Reads a cause from a store or from Redis. Skips invalid parts. */
export function readCause(value: unknown): Cause {
  if (typeof value !== 'object' || value === null) return {};
  const { requestId, traceparent } = value as Record<string, unknown>;
  return {
    ...(typeof requestId === 'string' && isRequestId(requestId) ? { requestId } : {}),
    ...(typeof traceparent === 'string' && isTraceparent(traceparent) ? { traceparent } : {}),
  };
}

/** The log fields that name the cause. */
export function causeFields({ requestId, traceparent }: Cause): Readonly<Record<string, string>> {
  return {
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
  };
}

function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}
