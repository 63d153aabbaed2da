/** The form of a sign-in link: uses up the link and starts a session. */
import { startSession } from '#domain/sessions/sign-in-link.ts';
import type { Call } from '../endpoint.ts';
import { noSuchPage } from './page-address.ts';
import { requireSameOrigin } from './same-origin.ts';
import { sessionCookie } from './session-cookie.ts';
import { redirect } from './visitor.ts';
import { secretForm } from '#domain/sessions/sessions.ts';

export async function signIn({ ctx, request }: Call, secret: string): Promise<Response> {
  requireSameOrigin(request, ctx.rules.baseUrl);
  if (!secretForm.test(secret)) throw noSuchPage();
  const userAgent = request.headers.get('user-agent') ?? '';
  const session = await startSession(ctx, { secret, userAgent });
  const response = redirect('/me');
  response.headers.set('set-cookie', sessionCookie(ctx.rules.baseUrl, session));
  return response;
}
