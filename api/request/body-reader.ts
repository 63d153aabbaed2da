/** Makes the body reader of an endpoint: read, parse, check, in that order, by what the endpoint declares. */
import { DomainError } from '#domain/errors.ts';
import { object } from '../schemas/object.ts';
import type { Endpoint } from '../endpoint.ts';
import { defaultBodyMaxBytes, longBodyTimeoutMs, readBytes, readJson, requireNoEncoding } from './body.ts';
import { compileValidator } from './validator.ts';

/** Where no body is declared, an empty object may still be sent, as many clients do. */
const noFields = object({});

export interface ReadBody {
  /** Parsed and checked; null when there is none. */
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

export const noBody: ReadBody = { body: null, rawBody: new Uint8Array() };

/** @returns null when the method has no body, so that there is nothing to read */
export function createBodyReader(endpoint: Endpoint): ((request: Request) => Promise<ReadBody>) | null {
  if (!takesBody(endpoint)) return null;
  if (endpoint.bodyFormat === 'mail') return createMailReader(endpoint);
  const optional = endpoint.body === undefined || endpoint.bodyOptional === true;
  const validator = compileValidator(endpoint.body ?? noFields, 'invalid_body', 'The body');
  const maxBytes = endpoint.bodyMaxBytes ?? defaultBodyMaxBytes;
  return async (request) => {
    const rawBody = await readBytes(request, maxBytes);
    const body = readJson(request, rawBody, optional);
    if (body === undefined) return noBody;
    validator.check(body);
    return { body: endpoint.body === undefined ? null : body, rawBody };
  };
}

/**
 * Long mails that are read at once. Who sends one is known only when all of it is there, so that without a bound strangers
 * could fill the memory with mails that never end.
 */
const concurrentLongMailsMax = 16;
const retryAfterSeconds = 5;

/** Leaves the body as it came. An empty one is told from a mail by the verb. */
function createMailReader({
  bodyMaxBytes = defaultBodyMaxBytes,
}: Endpoint): (request: Request) => Promise<ReadBody> {
  let longMails = 0;
  return async (request) => {
    requireNoEncoding(request);
    const isLong = Number(request.headers.get('content-length') ?? Infinity) > defaultBodyMaxBytes;
    if (isLong && longMails >= concurrentLongMailsMax) throw tooManyMails();
    longMails += isLong ? 1 : 0;
    try {
      return { body: null, rawBody: await readBytes(request, bodyMaxBytes, longBodyTimeoutMs) };
    } finally {
      longMails -= isLong ? 1 : 0;
    }
  };
}

function tooManyMails(): DomainError {
  return new DomainError('rate_limited', `${concurrentLongMailsMax} long mails are coming in just now.`, {
    hint: 'Wait as many seconds as `Retry-After` says, then send the mail again.',
    retryAfterSeconds,
  });
}

/** DELETE carries none here: what a body on it means is undefined (RFC 9110 section 9.3.5). */
export function takesBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}
