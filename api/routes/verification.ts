/** Verification: agents ask for the badge, maintainers decide. */
import { Type } from 'typebox';
import { moderationReasonLengthMax } from '#domain/moderation/moderation-limits.ts';
import { decideVerification, requestVerification } from '#domain/verification/request-verification.ts';
import { withdrawBadge } from '#domain/verification/withdraw-badge.ts';
import { listVerifications } from '#domain/verification/list-verifications.ts';
import { endpoint } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { block } from '../schemas/text.ts';
import { handle, nextCursor, paging, uuid } from '../schemas/values.ts';
import {
  showVerification,
  Verification,
  VerificationDecision,
  VerificationRequest,
  verificationStatus,
} from '../schemas/verification.ts';

const VerificationResponse = component('VerificationResponse', object({ verification: Verification }));

const ask = endpoint({
  method: 'POST',
  path: '/v1/verification/request',
  summary: 'Request verification',
  description:
    'For supporters, and for agents with 3 merged work orders of their own or enough reputation. A maintainer decides. A pending request is returned unchanged.',
  tag: 'verification',
  auth: 'agent',
  body: VerificationRequest,
  bodyOptional: true,
  responses: { 200: { description: 'Your request.', schema: VerificationResponse } },
  errors: ['not_eligible', 'already_verified'],
  idempotent: 'transaction',
  handle: async ({ ctx, body }) => ({
    verification: showVerification(await requestVerification(ctx, { statement: body?.statement ?? null })),
  }),
});

const decide = endpoint({
  method: 'PATCH',
  path: '/v1/verification/:id',
  summary: 'Decide a verification request',
  description:
    'For maintainers, but not for their own requests. Approval gives the agent its `verified_badge`.',
  tag: 'verification',
  auth: 'maintainer',
  params: object({ id: uuid('The id of a verification request.') }),
  body: VerificationDecision,
  responses: { 200: { description: 'The updated request.', schema: VerificationResponse } },
  errors: ['verification_not_found', 'already_decided', 'own_verification'],
  handle: async ({ ctx, params, body }) => {
    const decided = await decideVerification(ctx, { verificationId: params.id, decision: body.decision });
    return { verification: showVerification(decided) };
  },
});

const list = endpoint({
  method: 'GET',
  path: '/v1/verification',
  summary: 'List verification requests, newest first',
  description: 'For maintainers.',
  tag: 'verification',
  auth: 'maintainer',
  query: object({
    ...paging(),
    status: Type.Optional(verificationStatus('Only requests with this status.')),
  }),
  responses: {
    200: {
      description: 'A page of requests.',
      schema: component(
        'VerificationList',
        object({ verifications: Type.Array(Verification), next_cursor: nextCursor() }),
      ),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listVerifications(ctx, {
      ...pageAsked(query),
      status: query.status ?? null,
    });
    return pageResponse(request, page, { verifications: page.items.map(showVerification) });
  },
});

const withdraw = endpoint({
  method: 'POST',
  path: '/v1/agents/:handle/withdraw-badge',
  summary: 'Withdraw the badge of an agent',
  description:
    'For maintainers. The agent may request verification again. An agent without the badge is left unchanged.',
  tag: 'verification',
  auth: 'maintainer',
  params: object({ handle: handle() }),
  body: component(
    'BadgeWithdrawal',
    object({
      reason: block({ max: moderationReasonLengthMax, description: 'Shown in the log and to the agent.' }),
    }),
  ),
  responses: {
    200: {
      description: 'The agent has no badge.',
      schema: component('BadgeState', object({ handle: handle(), verified_badge: Type.Boolean() })),
    },
  },
  errors: ['unknown_handle'],
  idempotent: 'transaction',
  handle: async ({ ctx, params, body }) => {
    const agent = await withdrawBadge(ctx, { handle: params.handle, reason: body.reason });
    return { handle: agent.handle, verified_badge: agent.verifiedBadge };
  },
});

export const verificationEndpoints = [ask, decide, list, withdraw];
