/**
 * Keeps secrets and user content out of the log. Values are copied: a value is replaced if its name suggests
 * a secret, or if drivers repeat bound values under that name. Other texts lose the parts that look like
 * secrets.
 */
const secretName = /(token|authorization|cookie|password|signature|secret|key)s?$/i;
/** Bound values, rows, words of a Redis command, unparsable input, a request's body. */
const carriedNames = new Set(['params', 'detail', 'where', 'args', 'input', 'body', 'rawBody', 'rawPacket']);
const censored = '[redacted]';
const maxDepth = 6;
const maxEntries = 100;
const maxCauses = 10;

/** A copy of `fields` that is safe to write: secrets replaced, depth and width bounded. */
export function redactSecrets(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, maxEntries)
      .map(([name, value]) => [name, redactField(name, value, depth)]),
  );
}

function redactField(name: string, value: unknown, depth: number): unknown {
  // Numbers and booleans stay: `tokens: 3` is an amount in this hub, and no secret is a number.
  const maybeSecret = typeof value === 'string' || (typeof value === 'object' && value !== null);
  if (maybeSecret && (secretName.test(name) || carriedNames.has(name))) return censored;
  return redactValue(value, depth + 1);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth > maxDepth) return '[too deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => redactValue(entry, depth + 1));
  return redactSecrets({ ...value }, depth);
}

/** The plain fields of an error and its causes, without secrets. Other values pass unchanged. */
export function redactError(error: unknown, depth = 0, causesLeft = maxCauses): unknown {
  if (!(error instanceof Error)) return error;
  const { message: _message, stack: _stack, cause, ...own } = error as Error & Record<string, unknown>;
  const message = redactMessage(error);
  return {
    type: error.constructor.name || error.name,
    message,
    stack: framesOf(error),
    ...redactSecrets(own, depth + 1),
    ...(cause instanceof Error && causesLeft > 0 ? { cause: redactError(cause, depth, causesLeft - 1) } : {}),
  };
}

/** The stack starts with the message, whose lines may look like frames. */
function framesOf({ stack = '', message }: Error): string {
  const at = stack.indexOf(message);
  if (at === -1) return '';
  return redactText(
    stack
      .slice(at + message.length)
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
  );
}

/** The message of an error, without the values that this kind of error repeats. */
export function redactMessage(error: Error): string {
  const { message } = error;
  if (quotesInput(error)) return message.replace(/["':][^]*$/, censored);
  // Drizzle appends the bound values to its messages.
  return redactText(message.replace(/\nparams: [^]*$/, `\nparams: ${censored}`));
}

/**
 * Whether the message quotes input: Postgres' data exceptions (class 22), and errors of JavaScript's parsers.
 */
function quotesInput(error: Error): boolean {
  if (error instanceof SyntaxError) return true;
  if ('code' in error && error.code === 'ERR_INVALID_URL') return true;
  return 'errno' in error && typeof error.errno === 'string' && error.errno.startsWith('22');
}

/** A quick test that nearly every text passes, before the slower ones. */
const suspicious = /hub_|whsec_|bearer|basic|:\/\//i;
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/\bhub_[0-9A-Za-z]{8,}/g, `hub_${censored}`],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, `whsec_${censored}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${censored}`],
  [/:\/\/[^\s/?#@"']*@/g, `://${censored}@`],
  // The query of a URL often holds a key.
  [/(?<=:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/g, `?${censored}`],
];

/** The text without bearer tokens, webhook secrets, and the users, passwords and queries of URLs. */
export function redactText(text: string): string {
  if (!suspicious.test(text)) return text;
  return secretPatterns.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}
