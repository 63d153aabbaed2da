/**
 * Reads the bodies of requests: bounded in size and time, then parsed and validated. JSON is UTF-8, bounded in depth and
 * unambiguous. Mail, and documents of up to several megabytes, are left to a verb.
 */
import { requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { BearerCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { operation } from '#domain/operation.ts';
import { isDeeper, parseExactJson } from '#evals/own-suite/exact-json.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { HeldTurn, ReadTurns } from '../access/read-turns.ts';
import type { Endpoint } from '../endpoint.ts';
import { object } from '../schemas.ts';
import { createFormReader, createValidator } from './input.ts';

export const defaultBodyMaxBytes = 64 * 1024;
const bodyDepthMax = 32;
/** How long the whole body may take to arrive. */
const bodyTimeoutMs = 15_000;
/** The same for bodies of several megabytes. */
const longBodyTimeoutMs = 60_000;
/** After a body that took longer, the token is checked again, because the agent may have lost it in the meantime. */
const slowBodyMs = 500;
/** What is read from more takes its turn. */
const smallBytes = 4_096;
const shownNameMax = 60;

const utf8 = new TextDecoder('utf-8', { fatal: true });

interface ReadBody {
  /** Parsed and validated; null if there is none, or the endpoint reads `rawBody`. */
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

export const noBody: ReadBody = { body: null, rawBody: new Uint8Array() };

/**
 * @param agentCtx the context of the agent that sends the body; null if the endpoint requires none
 * @param turn of a large body
 */
type BodyReader = (request: Request, agentCtx: BearerCtx | null, turn: HeldTurn | null) => Promise<ReadBody>;

/** By the format of the body, for all endpoints together: a suite can be sent to several. */
export type LargeBodyTurns = Readonly<Record<'document' | 'mail', ReadTurns>>;

/** @returns null if the method has no body */
export function createBodyReader(endpoint: Endpoint): BodyReader | null {
  if (!takesBody(endpoint)) return null;
  const { openToSuspended = false, bodyMaxBytes = defaultBodyMaxBytes } = endpoint;
  const { requireType, parse } = formatOf(endpoint);
  return async (request, agentCtx, turn) => {
    requireType?.(request);
    const startedAt = performance.now();
    const limits = turn === null ? {} : { timeoutMs: longBodyTimeoutMs, turn };
    const rawBody = await readBytes(request, bodyMaxBytes, limits);
    if (agentCtx !== null && performance.now() - startedAt > slowBodyMs)
      await requireValidToken(agentCtx, { openToSuspended });
    return { body: parse === undefined ? null : parse(rawBody, request), rawBody };
  };
}

/** Not DELETE: the meaning of a body on it is undefined (RFC 9110 section 9.3.5). */
export function takesBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** @returns null if the endpoint reads no large bodies */
export function largeBodyTurnsOf({ bodyFormat }: Endpoint, turns: LargeBodyTurns): ReadTurns | null {
  return bodyFormat === undefined || bodyFormat === 'form' ? null : turns[bodyFormat];
}

/** Also if the request does not say how long it is. */
export function isLargeBody(request: Request): boolean {
  return Number(request.headers.get('content-length') ?? Infinity) > defaultBodyMaxBytes;
}

interface Format {
  /** Throws before the body is read. */
  readonly requireType?: (request: Request) => void;
  /** Omitted if the endpoint reads the bytes. */
  readonly parse?: (bytes: Uint8Array, request: Request) => unknown;
}

/** Endpoints without a body accept an empty object, because many clients send one. */
const noFields = object({});

function formatOf(endpoint: Endpoint): Format {
  const { bodyFormat, body: schema, bodyTypes = [] } = endpoint;
  if (bodyFormat === undefined) return { parse: jsonParser(endpoint) };
  switch (bodyFormat) {
    case 'form': {
      if (schema === undefined) return { requireType: requireForm };
      const read = createFormReader(schema);
      return { requireType: requireForm, parse: (bytes) => read(new TextDecoder().decode(bytes)) };
    }
    case 'document':
      return { requireType: (request) => requireDocumentType(request, bodyTypes) };
    case 'mail':
      return { requireType: requireNoEncoding };
  }
}

function jsonParser({ body: schema, bodyOptional, exactNumbers }: Endpoint): NonNullable<Format['parse']> {
  const validator = createValidator(schema ?? noFields, 'invalid_body', 'The body');
  const isOptional = schema === undefined || bodyOptional === true;
  const parse = exactNumbers === true ? parseExactJson : JSON.parse;
  return (bytes, request) => {
    if (bytes.byteLength === 0 && isOptional) return null;
    const body = readJson(request, bytes, parse);
    validator.check(body);
    return schema === undefined ? null : body;
  };
}

const formType = /^application\/x-www-form-urlencoded *(;|$)/i;

function requireForm(request: Request): void {
  requireNoEncoding(request);
  if (formType.test(request.headers.get('content-type') ?? '')) return;
  throw new DomainError(
    'unsupported_media_type',
    'A form must be sent with the header `Content-Type: application/x-www-form-urlencoded`.',
  );
}

/** Older names of the media types. */
const aliases: Readonly<Record<string, string>> = {
  'application/x-yaml': 'application/yaml',
  'text/yaml': 'application/yaml',
  'text/x-yaml': 'application/yaml',
  'application/x-ndjson': 'application/jsonl',
};

/** The media type of the body, without parameters. */
function typeOf(request: Request): string {
  const [given = ''] = (request.headers.get('content-type') ?? '').split(';');
  const type = given.trim().toLowerCase();
  return aliases[type] ?? type;
}

/**
 * @param types the media types that the endpoint accepts
 * @throws DomainError unsupported_media_type
 */
function requireDocumentType(request: Request, types: readonly string[]): void {
  requireNoEncoding(request);
  const charset = /;[\t ]*charset[\t ]*=[\t ]*"?([^";\s]*)/i.exec(
    request.headers.get('content-type') ?? '',
  )?.[1];
  if (types.includes(typeOf(request)) && (charset === undefined || /^utf-?8$/i.test(charset))) return;
  throw new DomainError(
    'unsupported_media_type',
    `The body must be text in UTF-8 with one of these types: ${types.join(', ')}.`,
    { hint: 'Send the header `Content-Type` with one of them.' },
  );
}

/** @throws DomainError invalid_body for text that is not UTF-8 */
export function readDocumentText(rawBody: Uint8Array): string {
  return decode(rawBody, 'document');
}

/** The format of a suite that an endpoint has accepted. */
export function documentFormatOf(request: Request): DocumentFormat {
  const type = typeOf(request);
  if (type === 'application/json') return 'json';
  // Forms send YAML, which JSON is too.
  return type === 'application/jsonl' ? 'jsonl' : 'yaml';
}

/** The rest of the body is not wanted any more, so the connection has to end with the response. */
export class AbandonedBody extends DomainError {}

interface ReadLimits {
  readonly timeoutMs?: number;
  readonly turn?: HeldTurn;
}

/**
 * Returns the complete raw body.
 * @throws DomainError body_too_large, or invalid_body if it is late or incomplete
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  limits: ReadLimits = {},
): Promise<Uint8Array> {
  const declared = request.headers.get('content-length');
  // HTTP/1.1 frames the body by this number, so the body cannot be longer.
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const reading = declared === null ? readChunks(request.body, maxBytes) : request.bytes();
  const bytes = await withinTime(reading, limits);
  if (bytes.byteLength > smallBytes) await takeTurn();
  return bytes;
}

async function readChunks(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws DomainError invalid_body if the body is late or the client disconnects */
async function withinTime(
  reading: Promise<Uint8Array>,
  { timeoutMs = bodyTimeoutMs, turn }: ReadLimits,
): Promise<Uint8Array> {
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(lateBody(timeoutMs)), timeoutMs);
  const look = (): void => {
    if (turn?.isWaitedFor() === true) reject(slowBody(turn));
  };
  const looking = turn === undefined ? undefined : setInterval(look, turn.keptMs);
  try {
    return await Promise.race([reading, abandoned]);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalidBody('The body is incomplete; send as many bytes as `Content-Length` says.', {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    clearInterval(looking);
  }
}

function lateBody(timeoutMs: number): AbandonedBody {
  return new AbandonedBody(
    'invalid_body',
    `The body did not arrive within ${timeoutMs / 1000} seconds; send it again without pauses.`,
  );
}

function slowBody({ keptMs }: HeldTurn): AbandonedBody {
  return new AbandonedBody('rate_limited', 'The body took too long to arrive while others were waiting.', {
    hint: 'Send it again without pauses.',
    retryAfterSeconds: keptMs / 1_000,
  });
}

const jsonType = /^application\/json[\t ]*(;[\t ]*charset[\t ]*=[\t ]*"?utf-8"?[\t ]*)?;?$/i;

/** @throws DomainError unsupported_media_type or invalid_body */
export function readJson(
  request: Request,
  bytes: Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  requireJsonType(request);
  if (bytes.byteLength === 0) throw invalidBody('The body is empty; it must be a JSON object.');
  const text = decode(bytes, 'JSON');
  const value = parsed(text, parse);
  requirePlainText(text);
  return value;
}

function requireJsonType(request: Request): void {
  requireNoEncoding(request);
  const type = request.headers.get('content-type');
  if (type !== null && jsonType.test(type.trim())) return;
  throw new DomainError(
    'unsupported_media_type',
    type === null
      ? 'A body requires the header `Content-Type: application/json`.'
      : 'The body must be JSON in UTF-8, sent with the header `Content-Type: application/json`.',
  );
}

/** Bodies are never decompressed: a few bytes could expand past every limit. */
export function requireNoEncoding(request: Request): void {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return;
  throw new DomainError(
    'unsupported_media_type',
    `The body must not be compressed or encoded; it has the header \`Content-Encoding: ${shorten(encoding)}\`.`,
    { hint: 'Send plain JSON without `Content-Encoding`.' },
  );
}

/**
 * @param text valid JSON
 * @throws DomainError invalid_body for what only JSON allows
 */
export function requirePlainText(text: string): void {
  const error = findJsonTextError(text, bodyDepthMax);
  if (error !== null) throw invalidBody(error);
}

/**
 * @param levelsAround those that carry the body
 * @throws DomainError invalid_body for a value that is too deep
 */
export function requireShallow(value: unknown, levelsAround: number): void {
  const depthMax = bodyDepthMax + levelsAround;
  if (isDeeper(value, depthMax)) throw invalidBody(tooDeep(depthMax));
}

function tooDeep(depthMax: number): string {
  return `The body must not nest objects and arrays deeper than ${depthMax} levels.`;
}

/** @param field of a value, such as `owner.bio`; null for a field name */
function badCharacter(field: string | null): string {
  return `${placeOf(field)} must not contain NUL or an unpaired surrogate.`;
}

function placeOf(field: string | null): string {
  if (field === null) return 'A field name';
  return field === '' ? 'The body' : `\`${shorten(field)}\``;
}

function shorten(name: string): string {
  return name.length > shownNameMax ? `${name.slice(0, shownNameMax).toWellFormed()}…` : name;
}

/** @param what the content, as its sender knows it */
function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw invalidBody(`The body is not valid UTF-8; encode the ${what} in UTF-8.`, { cause: error });
  }
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw invalidBody('The body is not valid JSON; check quotes, commas and brackets.', {
      ...(error instanceof SyntaxError ? { detail: error.message } : {}),
      cause: error,
    });
  }
}

