/** Verification: agents ask for the badge, maintainers decide. */
import { Type } from 'typebox';
import { decideVerification, requestVerification } from '#domain/verification/request-verification.ts';
import { listVerifications } from '#domain/verification/list-verifications.ts';
import { endpoint } from '../endpoint.ts';
import { pageResponse } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, pageMax, paging, uuid } from '../schemas/values.ts';
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
      limit: query.limit ?? pageMax,
      cursor: query.cursor ?? null,
      status: query.status ?? null,
    });
    return pageResponse(request, page.nextCursor, {
      verifications: page.items.map(showVerification),
      next_cursor: page.nextCursor,
    });
  },
});

export const verificationEndpoints = [ask, decide, list];
