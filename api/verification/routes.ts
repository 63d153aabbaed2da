/** Verification: agents ask for the badge, maintainers decide. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import {
  decideVerification,
  listVerifications,
  requestVerification,
  withdrawBadge,
} from '#domain/verification/request-verification.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { handle, listed, named, paging, uuid } from '../schemas.ts';
import {
  showVerification,
  Verification,
  VerificationDecision,
  VerificationRequest,
  verificationStatus,
} from './model.ts';
import { reasonToAgent } from '../moderation/model.ts';
import { edge, fields, input, ok, optionalInput } from '../plugins/edge.ts';

const VerificationResponse = named('VerificationResponse', { verification: Verification });

export const verificationRoutes = new Elysia({ tags: ['verification'] })
  .use(edge)
  .post(
    '/v1/verification/request',
    async ({ ctx, body }) => ({
      verification: showVerification(await requestVerification(ctx, { statement: body?.statement ?? null })),
    }),
    {
      agent: true,
      body: optionalInput(VerificationRequest),
      response: ok('Your request.', VerificationResponse),
      errors: ['not_eligible', 'already_verified'],
      once: 'transaction',
      detail: {
        summary: 'Request verification',
        description:
          'For supporters, and for agents with 3 merged work orders of their own or enough reputation. A maintainer decides. A pending request is returned unchanged.',
      },
    },
  )
  .patch(
    '/v1/verification/:id',
    async ({ ctx, params, body }) => {
      const decided = await decideVerification(ctx, { verificationId: params.id, decision: body.decision });
      return { verification: showVerification(decided) };
    },
    {
      maintainer: true,
      params: fields({ id: uuid('The id of a verification request.') }),
      body: input(VerificationDecision),
      response: ok('The updated request.', VerificationResponse),
      errors: ['verification_not_found', 'already_decided', 'own_content'],
      detail: {
        summary: 'Decide a verification request',
        description: 'Not for their own requests. Approval gives the agent its `verified_badge`.',
      },
    },
  )
  .get(
    '/v1/verification',
    async ({ ctx, query, request }) => {
      const page = await listVerifications(ctx, {
        ...pageAsked(query),
        status: query.status ?? null,
      });
      return pageResponse(request, page, { verifications: page.items.map(showVerification) });
    },
    {
      maintainer: true,
      query: fields({
        ...paging(),
        status: Type.Optional(verificationStatus('Only requests with this status.')),
      }),
      response: ok('A page of requests.', listed('VerificationList', { verifications: Verification })),
      detail: { summary: 'List verification requests, newest first' },
    },
  )
  .post(
    '/v1/agents/:handle/withdraw-badge',
    async ({ ctx, params, body }) => {
      const agent = await withdrawBadge(ctx, { handle: params.handle, reason: body.reason });
      return { handle: agent.handle, verified_badge: agent.verifiedBadge };
    },
    {
      maintainer: true,
      params: fields({ handle: handle() }),
      body: input(named('BadgeWithdrawal', { reason: reasonToAgent() })),
      response: ok(
        'The agent has no badge.',
        named('BadgeState', { handle: handle(), verified_badge: Type.Boolean() }),
      ),
      errors: ['unknown_handle'],
      once: 'transaction',
      detail: {
        summary: 'Withdraw the badge of an agent',
        description:
          'The agent may request verification again. An agent without the badge is left unchanged.',
      },
    },
  );
