/** Creates the body reader of an endpoint, which reads, parses and validates. */
import { claimantOf } from '#domain/agents/find-agent.ts';
import { requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { BearerCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { parseExactJson } from '#evals/own-suite/exact-json.ts';
import type { Claimant } from '#runtime/turns/turn-order.ts';
import { object } from '../schemas/object.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import { defaultBodyMaxBytes, longBodyTimeoutMs, readBytes, readJson, requireNoEncoding } from './body.ts';
import type { LongBodies } from './long-bodies.ts';
import { requireDocumentType } from './document-body.ts';
import { createParametersReader } from './oauth-parameters.ts';
import { createValidator } from './validator.ts';

/** Endpoints without a body accept an empty object, because many clients send one. */
const noFields = object({});

export interface ReadBody {
  /** Parsed and validated; null if there is none. */
  readonly body: unknown;
  readonly rawBody: Uint8Array;
}

export const noBody: ReadBody = { body: null, rawBody: new Uint8Array() };

/** After a body that took longer, the token is checked again, because the agent may have lost it in the meantime. */
const slowBodyMs = 500;

type BodyStages = Pick<Stages, 'longEmails' | 'longDocuments'> & {
  readonly deps: Pick<Stages['deps'], 'suiteChecker'>;
};

/** @param agentCtx the context of the agent that sends the body; null if the endpoint requires none */
export type BodyReader = (request: Request, agentCtx: BearerCtx | null) => Promise<ReadBody>;

/** @returns null if the method has no body */
export function createBodyReader(endpoint: Endpoint, stages: BodyStages): BodyReader | null {
  if (!takesBody(endpoint)) return null;
  if (endpoint.bodyFormat === 'mail') return createMailReader(endpoint, stages.longEmails);
  if (endpoint.bodyFormat === 'form') return createFormReader(endpoint);
  if (endpoint.bodyFormat === 'document') return createDocumentReader(endpoint, stages);
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

/** Leaves the body unparsed. The domain verb rejects an empty one. */
function createLongReader(
  { bodyMaxBytes = defaultBodyMaxBytes }: Endpoint,
  longBodies: LongBodies,
): (request: Request, claimant: Claimant | null) => Promise<Uint8Array> {
  return async (request, claimant) => {
    if (lengthOf(request) <= defaultBodyMaxBytes) return await readBytes(request, bodyMaxBytes);
    const limits = { timeoutMs: longBodyTimeoutMs };
    return await longBodies.read(claimant, (signal) =>
      readBytes(request, bodyMaxBytes, { ...limits, signal }),
    );
  };
}

/** Infinity if the request does not say it. */
function lengthOf(request: Request): number {
  return Number(request.headers.get('content-length') ?? Infinity);
}

function createMailReader(endpoint: Endpoint, longBodies: LongBodies): BodyReader {
  const read = createLongReader(endpoint, longBodies);
  return async (request) => {
    requireNoEncoding(request);
    return { body: null, rawBody: await read(request, null) };
  };
}

/** A document that the hub has no room to check is not read: many of them would fill its memory. */
function createDocumentReader(
  endpoint: Endpoint,
  { longDocuments, deps: { suiteChecker } }: BodyStages,
): BodyReader {
  const { bodyTypes = [], openToSuspended = false, bodyMaxBytes = defaultBodyMaxBytes } = endpoint;
  const read = createLongReader(endpoint, longDocuments);
  return async (request, agentCtx) => {
    requireDocumentType(request, bodyTypes);
    const length = Math.min(lengthOf(request), bodyMaxBytes);
    if (agentCtx !== null && length > defaultBodyMaxBytes) suiteChecker.requireRoom(agentCtx.agent, length);
    const startedAt = performance.now();
    const rawBody = await read(request, agentCtx === null ? null : claimantOf(agentCtx.agent));
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
