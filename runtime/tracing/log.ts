/** The log of every process: JSON lines on standard output, or readable lines when that is a terminal. */
import pino, { type DestinationStream, type LogFn, type Logger } from 'pino';
import type pinoPretty from 'pino-pretty';
import { redactError, redactMessage, redactSecrets, redactText } from './log-redaction.ts';

export type { Logger } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LoggerOptions {
  /** The process or part that speaks, such as `api`. */
  readonly name: string;
  readonly level?: LogLevel;
  /** Where lines go instead of standard output. */
  readonly destination?: DestinationStream;
}

/**
 * A logger whose every line is written before the call returns, so that nothing is lost, and nothing throws, when the
 * process exits right after. Errors go under `err`.
 */
export function createLogger({ name, level = 'info', destination }: LoggerOptions): Logger {
  const logger = pino(
    {
      name,
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactSecrets },
      serializers: { err: redactError },
      hooks: { logMethod: withoutRawMessage },
    },
    destination ?? standardOutput(),
  );
  // The formatter above does not see what a child logger is bound to.
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the logger it was reached through
  const { child } = logger;
  logger.child = function childWithoutSecrets(this: Logger, bindings, options) {
    return child.call(this, redactSecrets(bindings), options);
  } as Logger['child']; // The cast restores the generic parameter for custom levels, which the hub has none of.
  return logger;
}

function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return prettyOutput();
  const output = pino.destination({ dest: 1, sync: true });
  // A reader that went away (`npm start | head`) must not take the hub with it.
  output.on('error', () => {});
  return output;
}

/** How lines look on a terminal. */
export function readableForm(colorize: boolean): pinoPretty.PrettyOptions {
  return { colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' };
}

/** Loaded only for a terminal: it takes 6 MB in each process. As a stream and not as a worker it writes at once. */
function prettyOutput(): DestinationStream {
  // `require` is untyped; this is the type of the module that the package of that name exports. The build sees this form alone.
  const pretty = require('pino-pretty') as typeof pinoPretty;
  // Bun goes by NO_COLOR (https://no-color.org).
  return pretty({ sync: true, ...readableForm(Bun.enableANSIColors) });
}

/** The text of a line is written as it is given, past the formatter; an error logged without one would lend it its own. */
function withoutRawMessage(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, message, ...rest] = args;
  const fields = first instanceof Error ? { err: first } : first;
  const error: unknown = (fields as { err?: unknown } | null | undefined)?.err;
  if (typeof first === 'string') method.call(this, redactText(first), message, ...rest);
  else if (message !== undefined) method.call(this, fields, redactText(message), ...rest);
  else if (error instanceof Error) method.call(this, fields, redactMessage(error));
  else method.call(this, fields);
}
