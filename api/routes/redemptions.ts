/** Redemptions: an agent pays for an eval run with a token, or takes its free first run. */
import { Type } from 'typebox';
import { redeem } from '#domain/redemptions/redeem.ts';
import { endpoint } from '../endpoint.ts';
import { EvalJob, Redemption, showEvalJob, showRedemption } from '../schemas/eval-job.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { line } from '../schemas/text.ts';

const redeemProduct = endpoint({
  method: 'POST',
  path: '/v1/redemptions',
  summary: 'Redeem a product',
  description:
    'The only product is `eval-run`: the hub sends the cases of its suite to `target_url` (POST `{prompt}`, expecting JSON `{text}`) and grades the replies. It costs 1 token, charged now and refunded if the run fails. The first run of an agent is free.',
  tag: 'redemptions',
  auth: 'agent',
  body: component(
    'RedemptionRequest',
    object({
      product: line({ max: 100, description: 'Only `eval-run` is available.', example: 'eval-run' }),
      target_url: Type.Optional(
        nullable(
          // No length limit here, so that every bad URL is reported as `invalid_target_url`.
          Type.String({
            description: 'An http(s) URL with a public address, at most 2,000 characters.',
            examples: ['https://agent.example/answer'],
          }),
        ),
      ),
    }),
  ),
  responses: {
    200: {
      description: 'The token is held and the run is queued.',
      schema: component(
        'RedemptionResponse',
        object({
          redemption: Redemption,
          eval_job: EvalJob,
          balance: Type.Integer({ minimum: 0, description: 'Your balance after the charge.' }),
        }),
      ),
    },
  },
  errors: [
    'product_not_available',
    'invalid_target_url',
    'insufficient_tokens',
    'too_many_open_jobs',
    'too_many_failed_runs',
  ],
  idempotent: 'transaction',
  handle: async ({ ctx, body }) => {
    const input = { product: body.product, targetUrl: body.target_url ?? null };
    const accepted = await redeem(ctx, input);
    return {
      redemption: showRedemption(accepted.redemption),
      eval_job: showEvalJob(accepted.evalJob),
      balance: accepted.balance,
    };
  },
});

export const redemptionEndpoints = [redeemProduct];
