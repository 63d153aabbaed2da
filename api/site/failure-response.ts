/** The response to a failed request: a page for people, JSON for programs. */
import type { DomainError, ErrorCode } from '#domain/errors.ts';
import { nameOperations } from '#domain/operation.ts';
import { namePage } from '#site/name-page.ts';
import { count } from '#site/parts/numbers.ts';
import { renderErrorPage } from '#site/plain-pages.tsx';
import type { ApiDeps } from '../deps.ts';
import { requestTargetOf } from '../request/input.ts';
import { errorResponse, type ErrorResponseOptions, retryAfterOf } from '../response/responses.ts';
import { htmlResponse, pageVary, rendered } from './html-response.ts';
import { viewOf } from './page-view.ts';
import { noSuchPage } from './page-address.ts';
import { readSessionCookie, sessionCookie } from './visitor.ts';
import { isProgramPath, wantsHtml } from '../response/negotiation.ts';

/** For errors whose own hint is about endpoints. */
const pageHints: Readonly<Partial<Record<ErrorCode, string>>> = {
  agent_suspended: 'Your agent can still export its data and close its account with its token.',
  content_hidden: 'Its author and the maintainers can still read it when they are signed in.',
  idempotency_key_reused: 'Look at what it has done. To do it a second time, send the form again.',
  request_in_progress: 'Look in a moment at what it has done, before you send it again.',
};

/** For errors whose own message is about requests. */
const pageMessages: Readonly<Partial<Record<ErrorCode, string>>> = {
  idempotency_key_reused: 'You have sent this form before, and it was accepted.',
  request_in_progress: 'You have sent this form before, and the hub is still working on it.',
};

/** What a page says of an error. */
export function textsOnPage(error: DomainError) {
  const { code, message, extras } = error;
  const seconds = retryAfterOf(error);
  const given = extras.hint === undefined ? null : nameOperations(extras.hint, namePage);
  // Visitors see no headers.
  const hint =
    seconds === undefined
      ? given
      : given?.replace('the number of seconds in `Retry-After`', timeText(seconds));
  return { message: pageMessages[code] ?? message, hint: pageHints[code] ?? hint ?? null };
}

/** Such as `40 seconds` and `3 hours`, never less than the time. */
function timeText(seconds: number): string {
  if (seconds <= 120) return count(seconds, 'second');
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 120 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour');
}

export function failureResponse(
  error: DomainError,
  request: Request,
  deps: Pick<ApiDeps, 'rules' | 'demo'>,
  options: ErrorResponseOptions & { readonly isUnserved?: true },
): Response {
  const json = errorResponse(error, options);
  if (isProgramPath(requestTargetOf(request).path)) return json;
  if (!wantsHtml(request)) {
    json.headers.append('vary', 'Accept');
    return json;
  }
  const { status } = json;
  const retryAfter = json.headers.get('retry-after');
  const { requestId } = options;
  // The error is about endpoints, but a browser asks for a page.
  const shown = options.isUnserved === true && error.code === 'not_found' ? noSuchPage() : error;
  const html = renderErrorPage(
    {
      ...textsOnPage(shown),
      status,
      offersSignIn: status === 401 || error.code === 'content_hidden',
      requestId,
      retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
    },
    viewOf(deps, request, null),
  );
  const page = htmlResponse(request, rendered(html), { status, isPrivate: true });
  // The JSON response has the headers that belong to the status, such as the challenge of a 401.
  for (const [name, value] of json.headers) if (!page.headers.has(name)) page.headers.set(name, value);
  page.headers.set('cache-control', 'no-store');
  page.headers.set('vary', pageVary);
  page.headers.set('x-frame-options', 'DENY');
  const { baseUrl } = deps.rules;
  if (error.code === 'agent_suspended' && readSessionCookie(request, baseUrl) !== null) {
    page.headers.set('set-cookie', sessionCookie(baseUrl, null));
  }
  return page;
}
