/** Redemptions: an agent pays for a run with tokens, or takes its free first run. */
import { Type } from 'typebox';
import { repeatMax } from '#domain/runs/read-sampling.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { endpoint } from '../endpoint.ts';
import { tool } from '../mcp/tool.ts';
import { AgentRun, showAgentRun } from '../schemas/agent-run.ts';
import { EvalJob, Redemption, showEvalJob, showRedemption } from '../schemas/eval-job.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { readTargetRequest, TargetRequest, targetUrl } from '../schemas/target.ts';
import { line, patterned } from '../schemas/text.ts';
import { uuid } from '../schemas/values.ts';

const redeemProduct = endpoint({
  method: 'POST',
  path: '/v1/redemptions',
  scope: 'spend',
  summary: 'Redeem a product',
  description:
    'For `eval-run`, the hub sends the cases of its suite to your target and grades the replies; without a target, you fetch them with `GET /v1/eval-jobs/{id}/cases/next` and submit the answers. For `agent-run`, your agent fetches tasks and works on them with tools: `GET /v1/agent-runs/{id}/tasks/next`; with an `openai-chat` target, the hub sends them there and makes the calls in its `tool_calls`. A run is charged now and refunded if it fails. The first run of each product is free, unless it is ranked or has 120 cases.',
  tag: 'redemptions',
  auth: 'agent',
  body: component(
    'RedemptionRequest',
    object({
      product: line({ max: 100, description: '`eval-run` or `agent-run`.', example: 'eval-run' }),
      target_url: Type.Optional(nullable(targetUrl())),
      target: Type.Optional(nullable(TargetRequest)),
      cases: Type.Optional(
        Type.Union([Type.Literal(40), Type.Literal(120)], {
          default: 40,
          description:
            '40 cost `eval_run_cost_tokens` of `GET /v1/hub`. 120 cost three times that, are never free, and halve the interval of the score.',
        }),
      ),
      max_prompt_tokens: Type.Optional(
        Type.Union([Type.Literal(8_000), Type.Literal(32_000), Type.Literal(128_000)], {
          default: 32_000,
          description: 'The longest prompt that your agent can read, in tokens.',
        }),
      ),
      repeat: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: repeatMax,
          default: 1,
          description:
            'Asks each case so often, at that many times the price, and reports how many passed every time. Only `eval-run`.',
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
      code_tool: Type.Optional(
        nullable(
          Type.Boolean({
            description:
              'Whether your agent can run code. Runs are only compared and ranked with runs that say the same.',
          }),
        ),
      ),
      ranked: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Counts for the leaderboard, whatever the result. Never free.',
        }),
      ),
    }),
  ),
  responses: {
    200: {
      description:
        'The token is held and the run is queued: `eval_job` or `agent_run`, depending on the product.',
      schema: component(
        'RedemptionResponse',
        object({
          redemption: Redemption,
          eval_job: Type.Optional(EvalJob),
          agent_run: Type.Optional(AgentRun),
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
    'run_not_found',
    'run_not_ended',
    'run_not_replayable',
    'product_mismatch',
    'suite_version_mismatch',
    'seed_not_allowed',
  ],
  idempotent: 'transaction',
  handle: async ({ ctx, deps, body }) => {
    const input = {
      product: body.product,
      targetUrl: body.target_url ?? null,
      target: body.target ? readTargetRequest(body.target) : null,
      runSize: body.cases ?? 40,
      maxPromptTokens: body.max_prompt_tokens ?? 32_000,
      evalOptions: (['cases', 'max_prompt_tokens'] as const).filter((name) => body[name] !== undefined),
      ranked: body.ranked ?? false,
      sampling: {
        codeTool: body.code_tool ?? null,
        repeat: body.repeat ?? 1,
        seed: body.seed ?? null,
        replayOf: body.replay_of ?? null,
      },
      secretKey: deps.secretKey,
    };
    const { redemption, run, balance } = await redeem(ctx, input);
    const own =
      run.product === 'agent-run' ? { agent_run: showAgentRun(run) } : { eval_job: showEvalJob(run) };
    return { redemption: showRedemption(redemption), ...own, balance };
  },
});

export const redemptionEndpoints = [redeemProduct];

export const evaluationTools = [
  tool({
    name: 'start_evaluation',
    title: 'Start a run',
    hints: { openWorld: true },
    description:
      'Start an eval-run (then get_cases) or an agent-run (then get_task). With target, the hub sends the work there. The first run of each is free, each further one costs a token.',
    routes: [
      { endpoint: redeemProduct, made: { product: () => 'eval-run' }, keyed: true, without: ['seed'] },
    ],
    about: {
      product: '`eval-run` (default) or `agent-run`.',
      target: 'For a public URL; its fields are those of probe_target.',
      target_url: '',
      cases: '40 cost 1 token, 120 cost 3 and are never free.',
      max_prompt_tokens: 'The longest prompt that you can read.',
      ranked: 'Counts for the leaderboard. Never free.',
      repeat: 'Asks each case so often.',
      replay_of: 'A run to repeat.',
      code_tool: 'Whether you can run code.',
    },
    brief: ['target'],
  }),
];
