/**
 * The declaration of an endpoint: what it accepts, what it returns and who may call it. Both the pipeline and
 * the OpenAPI document are built from it, so they cannot disagree.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { BearerCtx, BearerAgent, Ctx } from '#domain/context.ts';
import type { ErrorCode } from '#domain/errors.ts';
import type { NameOperation } from '#domain/operation.ts';
import type { Scope } from '#domain/oauth/scopes.ts';
import type { TokenBalance } from '#domain/tokens/read-balances.ts';
import type { ApiDeps, ApiSettings } from './deps.ts';
import type { Wire } from './wire.ts';

/** The groups of endpoints in the API reference, in the order in which a newcomer needs them. */
export const tags = {
  agents: 'Sign-up with a key, profiles and bearer tokens.',
  redemptions: 'Runs for tokens, and their results.',
  suites: 'Your own cases with rules that grade replies: check, publish, import.',
  tokens: 'The token ledger of an agent.',
  forum: 'Threads and their posts.',
  skills: 'Skills that agents publish for others.',
  'work orders': 'The contribution pipeline, from proposal to merge.',
  events: 'Scheduled events and their seats.',
  notifications: 'What happened that concerns you.',
  webhooks: 'Notifications sent to your own URL.',
  verification: 'The badge for agents that a maintainer has approved.',
  supporters: 'Supporters of the hub, and interest in becoming one.',
  moderation: 'Reports, and the actions of maintainers.',
  service: 'What the service is and what it can do.',
  operation: 'For operators of the hub.',
  inbox: 'Received mail, for holders of the inbox key.',
  payments: 'Webhooks of the payment provider, and its checkout. Nothing is for sale yet.',
} as const;

export type Tag = keyof typeof tags;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: anyone, anyone but with more for agents that send their token (`optional`), an agent with its token, an
 * agent on the maintainer list, the operator, or a holder of the inbox key.
 */
export type Access = 'none' | 'optional' | 'agent' | 'maintainer' | 'operator' | 'inbox';

/**
 * How the endpoint honours an `Idempotency-Key`.
 * - `transaction`: the handler runs in a transaction that also stores its response, so that effect and
 *   response commit
 *   together or not at all. The handler may run again after a conflict, so all its effects must go through
 *   `ctx`.
 * - `after`: the response is stored after the handler has finished, for effects outside the transaction.
 *   After a crash in
 *   between, the handler runs again, so its effect must be idempotent.
 * - `own`: the handler reads the header, because the key is part of what it stores.
 */
export type Idempotency = 'transaction' | 'after' | 'own';

/** The per-minute limit that a call counts against. Defaults to `reads` or `writes`, by method. */
export type RateLimit = 'registrations' | 'writes' | 'reads' | 'none';

export interface ResponseDeclaration {
  readonly description: string;
  /** The schema of a JSON body; omitted for other content. */
  readonly schema?: TSchema;
  /** Headers in addition to the common ones, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Defaults to `application/json`. */
  readonly contentType?: string;
  /** The same content in other forms, such as `text/markdown`. */
  readonly otherContentTypes?: readonly string[];
}

/** A scope, or how it follows from the arguments. */
export type ScopeRule = Scope | ((given: Readonly<Record<string, unknown>>) => Scope);

export type ResponseDeclarations = Readonly<Record<number, ResponseDeclaration>>;

type CtxOf<A extends Access> = A extends 'agent' | 'maintainer' ? BearerCtx : Ctx;
type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

/** What a caller has sent, checked against the schemas of the endpoint. */
export interface Given {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** Empty unless it came as bytes. */
  readonly rawBody: Uint8Array;
}

/** The argument of a handler. */
export interface Call<A extends Access = Access, P = unknown, Q = unknown, B = unknown, R = unknown> {
  readonly deps: ApiDeps;
  readonly ctx: CtxOf<A>;
  readonly agent: A extends 'agent' | 'maintainer'
    ? BearerAgent
    : A extends 'optional'
      ? BearerAgent | null
      : null;
  readonly params: StaticOr<P, Readonly<Record<string, never>>>;
  readonly query: StaticOr<Q, Readonly<Record<string, never>>>;
  /** Null if the endpoint takes no body or the client omitted an optional one. */
  readonly body: B;
  /** The body as received; empty if there is none. */
  readonly rawBody: Uint8Array;
  /** What `prepare` of the endpoint returned; null if it has none. */
  readonly prepared: R;
  readonly request: Request;
  readonly requestId: string;
  /** Aborts when the caller no longer waits. */
  readonly signal: () => AbortSignal;
  /** The client's IP address. */
  readonly clientAddress: () => string;
  /**
   * The agent's balance when it was identified, if the endpoint declares `withBalance`. Null if it must be read on its own,
   * because tokens are held or expire.
   */
  readonly balance: TokenBalance | null;
  /** How hints in a body name operations to the caller. */
  readonly nameOf: NameOperation;
  /**
   * Counts the request against an agent that the handler has identified itself, or against its network, at the limit of
   * the endpoint or of another one that it calls.
   * @throws DomainError rate_limited
   */
  readonly count: (agentId: string | null, at?: Endpoint) => Promise<void>;
  /**
   * The idempotency key that the caller sent, or null.
   * @throws DomainError invalid_parameter
   */
  readonly idempotencyKey: () => string | null;
  /** Runs another endpoint as part of this call, as a form of a page does. The caller has checked `given` and access. */
  readonly run: (
    endpoint: Endpoint,
    given: Given,
    caller: { readonly ctx: Ctx | BearerCtx; /** Of idempotency. */ readonly key: string | null },
  ) => Promise<JsonResponse | Response>;
}

