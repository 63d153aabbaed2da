/**
 * What routes are declared with: `new Elysia().use(edge)` adds the options below to those of Elysia. They say who may call,
 * which limits count and what else holds for a call, whatever door it comes through.
 */
import { Elysia } from 'elysia';
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { ErrorCode } from '#domain/errors.ts';
import type {
  Access,
  Call,
  EndpointFacts,
  HandlerResult,
  Idempotency,
  RateLimit,
  ResponseDeclaration,
  ResponseDeclarations,
  ResponseSecret,
  ScopeRule,
} from '../endpoint.ts';
import type { ApiSettings } from '../deps.ts';
import { named, object } from '../schemas.ts';

/** A schema of TypeBox as a Standard Schema, which Elysia takes for bodies, queries, parameters and responses. */
export interface Standard<Output, Source> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'typebox';
    readonly validate: (value: unknown) => { value: Output };
    readonly types?: { readonly input: Output; readonly output: Output };
  };
  /** What the document and the checks read. */
  readonly source: Source;
}

/** The edge has checked the value before, with a sentence for each fault. */
function standard<Output, Source>(source: Source): Standard<Output, Source> {
  const validate = (value: unknown) => ({ value: value as Output });
  return { '~standard': { version: 1, vendor: 'typebox', validate }, source };
}

export const input = <S extends TSchema>(schema: S) => standard<Static<S>, S>(schema);

/** An object with these fields, and no others. */
export const fields = <P extends TProperties>(properties: P) => input(object(properties));

/** The parameters of a path, as any text. */
export function textsIn(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Type.String()] as const);
  return names.length === 0 ? {} : { params: fields(Object.fromEntries(names)) };
}

/** A body that the client may leave out. */
export const optionalInput = <S extends TSchema>(schema: S) => ({
  ...standard<Static<S> | null, S>(schema),
  isOptional: true as const,
});

/** The responses of an operation by status; what a handler returns has the form of one of them. */
export function replies<const D extends ResponseDeclarations>(declared: D) {
  const all = Object.entries(declared).map(([status, one]) => [status, standard(one)]);
  // Each status has its declaration.
  return Object.fromEntries(all) as {
    readonly [S in keyof D & number]: Standard<HandlerResult<D>, ResponseDeclaration>;
  };
}

/** One JSON response, with status 200. */
export const ok = <S extends TSchema>(description: string, schema: S) =>
  replies({ 200: { description, schema } });

/** One JSON response, with status 201. */
export const created = <S extends TSchema>(description: string, schema: S) =>
  replies({ 201: { description, schema } });

/** `{ ok: true }`, with status 200. */
export const done = (description: string) => ok(description, Done);

const Done = named('Done', { ok: Type.Literal(true) });

/** The body of `done`, once the work is. */
export async function whenDone(work: Promise<unknown>): Promise<{ ok: true }> {
  await work;
  return { ok: true };
}

/** Elysia keeps the documentation of a route with it, and these facts are part of it. */
const factsName = 'x-facts';
const fact = (
  facts: Partial<EndpointFacts> & {
    readonly auth?: Access;
    readonly markdown?: unknown;
    readonly prepare?: unknown;
  },
) => ({
  detail: { [factsName]: facts } as object,
});

type Fields<A extends Access> = Omit<Call<A>, 'params' | 'query' | 'body' | 'request'> & {
  readonly call: Call;
};

/** Gives handlers the types of a call's fields. The pipeline calls them with the call itself. */
const access =
  <A extends Access>(auth: A) =>
  (isSet: true) => ({
    ...fact(isSet ? { auth } : {}),
    // Elysia takes the word too, which says that it parses nothing.
    parse: 'none' as unknown as () => unknown,
    resolve: (context: object) => (context as { readonly call: Fields<A> }).call,
  });

export const edge = new Elysia({ name: 'edge' }).macro({
  anyone: access('none'),
  /** Anyone, but with more for agents that send their token. */
  visitor: access('optional'),
  agent: access('agent'),
  maintainer: access('maintainer'),
  operator: access('operator'),
  inbox: access('inbox'),
  /** What an OAuth client needs to call it, as a tool. */
  scope: (scope: ScopeRule) => fact({ scope }),
  limit: (rateLimit: RateLimit) => fact({ rateLimit }),
  once: (idempotent: Idempotency) => fact({ idempotent }),
  errors: (errors: readonly ErrorCode[]) => fact({ errors }),
  /** The body of a 200 as Markdown. */
  markdown: (markdown: (body: never) => string) => fact({ markdown }),
  prepare: (prepare: (call: never) => Promise<unknown>) => fact({ prepare }),
  bodyFormat: (bodyFormat: 'mail' | 'form' | 'document') => fact({ bodyFormat }),
  bodyMaxBytes: (bodyMaxBytes: number) => fact({ bodyMaxBytes }),
  bodyTypes: (bodyTypes: readonly string[]) => fact({ bodyTypes }),
  documentSchema: (documentSchema: TSchema) => fact({ documentSchema }),
  exactNumbers: (exactNumbers: true) => fact({ exactNumbers }),
  responseIsSecret: (responseIsSecret: true) => fact({ responseIsSecret }),
  responseSecret: (responseSecret: ResponseSecret) => fact({ responseSecret }),
  openToSuspended: (openToSuspended: true) => fact({ openToSuspended }),
  reportsToMachine: (reportsToMachine: true) => fact({ reportsToMachine }),
  withBalance: (withBalance: true) => fact({ withBalance }),
  requires: (requires: (settings: ApiSettings) => void) => fact({ requires }),
  describesErrors: (describesErrors: true) => fact({ describesErrors }),
  hidden: (hidden: boolean) => fact(hidden ? { hidden } : {}),
  searches: (searches: boolean) => fact({ searches }),
});
