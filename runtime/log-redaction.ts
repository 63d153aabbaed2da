/** Keeps secrets out of the log: what is logged is copied, and every value whose name tells of a secret is replaced. */
import { stdSerializers } from 'pino';

const SECRET_NAME = /(token|authorization|cookie|password|signature|secret|key)s?$/i;
/** Database errors carry the values bound to their statement, which may be anything a user sent. */
const BOUND_VALUES_NAME = 'params';
const CENSORED = '[redacted]';
const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
const MAX_CAUSES = 10;

/** A copy of `fields` that is safe to write: secrets replaced, depth and width bounded. */
export function redactSecrets(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, MAX_ENTRIES)
      .map(([name, value]) => [name, redactField(name, value, depth)]),
  );
}

function redactField(name: string, value: unknown, depth: number): unknown {
  // Numbers and booleans stay: `tokens: 3` is an amount in this hub, and no secret is a number.
  const maybeSecret = typeof value === 'string' || (typeof value === 'object' && value !== null);
  if (maybeSecret && (SECRET_NAME.test(name) || name === BOUND_VALUES_NAME)) return CENSORED;
  return redactValue(value, depth + 1);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  // The logger's own serializer turns errors into plain fields first and hands those to `redactSecrets`.
  if (value instanceof Error) return depth === 1 ? value : `${value.name}: ${value.message}`;
  if (value instanceof Date) return value;
  if (depth > MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => redactValue(entry, depth + 1));
  return redactSecrets({ ...value }, depth);
}

/** The plain fields of an error and its causes, free of secrets. Anything but an error passes unchanged. */
export function redactError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const fields = redactSecrets({ ...stdSerializers.err(error) });
  let cause: unknown = error;
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    for (const name of ['message', 'stack'] as const) {
      const text = fields[name];
      if (typeof text === 'string')
        fields[name] = text.replaceAll(cause.message, redactMessage(cause.message));
    }
    cause = cause.cause;
  }
  return fields;
}

/** Drizzle ends its messages with the values bound to the statement. */
export function redactMessage(message: string): string {
  return message.replace(/\nparams: [^]*$/, `\nparams: ${CENSORED}`);
}
