/**
 * Creates the body reader of an endpoint, which reads, parses and validates: JSON, forms, mail, and documents of up to
 * several megabytes, which a verb checks.
 */
import { requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { BearerCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { parseExactJson } from '#evals/own-suite/exact-json.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';
import type { ReadTurns } from '../access/read-turns.ts';
import type { Endpoint } from '../endpoint.ts';
import { object } from '../schemas/object.ts';
import type { Stages } from '../stages.ts';
import {
  defaultBodyMaxBytes,
  longBodyKeepsTurnMs,
  longBodyTimeoutMs,
  readBytes,
  readJson,
  requireNoEncoding,
} from './body.ts';
import { createParametersReader, createValidator } from './input.ts';

/** Endpoints without a body accept an empty object, because many clients send one. */
const noFields = object({});

interface ReadBody {
  /** Parsed and validated; null if there is none. */
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

export const noBody: ReadBody = { body: null, rawBody: new Uint8Array() };

/** After a body that took longer, the token is checked again, because the agent may have lost it in the meantime. */
const slowBodyMs = 500;

type BodyStages = Pick<Stages, 'largeBodyTurns'>;

/** @param agentCtx the context of the agent that sends the body; null if the endpoint requires none */
type BodyReader = (request: Request, agentCtx: BearerCtx | null) => Promise<ReadBody>;

/** @returns null if the method has no body */
export function createBodyReader(endpoint: Endpoint, stages: BodyStages): BodyReader | null {
  if (!takesBody(endpoint)) return null;
  if (endpoint.bodyFormat === 'form') return createFormReader(endpoint);
  if (endpoint.bodyFormat !== undefined) return createLargeReader(endpoint, stages);
  const optional = endpoint.body === undefined || endpoint.bodyOptional === true;
  const validator = createValidator(endpoint.body ?? noFields, 'invalid_body', 'The body');
  const maxBytes = endpoint.bodyMaxBytes ?? defaultBodyMaxBytes;
  const parse = endpoint.exactNumbers === true ? parseExactJson : JSON.parse;
  const openToSuspended = endpoint.openToSuspended === true;
  return async (request, agentCtx) => {
    const startedAt = performance.now();
    const rawBody = await readBytes(request, maxBytes);
    if (agentCtx !== null && performance.now() - startedAt > slowBodyMs)
      await requireValidToken(agentCtx, { openToSuspended });
    const body = readJson(request, rawBody, optional, parse);
    if (body === undefined) return noBody;
    validator.check(body);
    return { body: endpoint.body === undefined ? null : body, rawBody };
  };
}

/** @returns null if the endpoint reads no large bodies */
export function largeBodyTurnsOf({ bodyFormat }: Endpoint, stages: BodyStages): ReadTurns | null {
  return bodyFormat === undefined || bodyFormat === 'form' ? null : stages.largeBodyTurns[bodyFormat];
}

/** Also if the request does not say how long it is. */
export function isLargeBody(request: Request): boolean {
  return Number(request.headers.get('content-length') ?? Infinity) > defaultBodyMaxBytes;
}

/** Leaves the body unparsed. The domain verb rejects an empty one. */
function createLargeReader(endpoint: Endpoint, stages: BodyStages): BodyReader {
  const {
    bodyFormat,
    bodyTypes = [],
    openToSuspended = false,
    bodyMaxBytes = defaultBodyMaxBytes,
  } = endpoint;
  const turns = largeBodyTurnsOf(endpoint, stages);
  const limits = {
    timeoutMs: longBodyTimeoutMs,
    turn: { keptMs: longBodyKeepsTurnMs, isWaitedFor: () => turns?.isWaitedFor() === true },
  };
  return async (request, agentCtx) => {
    if (bodyFormat === 'mail') requireNoEncoding(request);
    else requireDocumentType(request, bodyTypes);
    const startedAt = performance.now();
    const rawBody = await readBytes(request, bodyMaxBytes, isLargeBody(request) ? limits : {});
    if (agentCtx !== null && performance.now() - startedAt > slowBodyMs)
      await requireValidToken(agentCtx, { openToSuspended });
    return { body: null, rawBody };
  };
}

const formType = /^application\/x-www-form-urlencoded *(;|$)/i;

/** Leaves the fields of a form of the site unparsed; those of OAuth have a schema. */
function createFormReader({ body: schema, bodyMaxBytes = defaultBodyMaxBytes }: Endpoint): BodyReader {
  const readFields = schema === undefined ? null : createParametersReader(schema, 'The form');
  return async (request) => {
    requireNoEncoding(request);
    if (!formType.test(request.headers.get('content-type') ?? '')) {
      throw new DomainError(
        'unsupported_media_type',
        'A form must be sent with the header `Content-Type: application/x-www-form-urlencoded`.',
      );
    }
    const rawBody = await readBytes(request, bodyMaxBytes);
    return { body: readFields === null ? null : readFields(new TextDecoder().decode(rawBody)), rawBody };
  };
}

/** Not DELETE: the meaning of a body on it is undefined (RFC 9110 section 9.3.5). */
export function takesBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

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
  try {
    return utf8.decode(rawBody);
  } catch (error) {
    throw new DomainError('invalid_body', 'The body is not valid UTF-8; encode the document in UTF-8.', {
      cause: error,
    });
  }
}

/** The format of a suite that an endpoint has accepted. */
export function documentFormatOf(request: Request): DocumentFormat {
  const type = typeOf(request);
  if (type === 'application/json') return 'json';
  // Forms send YAML, which JSON is too.
  return type === 'application/jsonl' ? 'jsonl' : 'yaml';
}
