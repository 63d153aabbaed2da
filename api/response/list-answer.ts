/** Pages of lists say where the next one is twice: in the body, and in a `Link` header (RFC 8288). */
import { type Answer, answer } from '../endpoint.ts';
import { requestTargetOf } from '../request/request-target.ts';

/** @param nextCursor null on the last page, which has no `Link` */
export function listAnswer<Body>(request: Request, nextCursor: string | null, body: Body): Answer<200, Body> {
  if (nextCursor === null) return answer(200, body);
  const { path, query } = requestTargetOf(request);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return answer(200, body, { link: `<${path}?${parameters.toString()}>; rel="next"` });
}
