/**
 * Checks responses against the hub's OpenAPI document: status, headers, content type and body. It uses a JSON Schema
 * validator that shares no code with the hub's own. Records which documented responses the run has seen for
 * `test/conformance/after-full-run.ts`.
 */
import { appendFileSync } from 'node:fs';
import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Endpoint } from '#api/endpoint.ts';
import { buildOpenApiDocument } from '#api/openapi/document.ts';
import { hubEndpoints } from '#api/routes.ts';

/** A response that has been read completely. */
export interface GivenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, if it is JSON. */
  readonly body: unknown;
}

interface OpenApiHeader {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: { readonly type: string };
}

interface OpenApiResponse {
  readonly headers?: Readonly<Record<string, OpenApiHeader>>;
  readonly content?: Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
}

interface OpenApiSchema {
  /** For errors: the common body and the codes. */
  readonly allOf?: readonly [
    unknown,
    { readonly properties: { readonly error: { readonly enum: string[] } } },
  ];
}

interface OpenApiOperation {
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly headers: Readonly<Record<string, OpenApiHeader>> };
}

/**
 * Lists responses as `GET /v1/agents 200`, and errors with their code, as `POST /v1/threads 401
 * missing_token`.
 */
export function listDocumentedAnswers({ paths }: OpenApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const name = `${method.toUpperCase()} ${path} ${status}`;
        const codes = response.content?.['application/json']?.schema.allOf?.[1].properties.error.enum;
        return codes === undefined ? [name] : codes.map((code) => `${name} ${code}`);
      }),
    ),
  );
}

/** The document, as untyped JSON. */
export function documentOf(endpoints: readonly Endpoint[]): OpenApiDocument {
  const document = buildOpenApiDocument(endpoints, { baseUrl: 'https://hub.test', version: '0.0.0-test' });
  return JSON.parse(JSON.stringify(document));
}

/** A file that all processes of a run share. Without it, nothing is recorded. */
const seenFile = process.env['TEST_SEEN_ANSWERS'];
const seen = new Set<string>();
const known = new WeakMap<readonly Endpoint[], ReturnType<typeof createDocumentedAnswers>>();

/** @throws Error if the document does not allow the response */
export type HoldToDocument = (method: string, path: string, answer: GivenAnswer) => void;

/** @param endpoints responses of others than the hub's own are recorded only if their documents are equal */
export function holdToDocument(endpoints: readonly Endpoint[] = hubEndpoints): HoldToDocument {
  const identify = known.get(endpoints) ?? createDocumentedAnswers(endpoints);
  known.set(endpoints, identify);
  const isTheHubs =
    endpoints === hubEndpoints || Bun.deepEquals(documentOf(endpoints), documentOf(hubEndpoints));
  return (method, path, answer) => {
    const name = identify(method, path, answer);
    if (name === null || !isTheHubs || seen.has(name)) return;
    seen.add(name);
    // Appends of short lines are atomic across processes.
    if (seenFile !== undefined) appendFileSync(seenFile, `${name}\n`);
  };
}

/**
 * @returns what gives the name of a documented response, as in `listDocumentedAnswers`, or null if the path is not an
 * operation, and throws if the document does not allow the response
 */
