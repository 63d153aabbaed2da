/**
 * The Model Context Protocol over streamable HTTP, stateless, at `/mcp`. Tools run through the pipelines of their endpoints
 * in this process, so that checks, limits, idempotency and the log are the same as over HTTP.
 */
import type { Elysia } from 'elysia';
import { DomainError } from '#domain/errors.ts';
import { type McpPath, resourceMetadataUrl } from '#domain/oauth/resources.ts';
import { allScopes, type Scope, scopeText } from '#domain/oauth/scopes.ts';
import { longNumber, parseExactJson } from '#evals/own-suite/exact-json.ts';
import { othersTurn } from '#runtime/loop-turns.ts';
import { createAuthenticate, insufficientScope } from '../access/authenticate.ts';
import { type Endpoint, scopeOf } from '../endpoint.ts';
import { toDomainError } from '../errors/to-domain-error.ts';
import type { Stages } from '../pipeline.ts';
import { readBytes, requireShallow } from '../request/body.ts';
import { askedBaseUrl, requestIdOf } from '../request/input.ts';
import { logRequest } from '../request/request-log.ts';
import { errorResponse } from '../response/responses.ts';
import { hubSurface } from '../routes.ts';
import { respondToOptions } from '../unserved-requests.ts';
import type { createMcp, Reach } from './mcp-servers.ts';

/** Larger than any body of a tool's endpoint. */
const messageMaxBytes = 512 * 1024;

/** The addresses of MCP, with the path by which each is served. */
const mcpRoutes = {
  '/mcp': '/mcp',
  // Hosts may add a slash.
  '/mcp/': '/mcp',
  '/mcp/me': '/mcp/me',
} as const satisfies Record<string, McpPath>;

export function isMcpPath(path: string): boolean {
  return path in mcpRoutes;
}

const mcpMethods = ['GET', 'POST', 'DELETE'] as const;

/** The library refuses the methods that it does not serve. It is loaded with the first message. */
export function addMcp(app: Elysia, shared: Stages): void {
  // Only here may OAuth clients act.
  const stages = { ...shared, authenticate: createAuthenticate(shared.deps, 'mcp') };
  let loading: Promise<Mcp> | undefined;
  const load = (): Promise<Mcp> =>
    (loading ??= import('./mcp-servers.ts').then((library) =>
      library.createMcp(stages, hubSurface, messageMaxBytes),
    ));
  for (const [path, served] of Object.entries(mcpRoutes)) {
    const serve = createServe(stages, served, load);
    for (const method of mcpMethods)
      app.route(method, path, ({ request }) => serve(request), { parse: 'none' });
    app.route('OPTIONS', path, ({ request }) =>
      respondToOptions(request, [...mcpMethods, 'OPTIONS'].join(', '), stages),
    );
  }
}

type Mcp = ReturnType<typeof createMcp>;

function createServe(
  stages: Stages,
  path: McpPath,
  load: () => Promise<Mcp>,
): (request: Request) => Promise<Response> {
  const { deps, cors, countUnserved } = stages;
  const gate = createGate(stages, path);
  return async (request) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    let response: Response;
    let failure: DomainError | null = null;
    let isCounted = false;
    let session: Readonly<Record<string, string>> = {};
    try {
      const mcp = await load();
      const refused = mcp.refuse(request);
      if (refused !== undefined) {
        await countUnserved(request);
        response = refused;
      } else {
        const message = await readMessage(request).catch(async (error: unknown) => {
          await countUnserved(request);
          throw error;
        });
        const faulty = refuseArguments(message);
        const { method, params } = fieldsOf(message);
        const turnedAway = await gate(request, mcp.reachOf({ method, params: fieldsOf(params) }));
        const isCall = turnedAway === null && callMethods.has(method);
        if (!isCall) await countUnserved(request);
        if (turnedAway !== null) {
          failure = turnedAway.error;
          response = errorResponse(failure, { requestId, challenge: turnedAway.challenge });
        } else {
          session = sessionOf(mcp, message);
          response = faulty ?? (await mcp.fetch(request, message));
          // The library calls the handler of a message after it has begun to respond, but in the same turn.
          if (isCall && !mcp.hasReached(request)) await othersTurn();
          isCounted = isCall && mcp.hasReached(request);
          if (isCall && !isCounted) await countUnserved(request);
        }
      }
    } catch (error) {
      failure = toDomainError(error);
      response = errorResponse(failure, { requestId });
    }
    const answered = new Response(response.body, response);
    answered.headers.set('x-request-id', requestId);
    answered.headers.set('x-content-type-options', 'nosniff');
    for (const [name, value] of Object.entries(session)) answered.headers.set(name, value);
    cors?.allow(request, answered);
    if (!isCounted) {
      const { method } = request;
      const { status } = answered;
      logRequest(deps.logger, {
        cause: { requestId },
        method,
        route: path,
        status,
        startedAt,
        error: failure,
        unlimited: true,
      });
    }
    return answered;
  };
}

function sessionOf({ sessionHeaders }: Mcp, message: unknown): Readonly<Record<string, string>> {
  const { method, params } = fieldsOf(message);
  return method === 'initialize' ? sessionHeaders(fieldsOf(params)['clientInfo']) : {};
}

/** A message that was turned away. */
interface Refusal {
  readonly error: DomainError;
  /** For `WWW-Authenticate`. */
  readonly challenge: string;
}

