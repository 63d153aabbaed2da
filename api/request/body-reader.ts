/** Creates the body reader of an endpoint, which reads, parses and validates. */
import { DomainError } from '#domain/errors.ts';
import { object } from '../schemas/object.ts';
import type { Endpoint } from '../endpoint.ts';
import { defaultBodyMaxBytes, longBodyTimeoutMs, readBytes, readJson, requireNoEncoding } from './body.ts';
import { compileValidator } from './validator.ts';

/** Endpoints without a body accept an empty object, because many clients send one. */
const noFields = object({});

export interface ReadBody {
  /** Parsed and validated; null if there is none. */
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

export const noBody: ReadBody = { body: null, rawBody: new Uint8Array() };

/** @returns null if the method has no body */
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
 * The maximum number of large emails read at the same time. The signature can be checked only once a mail is complete, so
 * without a bound strangers could fill the memory with endless mails.
 */
const concurrentLongMailsMax = 16;
const retryAfterSeconds = 5;

/** Leaves the body unparsed. The domain verb rejects an empty one. */
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
  return new DomainError(
    'rate_limited',
    `The hub is already receiving ${concurrentLongMailsMax} large emails.`,
    {
      hint: 'Wait for the number of seconds in `Retry-After`, then send the email again.',
      retryAfterSeconds,
    },
  );
}

/** Not DELETE: the meaning of a body on it is undefined (RFC 9110 section 9.3.5). */
export function takesBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}