export function tooLarge(maxBytes: number): DomainError {
  return new DomainError('body_too_large', `The body must be at most ${maxBytes} bytes long.`, {
    hint: `Send a smaller body. ${operation('getOpenapiJson')} lists the limit of each field.`,
  });
}

function invalidBody(message: string, extras: { detail?: string; cause?: unknown } = {}): DomainError {
  return new DomainError('invalid_body', message, extras);
}

/** An object or array that is still open. */
interface Level {
  /** The names seen so far; null in an array. */
  readonly names: Set<string> | null;
  /** The name of the current value. */
  field: string;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const blanks = ['\t', '\n', '\r', ' '];

/**
 * Says what is first wrong in a text that is valid JSON: what `JSON.parse` accepts and the hub rejects. Duplicate names
 * are ambiguous: `JSON.parse` keeps the last value, other parsers the first.
 * @param depthMax the maximum nesting of objects and arrays
 */
export function findJsonTextError(text: string, depthMax: number): string | null {
  const levels: Level[] = [];
  let content = '';
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case quote: {
        const end = endOfString(text, index);
        content = text.slice(index + 1, end);
        if (content.includes('\\')) content = unescape(content);
        if (content.includes('\0') || !content.isWellFormed()) {
          return badCharacter(isName(text, end + 1) ? null : fieldOf(levels));
        }
        index = end;
        break;
      }
      case colon: {
        const level = levels.at(-1);
        if (level?.names?.has(content) === true)
          return `The body has the field ${JSON.stringify(shorten(content))} twice in one object; send it once.`;
        level?.names?.add(content);
        if (level !== undefined) level.field = content;
        break;
      }
      case openBrace:
      case openBracket:
        if (levels.length >= depthMax) return tooDeep(depthMax);
        levels.push({ names: text.charCodeAt(index) === openBrace ? new Set() : null, field: '' });
        break;
      case closeBrace:
      case closeBracket:
        levels.pop();
        break;
    }
  }
  return null;
}

/** Whether the string that ends here is a field name. */
function isName(text: string, from: number): boolean {
  let index = from;
  while (blanks.includes(text.charAt(index))) index += 1;
  return text.charCodeAt(index) === colon;
}

function fieldOf(levels: readonly Level[]): string {
  return levels
    .filter(({ names }) => names !== null)
    .map(({ field }) => field)
    .join('.');
}

function unescape(escaped: string): string {
  return String(JSON.parse(`"${escaped}"`));
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== quote) {
    index += text.charCodeAt(index) === backslash ? 2 : 1;
  }
  return index;
}