type Gate = (request: Request, reach: Reach) => Promise<Refusal | null>;

/**
 * Rejects messages that need a token or a scope, with a status and a challenge, so that hosts start OAuth. A result with
 * an error would only reach the model. The pipelines of the endpoints check everything again.
 * @param path the address for which a client asks for a token
 */
function createGate({ authenticate, deps }: Stages, path: McpPath): Gate {
  const isClosed = path === '/mcp/me';
  return async (request, { endpoints, given }) => {
    const scopes = endpoints.filter(isPrivate).map((endpoint) => scopeOf(endpoint, given));
    const needed = allScopes.filter((scope) => scopes.includes(scope));
    if (!isClosed && needed.length === 0) return null;
    try {
      // The endpoint refuses suspended agents, with its own message.
      const options = { openToSuspended: true, withBalance: false, scope: null };
      const { scopes: granted } = await authenticate(request, options);
      const missing = needed.find((scope) => granted?.includes(scope) === false);
      if (missing === undefined || granted === null) return null;
      // With those that it has: a host asks for exactly these, and its new token replaces the old one.
      const wanted = allScopes.filter((scope) => granted.includes(scope) || needed.includes(scope));
      return {
        error: insufficientScope(missing),
        challenge: challengeWith(request, 'insufficient_scope', wanted),
      };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // With every scope: many hosts ask their owner once, and cannot add a scope to a grant that they can refresh.
      return { error, challenge: challengeWith(request, 'invalid_token', allScopes) };
    }
  };

  function challengeWith(request: Request, error: string, scopes: readonly Scope[]): string {
    const metadataUrl = resourceMetadataUrl(askedBaseUrl(deps.rules.baseUrl, request), path);
    return `Bearer error="${error}", scope="${scopeText(scopes)}", resource_metadata="${metadataUrl}"`;
  }
}

function isPrivate({ auth }: Endpoint): boolean {
  return auth === 'agent' || auth === 'maintainer';
}

const streamedTypes = ['application/json', 'text/event-stream'];

/**
 * The library compares the header `Accept` as text, and answers in either form. A copy of the request would have no peer,
 * so that all callers would share one limit.
 *
 * @throws DomainError invalid_parameter if the client does not take both
 */
function acceptBoth({ headers }: Request): void {
  const accepted = (headers.get('accept') ?? '')
    .split(',')
    .map((type) => type.split(';')[0]?.trim().toLowerCase() ?? '');
  const takes = (type: string) =>
    ['*/*', type, `${type.slice(0, type.indexOf('/'))}/*`].some((one) => accepted.includes(one));
  if (!streamedTypes.every(takes)) {
    throw new DomainError('invalid_parameter', 'The header `Accept` must name both forms of a response.', {
      hint: `Send \`Accept: ${streamedTypes.join(', ')}\`, or \`*/*\`.`,
    });
  }
  headers.set('accept', streamedTypes.join(', '));
}

/**
 * Undefined if the handler should read the body, or if there is none.
 * @throws DomainError invalid_parameter for other forms of responses, invalid_body for a batch and for a message that is
 * too deep
 */
async function readMessage(request: Request): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  acceptBoth(request);
  return parseMessage(await readBytes(request, messageMaxBytes));
}

/** A message and its `params`, whose `arguments` are the body of an endpoint. */
const messageLevels = 2;

function parseMessage(bytes: Uint8Array): unknown {
  let text: string;
  let message: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    message = JSON.parse(text);
  } catch {
    return null; // Not a message: the handler refuses it.
  }
  // The library would still take it, and a list of tools is a hundred times as long as the message that asks for it.
  if (Array.isArray(message))
    throw new DomainError('invalid_body', 'The protocol has no batches since 2025-06-18.', {
      hint: 'Send each message in a request of its own.',
    });
  // Before anything walks the message: to write deep values as JSON takes the square of their depth.
  requireShallow(message, messageLevels);
  return longNumber.test(text) ? withExactArguments(message, parseExactJson(text)) : message;
}

/** Only the arguments of tools: the protocol has numbers of its own, such as ids. */
function withExactArguments(message: unknown, exact: unknown): unknown {
  const { method, params } = fieldsOf(message);
  if (method !== 'tools/call' || !isObject(message)) return message;
  return { ...message, params: { ...fieldsOf(params), ...argumentsIn(fieldsOf(exact)['params']) } };
}

function argumentsIn(params: unknown): object {
  const { arguments: given } = fieldsOf(params);
  return given === undefined ? {} : { arguments: given };
}

/** Methods whose messages reach an endpoint, unless the library refuses or ignores them. */
const callMethods: ReadonlySet<unknown> = new Set(['tools/call', 'resources/read', 'completion/complete']);

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const invalidParams = -32_602;

/** The library would return its schema. @returns null if the arguments are an object, or the message has none */
function refuseArguments(message: unknown): Response | null {
  const { method, id = null, params } = fieldsOf(message);
  const { arguments: given } = fieldsOf(params);
  if (method !== 'tools/call' || given === undefined || isObject(given)) return null;
  const text =
    'The `arguments` of tools/call must be a JSON object with the arguments by name, such as {"limit": 1}; a string or a list is not accepted.';
  return Response.json({ jsonrpc: '2.0', id, error: { code: invalidParams, message: text } });
}
