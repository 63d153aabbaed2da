/** Sends one drawn request to the hub and checks the response. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { HoldToDocument } from '#test/harness/documented-answers.ts';
import type { Access, Operation } from '#test/harness/operations.ts';
import type { FuzzHub } from './fuzz-hub.ts';
import type { KnownThings } from './placeholders.ts';
import type { Caller, FuzzRequest } from './requests.ts';

export interface FuzzContext {
  readonly hub: Pick<FuzzHub, 'url' | 'credentials'>;
  readonly known: KnownThings;
  readonly holdToDocument: HoldToDocument;
}

export interface Outcome {
  readonly status: number;
  /** Null if the response is correct. */
  readonly fault: string | null;
  /** For a replay. */
  readonly sent: { readonly path: string; readonly body: FuzzRequest['body'] };
}

/** Longer than a request may ask the hub to wait. */
const answerTimeoutMs = 40_000;

export async function sendRequest(context: FuzzContext, request: FuzzRequest): Promise<Outcome> {
  const { known } = context;
  const { url, credentials } = context.hub;
  const query = request.query === '' ? '' : `?${known.fillIn(request.query, request.path)}`;
  const path = known.fillIn(request.path, request.path) + query;
  const canHaveBody = request.method !== 'GET' && request.method !== 'HEAD';
  const body = typeof request.body === 'string' ? known.fillIn(request.body, request.path) : request.body;
  const credential = credentials[request.caller];
  const response = await fetch(url + path, {
    method: request.method,
    redirect: 'manual',
    signal: AbortSignal.timeout(answerTimeoutMs),
    body: canHaveBody ? body : null,
    headers: {
      ...request.headers,
      ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
    },
  });
  const answer = { status: response.status, headers: response.headers, ...(await readBody(response)) };
  known.learn(answer.body, request.path);
  const fault =
    documentFaultOf(context, request.method, new URL(url + path).pathname, answer) ??
    accessFaultOf(request, answer.status) ??
    acceptanceFaultOf(request, body, answer.status);
  return { status: answer.status, fault, sent: { path, body } };
}

async function readBody(response: Response): Promise<{ text: string; body: unknown }> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    // The stream ends with its job.
    await response.body?.cancel();
    return { text: '', body: null };
  }
  const text = await response.text();
  return { text, body: text !== '' && type.startsWith('application/json') ? JSON.parse(text) : null };
}

function documentFaultOf(
  { holdToDocument }: FuzzContext,
  method: string,
  path: string,
  answer: Parameters<HoldToDocument>[2],
): string | null {
  if (answer.status >= 500) return `The response is a ${answer.status}: ${answer.text}`;
  try {
    holdToDocument(method, path, answer);
    return null;
  } catch (error) {
    return String(error);
  }
}

const admitted: Readonly<Record<Access, readonly Caller[]>> = {
  none: [],
  agent: ['agent', 'other', 'maintainer'],
  maintainer: ['maintainer'],
  operator: ['operator'],
  inbox: ['inbox'],
};

function accessFaultOf({ operation, method, path, caller }: FuzzRequest, status: number): string | null {
  // A modified path or another method may reach another operation.
  const reached = method === operation.method && !/%2e|(^|\/)\.{1,2}(\/|$)/i.test(path);
  // Programs on the machine of the hub get the bare status.
  if (/^\/(?:livez|readyz)\b/.test(path)) return null;
  if (!reached || operation.access === 'none' || admitted[operation.access].includes(caller)) return null;
  return status < 400 ? `It succeeds for ${caller}, though it is only for ${operation.access}.` : null;
}

const ajv = formats.default(new Ajv2020({ strict: false }));
const validators = new WeakMap<Operation, ValidateFunction>();

/** Reports what is wrong with its body, so it succeeds with any. */
const checksItsBody = '/v1/suites/check';

/** A body that the document forbids must be refused. */
function acceptanceFaultOf(
  { operation, method }: FuzzRequest,
  body: FuzzRequest['body'],
  status: number,
): string | null {
  if (operation.body === null || method !== operation.method || status >= 300) return null;
  if (operation.path === checksItsBody) return null;
  const validate = validators.get(operation) ?? ajv.compile(operation.body);
  validators.set(operation, validate);
  // A byte order mark is allowed but not part of the JSON (RFC 8259, section 8.1).
  const text = new TextDecoder().decode(Buffer.from(body ?? ''));
  if (text === '') return operation.bodyRequired ? 'It succeeds without the required body.' : null;
  if (validate(JSON.parse(text))) return null;
  return `It succeeds with a body that the document does not allow: ${ajv.errorsText(validate.errors)}.`;
}