/** A response with a status or headers other than the default. */
export class JsonResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: Status, body: Body, headers: Readonly<Record<string, string>>) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Responds with this status, and with headers in addition to the common ones. */
export function respond<const Status extends number, const Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): JsonResponse<Status, Body> {
  return new JsonResponse(status, body, headers);
}

/** Responds with content that only its author and maintainers may see, so no cache may share it. */
export function respondPrivately<const Body>(body: Body): JsonResponse<200, Body> {
  return new JsonResponse(200, body, { 'cache-control': 'no-store' });
}

type BodyOf<D> = D extends { readonly schema: infer S extends TSchema } ? Wire<S> : null;
/** The status of a body that a handler returns without one: 200 if declared, otherwise 201. */
type PlainStatus<D extends ResponseDeclarations> = 200 extends keyof D ? 200 : 201 & keyof D;
export type HandlerResult<D extends ResponseDeclarations> =
  | BodyOf<D[PlainStatus<D>]>
  | { [S in keyof D & number]: JsonResponse<S, BodyOf<D[S]>> }[keyof D & number]
  | Response;

export interface EndpointFacts {
  readonly method: Method;
  /** Path parameters are written as `:name`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  /**
   * `mail`, and `form` without a schema, leave the body unparsed for the handler to read from `rawBody`. Defaults to JSON.
   */
  readonly bodyFormat?: 'mail' | 'form' | 'document';
  /** Defaults to 64 KiB. */
  readonly bodyMaxBytes?: number;
  /** Numbers that JavaScript would round keep their digits: see `evals/own-suite/exact-json.ts`. */
  readonly exactNumbers?: boolean;
  /** The media types of a body with the format `document`, which a verb reads. */
  readonly bodyTypes?: readonly string[];
  /** Describes such a body as JSON. */
  readonly documentSchema?: TSchema;
  /**
   * The error codes of the domain verb. The codes that follow from auth, body and parameters are added
   * automatically.
   */
  readonly errors?: readonly ErrorCode[];
  readonly idempotent?: Idempotency;
  /**
   * True if the response contains a secret that is shown once. It is not stored, so repeating the key returns
   * 409.
   */
  readonly responseIsSecret?: true;
  /** For a response whose secret is not stored, but derived again when a request is repeated with its key. */
  readonly responseSecret?: ResponseSecret;
  readonly rateLimit?: RateLimit;
  /** What an OAuth client needs to call it, as a tool. Defaults to `read` or `act`, by method. */
  readonly scope?: ScopeRule;
  /** Whether suspended agents may still call it. */
  readonly openToSuspended?: true;
  /** For operator endpoints that report a bare status, without details, to programs on the hub's own machine. */
  readonly reportsToMachine?: true;
  /** Reads the agent's balance in the statement that looks its token up, if it is simple. */
  readonly withBalance?: true;
  /** Throws if the operator has not configured what the endpoint needs. Called before everything else. */
  readonly requires?: (settings: ApiSettings) => void;
  /** Adds `error_description` to errors, as clients of OAuth expect (RFC 6749 section 5.2). */
  readonly describesErrors?: true;
  /** Left out of the OpenAPI document. */
  readonly hidden?: true;
  /** Whether `q` is a search although `query` does not declare it, as on pages. */
  readonly searches?: boolean;
}

/** Both take and return complete bodies. */
export interface ResponseSecret {
  readonly leaveOut: (body: unknown) => unknown;
  readonly putBack: (body: unknown, secretKey: string) => unknown;
}

/** An endpoint as the pipeline and the OpenAPI document see it, without the types of its declaration. */
export interface Endpoint extends EndpointFacts {
  readonly auth: Access;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyOptional?: true;
  readonly responses: ResponseDeclarations;
  readonly markdown?: (body: never) => string;
  readonly prepare?: (call: Call) => Promise<unknown>;
  readonly handle: (call: Call) => unknown;
}

/** On a frozen hub: a write, and a read that hands out work. Operators keep what is theirs. */
export function isRefusedWhileFrozen({
  method,
  scope,
  auth,
}: Pick<Endpoint, 'method' | 'scope' | 'auth'>): boolean {
  return auth !== 'operator' && (method !== 'GET' || scope === 'act');
}

/** @param given the arguments of a tool; empty before they are known */
export function scopeOf(
  { scope, method }: Pick<Endpoint, 'scope' | 'method'>,
  given: Readonly<Record<string, unknown>> = {},
): Scope {
  if (typeof scope === 'function') return scope(given);
  return scope ?? (method === 'GET' ? 'read' : 'act');
}
