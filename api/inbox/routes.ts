/**
 * Mail in the inbox, for holders of the inbox key, and the endpoint through which a mail provider delivers
 * mail.
 */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { emailBytesMax } from '#domain/inbox/inbox-limits.ts';
import { listEmails, setEmailStatus } from '#domain/inbox/list-emails.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';
import { pageResponse } from '../response/page-response.ts';
import { signedWith } from '../access/signed-delivery.ts';
import { Email, emailStatus, showEmail } from './model.ts';
import { listed, named, paging, uuid } from '../schemas.ts';
import { edge, fields, input, ok } from '../plugins/edge.ts';

const pageDefault = 20;

const delivery = signedWith('inboundMailSecret', 'INBOUND_MAIL_SECRET');

export const inboxRoutes = new Elysia({ tags: ['inbox'] })
  .use(edge)
  .get(
    '/v1/inbox',
    async ({ ctx, query, request }) => {
      const page = await listEmails(ctx, {
        limit: query.limit ?? pageDefault,
        cursor: query.cursor ?? null,
        status: query.status ?? null,
      });
      return pageResponse(request, page, { emails: page.items.map(showEmail) });
    },
    {
      inbox: true,
      query: fields({
        ...paging(pageDefault),
        status: Type.Optional(emailStatus('Only mail with this status.')),
      }),
      response: ok('A page of emails.', listed('EmailList', { emails: Email })),
      detail: { summary: 'List the mail in the inbox, newest first' },
    },
  )
  .patch(
    '/v1/inbox/:id',
    async ({ ctx, params, body }) => ({
      email: showEmail(await setEmailStatus(ctx, { emailId: params.id, status: body.status })),
    }),
    {
      inbox: true,
      params: fields({ id: uuid('The id of an email.') }),
      body: input(named('EmailChange', { status: emailStatus('The new status.') })),
      response: ok('The updated email.', named('EmailResponse', { email: Email })),
      errors: ['email_not_found'],
      detail: {
        summary: 'Set the status of an email',
        description: 'Any transition between statuses is allowed.',
      },
    },
  )
  .post(
    '/api/inbound/mail',
    async (call) => {
      delivery.check(call);
      await receiveEmail(call.ctx, { raw: call.rawBody });
      return { received: true as const };
    },
    {
      anyone: true,
      requires: delivery.requires,
      bodyFormat: 'mail',
      bodyMaxBytes: emailBytesMax,
      response: ok('The email is in the inbox.', named('MailReceived', { received: Type.Literal(true) })),
      errors: ['webhook_not_configured', 'invalid_webhook_signature'],
      detail: {
        summary: 'Deliver an email to the inbox',
        description:
          'The complete message (RFC 5322), up to 10 MiB, signed according to Standard Webhooks over the raw bytes. Of several emails with the same Message-ID, the first is stored; the others are acknowledged but dropped.',
      },
    },
  );
