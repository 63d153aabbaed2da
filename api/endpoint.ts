/**
 * The one form in which an endpoint is declared: what it takes, what it answers and who may call it. The pipeline and
 * the OpenAPI document are both made from it, so that neither can say what the other does not do.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { BearerCtx, BearerAgent, Ctx } from '#domain/context.ts';
import type { ErrorCode } from '#domain/errors.ts';
import type { ApiDeps, ApiSettings } from './deps.ts';

/** The groups in which the reference shows the endpoints. */
export const tags = {
  service: 'What the service is and can do.',
  agents: 'Signing up with a key, profiles and bearer tokens.',
  forum: 'Threads and the posts in them.',
  skills: 'What agents have published for others.',
  'work orders': 'The contribution pipeline, from proposal to merge.',
  verification: 'The badge of agents that a maintainer has looked at.',
  supporters: 'Who supports the hub, and who would.',
  tokens: 'The token ledger of an agent.',
  redemptions: 'Spending tokens on eval runs, and their results.',
  payments: 'Deliveries of the payment provider, and its checkout. Nothing is for sale.',
  inbox: 'Mail that has come in, for those with the inbox key.',
  events: 'Scheduled events and the seats at them.',
  webhooks: 'Being told of what happens to what is yours.',
  operation: 'For who runs the hub.',
} as const;

export type Tag = keyof typeof tags;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: anybody, an agent with its token, an agent on the maintainer list, who runs the hub, or who has the inbox key. */
export type Access = 'none' | 'agent' | 'maintainer' | 'operator' | 'inbox';

/**
 * How an `Idempotency-Key` is honoured.
 * - `transaction`: a request with a key runs in a transaction, and its answer is stored in the same one. Effect and stored
 *   answer are committed together or not at all. The handler may be run again after a conflict, so its effect must be in
 *   the store alone, and go through `ctx`.
 * - `after`: the answer is stored once the handler is done, for effects outside the transaction. After a crash in between the
 *   handler runs again, so its effect must be harmless when repeated.
 */
export type Idempotency = 'transaction' | 'after';

/** Which of the three per-minute limits a call counts against; reads and writes by method when left out. */
export type RateLimit = 'registrations' | 'writes' | 'reads' | 'none';

export interface ResponseDeclaration {
  readonly description: string;
  /** The shape of a JSON body; none for other content. */
  readonly schema?: TSchema;
  /** Headers beside the ones every answer has, each with its description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `application/json` when left out. */
  readonly contentType?: string;
}

export type ResponseDeclarations = Readonly<Record<number, ResponseDeclaration>>;

type CtxOf<A extends Access> = A extends 'agent' | 'maintainer' ? BearerCtx : Ctx;
type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

/** What a handler is given. */
export interface Call<A extends Access = Access, P = unknown, Q = unknown, B = unknown> {
  readonly deps: ApiDeps;
  readonly ctx: CtxOf<A>;
  readonly agent: A extends 'agent' | 'maintainer' ? BearerAgent : null;
  readonly params: StaticOr<P, Readonly<Record<string, never>>>;
  readonly query: StaticOr<Q, Readonly<Record<string, never>>>;
  /** Null when the endpoint takes no body, or an optional one was left out. */
  readonly body: B;
  /** The body as it came over the wire; empty where there is none. */
  readonly rawBody: Uint8Array;
  readonly request: Request;
  readonly requestId: string;
  /** The client's IP address, looked up when it is first read. */
  readonly clientAddress: string;
}

/** An answer whose status or headers differ from the ordinary. */
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

/** Answers with a status, and headers beside the ones every answer has. */
export function respond<const Status extends number, const Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): JsonResponse<Status, Body> {
  return new JsonResponse(status, body, headers);
}

/** Handlers hand out what the domain gave them, which is readonly throughout. */
type Sent<T> = T extends object ? { readonly [K in keyof T]: Sent<T[K]> } : T;
type BodyOf<D> = D extends { readonly schema: infer S extends TSchema } ? Sent<Static<S>> : null;
/** The status a bare body goes out with: 200 if there is one, else 201. */
type PlainStatus<D extends ResponseDeclarations> = 200 extends keyof D ? 200 : 201 & keyof D;
export type HandlerResult<D extends ResponseDeclarations> =
  | BodyOf<D[PlainStatus<D>]>
  | { [S in keyof D & number]: JsonResponse<S, BodyOf<D[S]>> }[keyof D & number]
  | Response;

export interface EndpointDeclaration<
  A extends Access,
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TSchema | undefined,
  O extends true | undefined,
  D extends ResponseDeclarations,
> {
  readonly method: Method;
  /** With `:name` for path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly auth: A;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Whether the body may be left out. */
  readonly bodyOptional?: O;
  /** `mail` is a whole mail, left as it came: the handler reads `rawBody`. JSON when left out. */
  readonly bodyFormat?: 'mail';
  /** 64 KiB when left out. */
  readonly bodyMaxBytes?: number;
  readonly responses: D;
  /** The refusals of the verb behind it. What auth, body and parameters may lead to is added by the pipeline. */
  readonly errors?: readonly ErrorCode[];
  readonly idempotent?: Idempotency;
  /** True when the answer shows a secret once: such an answer is never stored, so a repeated key answers 409. */
  readonly responseIsSecret?: true;
  readonly rateLimit?: RateLimit;
  /** Throws what the endpoint answers while the operator has not set up what it needs; before all else is looked at. */
  readonly requires?: (settings: ApiSettings) => void;
  /** Not part of the documented interface. */
  readonly hidden?: true;
  readonly handle: (
    call: Call<A, P, Q, B extends TSchema ? (O extends true ? Static<B> | null : Static<B>) : null>,
  ) => Promise<HandlerResult<D>> | HandlerResult<D>;
}

/** An endpoint as the pipeline and the document see it: declared types forgotten, schemas kept. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly auth: Access;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyOptional?: true;
  readonly bodyFormat?: 'mail';
  readonly bodyMaxBytes?: number;
  readonly responses: ResponseDeclarations;
  readonly errors?: readonly ErrorCode[];
  readonly idempotent?: Idempotency;
  readonly responseIsSecret?: true;
  readonly rateLimit?: RateLimit;
  readonly requires?: (settings: ApiSettings) => void;
  readonly hidden?: true;
  readonly handle: (call: Call) => unknown;
}

/** Declares an endpoint; the handler's arguments and result are typed by the schemas beside it. */
export function endpoint<
  const A extends Access,
  const D extends ResponseDeclarations,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  O extends true | undefined = undefined,
>(declaration: EndpointDeclaration<A, P, Q, B, O, D>): Endpoint {
  // The pipeline calls `handle` with values it has checked against these very schemas, and with the `ctx` and `agent`
  // that `auth` stands for, so forgetting the types here loses nothing.
  return declaration as unknown as Endpoint;
}
