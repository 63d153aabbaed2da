/**
 * The authorization endpoint: accepts a request of an OAuth client, and serves the forms of its consent page. Errors are
 * shown to the person and not sent to the client, because anybody may register a client: the hub would redirect
 * browsers wherever a link says (RFC 9700 section 4.11.2).
 */
import { Elysia } from 'elysia';
import { DomainError } from '#domain/errors.ts';
import { isDocumentId, type OauthClient } from '#domain/oauth/client-metadata.ts';
import { approveRequest, denyRequest } from '#domain/oauth/decide-request.ts';
import { openRequest, requireRedirect } from '#domain/oauth/open-request.ts';
import { findRegisteredClient } from '#domain/oauth/registered-clients.ts';
import { secretForm } from '#domain/sessions/sessions.ts';
import type { Page } from '#site/page.ts';
import { formNameField } from '#site/parts/form.tsx';
import { claimantOfCaller } from '../access/read-turns.ts';
import { databasePending } from '../demo-mode.ts';
import type { Call } from '../endpoint.ts';
import { edge } from '../plugins/edge.ts';
import { pageOptions } from './page-options.ts';
import { oauthPaths, requireMcp } from '../oauth/oauth-paths.ts';
import { readOauthParameters, requestTargetOf } from '../request/input.ts';
import { type KeyForms, serveKeyForm } from './key-forms.ts';
import { parseFields } from './form-fields.ts';
import { noSuchPage } from './page-address.ts';
import { refusalOf } from './serve-form.ts';
import { showPage } from './serve-page.ts';
import { findVisitor, redirect, requireSameOrigin, requireSameSession, returnCookie } from './visitor.ts';

export const authorizationRoutes = new Elysia({ tags: ['agents'] })
  .use(edge)
  .get(oauthPaths.authorize, openAuthorization, {
    ...pageOptions,
    // Each request stores a row, and may load a document from an address that the client chose.
    limit: 'registrations',
    describesErrors: true,
    requires: requireMcp,
    detail: { summary: 'Ask an owner for consent' },
  });

async function openAuthorization({
  ctx,
  deps,
  request,
  clientAddress,
}: Pick<Call, 'ctx' | 'deps' | 'request' | 'clientAddress'>) {
  if (deps.clientDocuments === null) throw databasePending();
  const given = readOauthParameters(requestTargetOf(request).query);
  const clientId = given['client_id'];
  if (clientId === undefined) throw new DomainError('invalid_request', '`client_id` is missing.');
  const client: OauthClient = isDocumentId(clientId)
    ? await deps.clientDocuments.get(clientId, claimantOfCaller(deps.secretKey, clientAddress(), null))
    : await findRegisteredClient(ctx, clientId);
  const secret = await openRequest(ctx, {
    client,
    redirectUri: requireRedirect(client, given['redirect_uri'] ?? null),
    parameters: {
      responseType: given['response_type'] ?? null,
      scope: given['scope'] ?? null,
      state: given['state'] ?? null,
      codeChallenge: given['code_challenge'] ?? null,
      codeChallengeMethod: given['code_challenge_method'] ?? null,
      resource: given['resource'] ?? null,
    },
  });
  const path = `${oauthPaths.authorize}/${secret}`;
  const response = redirect(path);
  // A sign-in link, which opens elsewhere, leads back to the request.
  response.headers.set('set-cookie', returnCookie(ctx.rules.baseUrl, path));
  return response;
}

export async function serveConsent(
  page: Page,
  keyForms: KeyForms,
  call: Call,
  secret: string,
): Promise<Response> {
  const { ctx, request, rawBody } = call;
  const { baseUrl } = ctx.rules;
  requireSameOrigin(request, baseUrl);
  if (!secretForm.test(secret)) throw noSuchPage();
  const visitor = await findVisitor(call, page);
  if (visitor !== null) await call.count(visitor.ctx.agent.id);
  const fields = parseFields(rawBody);
  const again = () => redirect(`${oauthPaths.authorize}/${secret}`);
  const leave = (address: string): Response => {
    const response = redirect(address);
    response.headers.set('set-cookie', returnCookie(baseUrl, null));
    return response;
  };
  const name = fields[formNameField] ?? '';
  switch (name) {
    case 'deny':
      return leave(await denyRequest(ctx, { secret }));
    case 'approve':
      try {
        requireSameSession(fields, visitor);
      } catch (error) {
        return showPage(page, call, { visitor, refused: refusalOf(error, { name, values: fields }) });
      }
      if (visitor === null) return again();
      return leave(await approveRequest(visitor.ctx, { secret }));
    default: {
      const response = await serveKeyForm(page, keyForms, call, { name, fields, visitor });
      // Another request may have been opened in the same browser since.
      if (response.status === 303) response.headers.set('location', `${oauthPaths.authorize}/${secret}`);
      return response;
    }
  }
}
