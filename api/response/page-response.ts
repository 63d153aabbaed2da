/** A page of a list. It names the next page twice: in the body, and in a `Link` header (RFC 8288). */
import type { PageInput } from '#domain/paging.ts';
import { type JsonResponse, respond } from '../endpoint.ts';
import { requestTargetOf } from '../request/input.ts';
import { pageMax } from '../schemas.ts';

/** The page that the query of a list asks for. */
export function pageAsked(query: {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}): PageInput {
  return { limit: query.limit ?? pageMax, cursor: query.cursor ?? null };
}

/**
 * Adds `next_cursor` to the items of a page.
 * @param isPrivate see `linkedResponse`
 */
export function pageResponse<Items extends object>(
  request: Request,
  { nextCursor }: { readonly nextCursor: string | null },
  items: Items,
  isPrivate?: boolean,
): JsonResponse<200, Items & { readonly next_cursor: string | null }> {
  return linkedResponse(request, nextCursor, { ...items, next_cursor: nextCursor }, isPrivate);
}

/**
 * @param nextCursor null on the last page, which has no `Link`
 * @param isPrivate whether only some may see it, so that no cache may share it
 */
export function linkedResponse<Body>(
  request: Request,
  nextCursor: string | null,
  body: Body,
  isPrivate = false,
): JsonResponse<200, Body> {
  const caching = isPrivate ? { 'cache-control': 'no-store' } : {};
  if (nextCursor === null) return respond(200, body, caching);
  const { path, query } = requestTargetOf(request);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return respond(200, body, { ...caching, link: `<${path}?${parameters.toString()}>; rel="next"` });
}
