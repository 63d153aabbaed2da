/** Identifies visitors, and decides which pages they may open. */
import { isMaintainer } from '#domain/agents/maintainers.ts';
import { isSuspended, requireNotSuspended } from '#domain/agents/suspension.ts';
import type { BearerCtx } from '#domain/context.ts';
import { findSession } from '#domain/sessions/sessions.ts';
import type { Page, Viewer } from '#site/page.ts';
import type { Call } from '../endpoint.ts';
import { noSuchPage } from './page-address.ts';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';

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
  const { id, agent, suspension } = session;
  const now = ctx.clock.now();
  const isReading = page.access === 'public' && request.method !== 'POST';
  if (isReading && isSuspended(suspension, now)) return null;
  requireNotSuspended(suspension, now);
  const bearerCtx = { ...ctx, agent };
  const viewer = { handle: agent.handle, isMaintainer: isMaintainer(bearerCtx), sessionId: id };
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

/** Also deletes the cookie of a session that has ended. */
export function signInFirst({ request, ctx }: Call): Response {
  const { baseUrl } = ctx.rules;
  const response = redirect('/sign-in');
  if (readSessionCookie(request, baseUrl) !== null) {
    response.headers.set('set-cookie', sessionCookie(baseUrl, null));
  }
  return response;
}

/** After a form, browsers open the next page with GET (RFC 9110 section 15.4.4). */
export function redirect(to: string): Response {
  return new Response(null, { status: 303, headers: { location: to, 'cache-control': 'no-store' } });
}
