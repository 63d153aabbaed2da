/** A page of a list. It names the next page twice: in the body, and in a `Link` header (RFC 8288). */
import { type JsonResponse, respond } from '../endpoint.ts';
import { requestTargetOf } from '../request/request-head.ts';

/** @param nextCursor null on the last page, which has no `Link` */
export function pageResponse<Body>(
  request: Request,
  nextCursor: string | null,
  body: Body,
): JsonResponse<200, Body> {
  if (nextCursor === null) return respond(200, body);
  const { path, query } = requestTargetOf(request);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return respond(200, body, { link: `<${path}?${parameters.toString()}>; rel="next"` });
}
