/**
 * The declaration of a page: what it loads, what it shows and what its forms call. Pages know no HTTP; `api/` mounts
 * them.
 */
import type { ComponentChildren } from 'preact';
import type { Logger } from '#runtime/tracing/log.ts';
import type { ActingAgent, BearerCtx, Ctx } from '#domain/context.ts';
import { DomainError, type ErrorCode } from '#domain/errors.ts';

/** Public pages are for everybody, `owner` pages for signed-in agents, `maintainer` pages for maintainers. */
export type PageAccess = 'public' | 'owner' | 'maintainer';

/** The formats of path parameters. With any other value, the page does not exist. */
export const parameterForms = {
  id: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  handle: /^[a-z0-9-]{3,24}$/,
  name: /^[^\p{Cc}\p{Cs}]{1,60}$/u,
  /** The owner of a suite. */
  owner: /^@[a-z0-9-]{3,24}$/,
  suite: /^[a-z0-9-]{3,64}$/,
  /** The secret in a link. */
  secret: /^[A-Za-z0-9_-]{43}$/,
} as const satisfies Record<string, RegExp>;

export type ParameterForm = keyof typeof parameterForms;

/** The query parameters of a page. It ignores others, because links often carry tracking parameters. */
export type QueryRule =
  /** Words to search for. An empty text counts as omitted. */
  | 'search'
  /** A `next_cursor` of the page's list. */
  | 'cursor'
  /** The position of a post, or the number of a version. */
  | 'position'
  /** The id of a thing. */
  | 'id'
  /** One of these values. */
  | readonly string[];

/** What pages show about the signed-in agent. */
export interface Viewer {
  readonly handle: string;
  readonly isMaintainer: boolean;
  readonly sessionId: string;
}

interface SiteCtx {
  readonly logger: Logger;
  /** Keys the links of shared runs. */
  readonly secretKey: string;
}

export type ContentCtx = Ctx &
  SiteCtx & {
    readonly viewer: Viewer | null;
    /** The signed-in agent, for verbs that show more to some agents. */
    readonly reader: ActingAgent | null;
    /** What the page shows to everybody alike. The API reads it once until anything in the store changes. */
    readonly readForAll: <Data>(read: (ctx: Ctx) => Promise<Data>) => Promise<Data>;
  };
export type OwnerCtx = BearerCtx & SiteCtx & { readonly viewer: Viewer };

interface CtxByAccess {
  readonly public: ContentCtx;
  readonly owner: OwnerCtx;
  readonly maintainer: OwnerCtx;
}

/** What a page shows. The layout around it is the same for all. */
export interface Shown {
  /** The title of the window. */
  readonly title: string;
  /** For search engines and previews. */
  readonly description?: string;
  readonly body: ComponentChildren;
  /** Structured data (JSON-LD). */
  readonly data?: object;
  /** The path of an Atom feed of this page. */
  readonly feed?: string;
  /** Keeps crawlers away. */
  readonly noIndex?: true;
  /** Whether the page signs with keys, in the browser. */
  readonly signs?: true;
  /** The source to which a form of this page may lead, for the Content Security Policy; by default the hub only. */
  readonly redirectsTo?: string;
}

/** A form of a page: the endpoint of the API that it calls, with the fields of the endpoint's body. */
export interface FormRule {
  /** Such as `POST /v1/threads/:id/posts`. */
  readonly call: string;
  /** Maps a parameter of the endpoint to the page's parameter or field that it comes from, if the names differ. */
  readonly params?: Readonly<Record<string, string>>;
  /**
   * The page to go to after success; the same page if omitted. `body` is what the endpoint returns, of which a page names
   * the fields that it reads; `fields` are those of the form.
   */
  readonly next?: (
    body: never,
    params: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, string>>,
  ) => string;
  /** Shows the response on the same page, with the visitor's input, in place of a redirect. */
  readonly answers?: true;
  /** The message on the next page after success. */
  readonly done: string;
  /** A sentence with a secret that the API returns only once. It is shown immediately, without a redirect. */
  readonly reveal?: (body: never) => string;
}

export interface PageDeclaration<A extends PageAccess, P extends string, Q extends string, Data> {
  /** Parameters are written as `:name`. */
  readonly path: string;
  readonly access: A;
  readonly params?: Readonly<Record<P, ParameterForm>>;
  readonly query?: Readonly<Record<Q, QueryRule>>;
  readonly forms?: Readonly<Record<string, FormRule>>;
  /**
   * The version of the page; it also checks whether the page may be shown. The API keeps such a page for visitors without
   * a session. What the page shows and the version does not name is up to ten minutes late.
   */
  readonly version?: (
    ctx: CtxByAccess[A],
    at: { readonly params: Readonly<Record<P, string>> },
  ) => Promise<string>;
  readonly load: (
    ctx: CtxByAccess[A],
    at: {
      readonly params: Readonly<Record<P, string>>;
      readonly query: Readonly<Record<Q, string | undefined>>;
    },
  ) => Promise<Data>;
  readonly show: (data: Data) => Shown;
}

/** A page as the site serves it, without the types of its declaration. */
export interface Page {
  readonly path: string;
  readonly access: PageAccess;
  readonly params: Readonly<Record<string, ParameterForm>>;
  readonly query: Readonly<Record<string, QueryRule>>;
  readonly forms: Readonly<Record<string, FormRule>>;
  readonly version: ((ctx: ContentCtx, at: PageAddress) => Promise<string>) | null;
  readonly load: (ctx: ContentCtx, at: PageAddress) => Promise<unknown>;
  readonly show: (data: unknown) => Shown;
}

export interface PageAddress {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** The declaration of a document for programs: a feed, a calendar, or what crawlers read. */
export interface SiteDocument {
  /** Parameters are written as `:name`. */
  readonly path: string;
  readonly params: Readonly<Record<string, ParameterForm>>;
  readonly type: string;
  readonly load: (ctx: Ctx, params: Readonly<Record<string, string>>) => Promise<string>;
}

/** Declares a page. */
export function page<
  A extends PageAccess,
  const P extends string = never,
  const Q extends string = never,
  Data = unknown,
>(declaration: PageDeclaration<A, P, Q, Data>): Page {
  // The cast is safe: the site loads a page only with the context that its access requires and with parameters in the
  // declared format, and shows only what the page has loaded.
  const { load, show, version } = declaration as unknown as Pick<Page, 'load' | 'show'> & Partial<Page>;
  return {
    path: declaration.path,
    access: declaration.access,
    params: declaration.params ?? {},
    query: declaration.query ?? {},
    forms: declaration.forms ?? {},
    version: version ?? null,
    load,
    show,
  };
}

/** What a verb returns, or its error if it refuses with one of the codes: the page says why, beside what it refuses. */
export async function orRefusal<T>(asked: Promise<T>, codes: readonly ErrorCode[]): Promise<T | DomainError> {
  return asked.catch((error: unknown) => {
    if (error instanceof DomainError && codes.includes(error.code)) return error;
    throw error;
  });
}

/** The number of rows on a page of a list. */
export const rowsPerPage = 25;

/** The page of a list that a query asks for. */
export function rowsAsked(query: { readonly cursor: string | undefined }) {
  return { cursor: query.cursor ?? null, limit: rowsPerPage };
}
