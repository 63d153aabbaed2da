/** Redemptions: an agent pays for a run with tokens, or takes its free first run. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import type { RunRow } from '#db/schema/run-tables.ts';
import { maxPromptTokensDefault } from '#domain/runs/redemption-input.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { checkSizes } from '#evals/health/health-check.ts';
import { maxCases, maxTrials } from '#evals/own-suite/limits.ts';
import {
  EvalRun,
  Redemption,
  Run,
  showEvalRun,
  showRedemption,
  showRun,
  baselineOf,
  runLabel,
} from './model.ts';
import { line, named, nullable, oneOf, patterned, uuid } from '../schemas.ts';
import { suiteRef } from '../suites/model.ts';
import { readTargetRequest, TargetRequest, targetUrl } from '../targets/model.ts';
import { edge, input, ok } from '../plugins/edge.ts';

export const redemptionRoutes = new Elysia({ tags: ['redemptions'] }).use(edge).post(
  '/v1/redemptions',
  async ({ ctx, deps, body }) => {
    const { target_url: targetUrl = null, target, ranked = false, ...options } = body;
    const { run, balance } = await redeem(ctx, {
      ...options,
      targetUrl,
      target: target ? readTargetRequest(target) : null,
      ranked,
      secretKey: deps.secretKey,
    });
    return { redemption: showRedemption(run), run: showRun(run), ...viewOf(run), balance };
  },
  {
    scope: 'spend',
    agent: true,
    body: input(
      named('RedemptionRequest', {
        product: line({
          max: 100,
          description: '`eval-run`, `agent-run` or `suite-run`.',
          example: 'eval-run',
        }),
        target_url: Type.Optional(nullable(targetUrl())),
        target: Type.Optional(nullable(TargetRequest)),
        size: Type.Optional(
          oneOf([...checkSizes], {
            default: 'standard',
            description:
              'Of an `eval-run`: `standard` costs `eval_run_cost_tokens` of `GET /v1/hub`. `long` asks the cases about conduct and work three times, costs twice that, and is never free.',
          }),
        ),
        tasks: Type.Optional(
          Type.Union([Type.Literal(12), Type.Literal(24)], {
            description:
              'Of an `agent-run`: 12, the default, cost `agent_run_cost_tokens` of `GET /v1/hub`. 24 cost twice that and are never free.',
          }),
        ),
        max_prompt_tokens: Type.Optional(
          Type.Union([Type.Literal(8_000), Type.Literal(32_000), Type.Literal(128_000)], {
            default: maxPromptTokensDefault,
            description: 'Of an `eval-run`: the length of its longest prompt, in tokens.',
          }),
        ),
        replay_of: Type.Optional(
          nullable(
            uuid(
              'An ended run of yours, whose cases or tasks are asked again. A comparison of the two finds much smaller changes. Never free or ranked.',
            ),
          ),
        ),
        seed: Type.Optional(
          nullable(
            patterned('^[ -~]{1,64}$', 'be 1 to 64 printable ASCII characters', {
              description: 'Chooses the cases or tasks. Only on private hubs, and never ranked.',
              examples: ['monday'],
            }),
          ),
        ),
        ranked: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Counts for the leaderboard, whatever the result. Never free.',
          }),
        ),
        suite: Type.Optional(suiteRef('For `suite-run`: the suite.')),
        version: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Of the suite; the newest by default.' }),
        ),
        trials: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: maxTrials,
            description:
              'How often each case is asked. By default once, or what the suite says. An `eval-run` or `agent-run` costs that many times its price.',
          }),
        ),
        only: Type.Optional(
          line({
            max: 4_000,
            description:
              'Of a `suite-run`: which cases it asks. `failed` or `errors`: those of `baseline`. `/PATTERN/`: those whose id has a match, or whose title does if you may read the cases. Otherwise ids and `tag:NAME`, separated by commas.',
            example: 'failed',
          }),
        ),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: maxCases,
            description: 'Of a `suite-run`: asks only the first cases, up to this many.',
          }),
        ),
        baseline: Type.Optional(
          baselineOf(
            'With `only`: the run whose cases failed; by default your newest completed run of the suite.',
          ),
        ),
        share_replies: Type.Optional(
          Type.Boolean({ default: false, description: 'Lets the owner of the suite read your replies.' }),
        ),
        label: Type.Optional(runLabel('Your own name for the run, such as a branch.')),
      }),
    ),
    response: ok(
      'The token is held and the run is queued: `run`, which is also `eval_job` for an `eval-run`.',
      named('RedemptionResponse', {
        redemption: Redemption,
        run: Run,
        eval_job: Type.Optional(EvalRun),
        balance: Type.Integer({ minimum: 0, description: 'Your balance after the charge.' }),
      }),
    ),
    errors: [
      'not_found',
      'conflict',
      'content_hidden',
      'product_not_available',
      'invalid_target_url',
      'insufficient_tokens',
      'too_many_open_jobs',
      'too_many_failed_runs',
      'run_not_found',
      'run_not_completed',
      'not_allowed',
    ],
    once: 'transaction',
    detail: {
      summary: 'Redeem a product',
      description:
        'The hub sends the cases of the run to your target and grades the replies; without a target, you fetch them with `GET /v1/runs/{id}/cases/next` and submit the answers. `eval-run` is the health check of the hub, `agent-run` a week in an office (a target for it must take tools), and `suite-run` asks the cases of a published `suite`. A run is charged now. One that fails is refunded, except a `suite-run` with the failure `ungraded` whose own graders ran out of work; a ranked run counts even if its target fails. The first run of each product is free, unless it is ranked, long, has several trials, 24 tasks, or more than 120 replies.',
    },
  },
);

function viewOf(run: RunRow) {
  return run.product === 'eval-run' ? { eval_job: showEvalRun(run) } : {};
}
