/** Identifies visitors, and decides which pages they may open. */
import { isMaintainer } from '#domain/agents/maintainers.ts';
import { isSuspended, requireNotSuspended } from '#domain/agents/token-bearers.ts';
import type { BearerCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { requestLifetimeMs } from '#domain/oauth/oauth-limits.ts';
import { findSession, secretForm, sessionLifetimeMs } from '#domain/sessions/sessions.ts';
import { startSession } from '#domain/sessions/sign-in-link.ts';
import { hostNameInUrl, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import type { Page, Viewer } from '#site/page.ts';
import { formAgentField } from '#site/parts/form.tsx';
import { makeCookie, readCookies } from '../access/cookies.ts';
import type { Call } from '../endpoint.ts';
import { oauthPaths } from '../oauth/oauth-paths.ts';
import { requestTargetOf } from '../request/input.ts';
import type { FormFields } from './form-fields.ts';
import { noSuchPage } from './page-address.ts';

export interface Visitor {
  readonly ctx: BearerCtx;
  readonly viewer: Viewer;
}

/**
 * The agent whose session the request belongs to; null for everybody else. A suspended agent sees public pages as a
 * stranger.
 * @throws DomainError agent_suspended except on public pages
 */
export async function findVisitor({ ctx, request }: Call, page: Page): Promise<Visitor | null> {
  const secret = readSessionCookie(request, ctx.rules.baseUrl);
  const session = secret === null ? null : await findSession(ctx, { secret });
  if (session === null) return null;
  const { agent, suspension } = session;
  const now = ctx.clock.now();
  const isReading = page.access === 'public' && request.method !== 'POST';
  if (isReading && isSuspended(suspension, now)) return null;
  requireNotSuspended(suspension, now);
  const bearerCtx = { ...ctx, agent };
  const viewer = { handle: agent.handle, isMaintainer: isMaintainer(bearerCtx), sessionId: agent.sessionId };
  return { ctx: bearerCtx, viewer };
}

/**
 * False if the visitor has to sign in first.
 * @throws DomainError not_found for a maintainers' page, whose existence others must not learn
 */
export function mayOpen(page: Page, visitor: Visitor | null): boolean {
  if (page.access === 'public') return true;
  if (visitor === null) return false;
  if (page.access === 'maintainer' && !visitor.viewer.isMaintainer) throw noSuchPage();
  return true;
}

/** The query parameter with which a form tells the next page what it has done. */
export const doneParameter = 'done';

/** Leads back to the page after sign-in. Also deletes the cookie of a session that has ended. */
export function signInFirst({ request, ctx }: Call): Response {
  const { baseUrl } = ctx.rules;
  const response = redirect('/sign-in');
  if (readSessionCookie(request, baseUrl) !== null) {
    response.headers.append('set-cookie', sessionCookie(baseUrl, null));
  }
  const { path, query } = requestTargetOf(request);
  // What a form has done is said once.
  const kept = query.split('&').filter((part) => part !== '' && !part.startsWith(`${doneParameter}=`));
  const asked = kept.length === 0 ? path : `${path}?${kept.join('&')}`;
  if (returnForm.test(asked) && !isConsent(readReturn(request, baseUrl))) {
    response.headers.append('set-cookie', returnCookie(baseUrl, asked));
  }
  return response;
}

/** After a form, browsers open the next page with GET (RFC 9110 section 15.4.4). */
export function redirect(to: string): Response {
  return new Response(null, { status: 303, headers: { location: to, 'cache-control': 'no-store' } });
}

/** The secret of the session; null without a well-formed cookie. */
export function readSessionCookie(request: Request, baseUrl: string): string | null {
  return readCookies(request, baseUrl, 'hub').find((value) => secretForm.test(value)) ?? null;
}

/** A path of this hub, of characters that cookies may have: browsers read `//` and `/\` as the beginning of a host. */
const returnForm = /^\/(?!\/)[\w@~./%?=&+-]{0,500}$/;

function readReturn(request: Request, baseUrl: string): string | null {
  return readCookies(request, baseUrl, 'hub-return').find((value) => returnForm.test(value)) ?? null;
}

/** Another page does not take the place of a client that is waiting for consent. */
function isConsent(path: string | null): boolean {
  return path?.startsWith(`${oauthPaths.authorize}/`) === true;
}

type CookieName = 'hub' | 'hub-return';

/** @param secret null removes the cookie */
export function sessionCookie(baseUrl: string, secret: string | null): string {
  return cookieOf(baseUrl, 'hub', secret, sessionLifetimeMs);
}

/**
 * The cookie of the page to return to after sign-in.
 * @param path null removes the cookie
 */
export function returnCookie(baseUrl: string, path: string | null): string {
  return cookieOf(baseUrl, 'hub-return', path, requestLifetimeMs);
}

function cookieOf(baseUrl: string, name: CookieName, value: string | null, lifetimeMs: number): string {
  return makeCookie(baseUrl, { name, value: value ?? '', seconds: lifetimeMs / 1_000, sameSite: 'Lax' });
}

/**
 * Accepts forms only from pages of this hub.
 * Browsers say where a request comes from. Another port of the same host is `same-site` and gets the cookie, so
 * only `same-origin` counts. On http, browsers say so only of hubs on their own machine; then `Origin` must be ours.
 * @throws DomainError not_allowed
 */
export function requireSameOrigin({ headers }: Request, baseUrl: string): void {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const { origin: own, protocol } = new URL(baseUrl);
  const mayBeUnsaid = protocol === 'http:' && !isLoopbackName(hostNameInUrl(baseUrl) ?? '');
  if (site === 'same-origin' && (origin === null || origin === own)) return;
  if (site === null && mayBeUnsaid && origin === own) return;
  throw new DomainError('not_allowed', 'This form was not sent from a page of this hub.', {
    hint: `Open ${baseUrl} in a current browser and send the form from there.`,
  });
}

/**
 * Accepts a form only from the session that its page was made for: another tab may have ended it, or signed another agent
 * in.
 * @throws DomainError not_allowed
 */
export function requireSameSession(fields: FormFields, visitor: Visitor | null): void {
  const madeFor = fields[formAgentField];
  const now = visitor?.viewer.handle;
  if (madeFor === now) return;
  if (now === undefined) {
    throw new DomainError('not_allowed', `You are no longer signed in as ${madeFor}.`, {
      hint: 'Nothing has happened. Sign in again in another tab, then reload this page: your browser then sends the form again.',
    });
  }
  const then = madeFor === undefined ? 'before you signed in' : `for ${madeFor}`;
  throw new DomainError('not_allowed', `This page was made ${then}, and you are signed in as ${now} now.`, {
    hint: `Nothing has happened. What you send from here is sent as ${now}.`,
  });
}

/** The form of a sign-in link: uses up the link and starts a session. */
export async function signIn(call: Call, secret: string): Promise<Response> {
  const { ctx, request } = call;
  requireSameOrigin(request, ctx.rules.baseUrl);
  if (!secretForm.test(secret)) throw noSuchPage();
  const userAgent = request.headers.get('user-agent') ?? '';
  const session = await startSession(ctx, { secret, userAgent });
  return welcome(call, session);
}

/** Sets the cookie of a new session, and leads on to the page that was asked for. */
export function welcome({ ctx, request }: Call, session: string): Response {
  const { baseUrl } = ctx.rules;
  const asked = readReturn(request, baseUrl);
  const response = redirect(asked ?? '/me');
  response.headers.append('set-cookie', sessionCookie(baseUrl, session));
  if (asked !== null && !isConsent(asked)) response.headers.append('set-cookie', returnCookie(baseUrl, null));
  return response;
}