function createDocumentedAnswers(endpoints: readonly Endpoint[]) {
  const document = documentOf(endpoints);
  const bodyFaultOf = createBodyCheck(document);
  const hidden = endpoints.filter((endpoint) => endpoint.hidden).map(({ path }) => templateOf(path));
  const routes = [...Object.keys(document.paths), ...hidden]
    // Literal paths precede parameters: `/v1/agents/me` before `/v1/agents/{handle}`.
    .toSorted((one, other) => (one.replaceAll('{', '\u{ffff}') < other.replaceAll('{', '\u{ffff}') ? -1 : 1))
    .map((path) => ({ path, pattern: patternOf(path), operations: document.paths[path] }));

  return (method: string, path: string, answer: GivenAnswer): string | null => {
    const fail = (fault: string): never => {
      const given = `${answer.status} ${answer.text.slice(0, 2000)}`;
      throw new Error(`${method} ${path} gave an answer outside of /openapi.json: ${fault}\n${given}`);
    };
    const route = routes.find(({ pattern }) => pattern.test(path));
    if (route !== undefined && route.operations === undefined) return null;
    if (route !== undefined && method === 'OPTIONS') {
      return answer.status === 204 ? null : fail('OPTIONS must return 204.');
    }
    const isHead = method === 'HEAD';
    const key = isHead ? 'get' : method.toLowerCase();
    const operation = route?.operations?.[key];
    if (route === undefined || operation === undefined) {
      const expected = route === undefined ? '404 not_found' : '405 method_not_allowed';
      const given = isHead ? `${answer.status}` : refusalOf(answer);
      if (expected.startsWith(given) || given === '429 rate_limited') return null;
      return fail(`no operation is here, so the response must be ${expected}.`);
    }
    const response = operation.responses[answer.status];
    if (response === undefined)
      return fail(`the status is not one of ${Object.keys(operation.responses).join(', ')}.`);
    const place = ['paths', route.path, key, 'responses', answer.status];
    const fault =
      headerFaultOf(document, response, answer.headers) ??
      contentTypeFaultOf(response, answer, isHead) ??
      (isHead ? null : bodyFaultOf(place, answer));
    if (fault !== null) return fail(fault);
    if (isHead) return null;
    return `${method} ${route.path} ${answer.status < 400 ? answer.status : refusalOf(answer)}`;
  };
}

function headerFaultOf(
  { components: { headers: shared } }: OpenApiDocument,
  response: OpenApiResponse,
  headers: Headers,
): string | null {
  if (!headers.has('x-request-id')) return 'the header X-Request-Id is missing.';
  const declaredHeaders = response.headers ?? {};
  for (const [name, declared] of Object.entries(declaredHeaders)) {
    const { required, schema } = declared.$ref === undefined ? declared : (shared[name] ?? {});
    const value = headers.get(name);
    if (value === null && required === true) return `the header ${name} is missing.`;
    if (value !== null && schema?.type === 'integer' && !/^\d+$/.test(value))
      return `${name} is not an integer.`;
  }
  const named = new Set(Object.keys(declaredHeaders).map((name) => name.toLowerCase()));
  const surplus = Object.keys(shared).filter((name) => headers.has(name) && !named.has(name.toLowerCase()));
  return surplus.length === 0 ? null : `the headers ${surplus.join(', ')} are not named.`;
}

function contentTypeFaultOf({ content }: OpenApiResponse, answer: GivenAnswer, isHead: boolean) {
  if (content === undefined) return answer.text === '' ? null : 'no body is named.';
  const mediaType = mediaTypeOf(answer);
  if (!(mediaType in content))
    return `the content type is ${mediaType}, not ${Object.keys(content).join(', ')}.`;
  return isHead && answer.text !== '' ? 'the answer to HEAD has a body.' : null;
}

function createBodyCheck(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, '/openapi.json');
  const compiled = new Map<string, ValidateFunction>();
  return (place: readonly (string | number)[], answer: GivenAnswer): string | null => {
    const mediaType = mediaTypeOf(answer);
    if (mediaType !== 'application/json') return null;
    const pointer = [...place, 'content', mediaType, 'schema'].map(pointerPart).join('/');
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `/openapi.json#/${pointer}` });
    compiled.set(pointer, validate);
    return validate(answer.body) ? null : `its body does not fit: ${ajv.errorsText(validate.errors)}.`;
  };
}

/** RFC 6901, percent-encoded for a fragment. */
function pointerPart(part: string | number): string {
  return encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'));
}

function mediaTypeOf({ headers }: GivenAnswer): string {
  return headers.get('content-type')?.split(';')[0] ?? '';
}

/** `404 not_found` */
function refusalOf({ status, body }: GivenAnswer): string {
  const code =
    typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : 'without a code';
  return `${status} ${code}`;
}

/** `/v1/agents/:handle` becomes `/v1/agents/{handle}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function patternOf(template: string): RegExp {
  const parts = template.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}$`);
}
