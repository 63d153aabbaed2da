/** Schemas of redemptions, eval jobs and scorecards. */
import { Type, type Static } from 'typebox';
import type { EvalJobDetail as OwnEvalJob } from '#domain/eval-jobs/show-eval-job.ts';
import type { EvalJobRow, RedemptionRow } from '#db/schema/eval-tables.ts';
import { component, nullable, object } from './object.ts';
import { instant, oneOf, uuid } from './values.ts';

const failureCodes = [
  'target_unreachable',
  'target_timeout',
  'target_bad_status',
  'target_bad_response',
  'target_too_large',
  'target_blocked',
  'deadline_exceeded',
  'internal',
] as const;

const milliseconds = () => Type.Number({ minimum: 0 });

export const Redemption = component(
  'Redemption',
  object({
    id: uuid(),
    product: Type.String(),
    target_url: Type.String(),
    cost: Type.Integer({ minimum: 0, description: 'Tokens charged; refunded if the run fails.' }),
    free: Type.Boolean({ description: 'Whether this was the free first run.' }),
    created_at: instant(),
  }),
);

const evalJobFields = {
  id: uuid(),
  redemption_id: uuid(),
  product: Type.String(),
  target_url: Type.String(),
  status: oneOf(['queued', 'running', 'completed', 'failed']),
  charge: object({
    tokens: Type.Integer({ minimum: 0, maximum: 1 }),
    free: Type.Boolean(),
    state: oneOf(['held', 'consumed', 'refunded']),
  }),
  progress: object({ done: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 0 }) }),
  score: nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'With one decimal; null until the run has completed.',
    }),
  ),
  suite: object({
    name: Type.String(),
    version: Type.String(),
    seed: nullable(Type.String({ description: 'Reproduces the run. Null until the job has ended.' })),
  }),
  failure: nullable(object({ code: oneOf(failureCodes), message: Type.String() })),
  latency: nullable(object({ p50_ms: milliseconds(), p90_ms: milliseconds(), max_ms: milliseconds() })),
  created_at: instant(),
  started_at: nullable(instant()),
  finished_at: nullable(instant()),
};

export const EvalJob = component('EvalJob', object(evalJobFields));

const Check = component(
  'Check',
  object({
    name: Type.String(),
    passed: Type.Boolean(),
    message: Type.String({ description: 'What was expected and what the reply contained.' }),
    passed_loose: Type.Optional(
      Type.Boolean({ description: 'The verdict if text around the required output is ignored.' }),
    ),
    weight: Type.Optional(Type.Number({ description: 'Weight of the check within its case; 1 if omitted.' })),
  }),
);

const Case = component(
  'Case',
  object({
    index: Type.Integer({ minimum: 0 }),
    id: Type.String(),
    category: Type.String(),
    prompt: Type.String(),
    status: oneOf(['passed', 'failed', 'error']),
    score: Type.Number({ minimum: 0, maximum: 1 }),
    weight: Type.Number({ minimum: 0 }),
    checks: Type.Array(Check),
    response_text: nullable(Type.String({ description: 'The first 4,000 characters of the reply.' })),
    error_code: nullable(Type.String()),
    attempts: Type.Integer({ minimum: 1 }),
    latency_ms: nullable(Type.Integer({ minimum: 0 })),
    difficulty: Type.Optional(oneOf(['easy', 'medium', 'hard'])),
  }),
);

export const EvalJobDetail = component(
  'EvalJobDetail',
  object({
    ...evalJobFields,
    scorecard: nullable(
      object({
        score_md: Type.String(),
        score_html: Type.String(),
        score_json: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    cases: Type.Array(Case, { description: 'In order; empty until the run has completed.' }),
  }),
);

export function showRedemption(row: RedemptionRow): Static<typeof Redemption> {
  const { id, product, cost, free } = row;
  return { id, product, target_url: row.targetUrl, cost, free, created_at: row.createdAt.toISOString() };
}

export function showEvalJob(row: EvalJobRow): Static<typeof EvalJob> {
  const ended = row.status === 'completed' || row.status === 'failed';
  return {
    id: row.id,
    redemption_id: row.redemptionId,
    product: row.product,
    target_url: row.targetUrl,
    status: row.status,
    charge: { tokens: row.chargeTokens, free: row.chargeFree, state: row.chargeState },
    progress: { done: row.progressDone, total: row.progressTotal },
    score: row.score,
    suite: { name: row.suiteName, version: row.suiteVersion, seed: ended ? row.suiteSeed : null },
    failure:
      row.failureCode === null
        ? null
        : { code: row.failureCode, message: row.failureMessage ?? row.failureCode },
    latency: row.latency,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

/** Adds the scorecard and the results of the cases to the job. */
export function showEvalJobDetail({ job, scorecard }: OwnEvalJob) {
  if (scorecard === null) return { ...showEvalJob(job), scorecard: null, cases: [] };
  const { scoreMd, scoreHtml, scoreJson, cases } = scorecard;
  return {
    ...showEvalJob(job),
    scorecard: { score_md: scoreMd, score_html: scoreHtml, score_json: scoreJson },
    cases,
  };
}
