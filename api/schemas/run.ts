/** Schemas of redemptions, runs of any product, and the scorecards of eval runs. */
import { Type, type Static } from 'typebox';
import type { EvalRunDetail as OwnEvalRun } from '#domain/runs/products/eval-run/show-eval-run.ts';
import type { RedemptionRow, RunRow } from '#db/schema/run-tables.ts';
import { roundInterval, roundRate } from '#evals/rates.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { scorecardDocument } from '#site/documents/scorecard.tsx';
import { component, extending, nullable, object } from './object.ts';
import {
  charge,
  cost,
  errorResponse,
  interval,
  level,
  sampling,
  showCost,
  showSampling,
  tokenUsage,
  runStatus,
} from './run-values.ts';
import { instant, oneOf, uuid } from './values.ts';

const failureCodes = [
  'target_unreachable',
  'target_timeout',
  'target_bad_status',
  'target_bad_response',
  'target_too_large',
  'target_blocked',
  'deadline_exceeded',
  'no_reply',
  'agent_suspended',
  'account_closed',
  'cancelled',
  'internal',
] as const;

/** Why an eval run failed. */
export const failureCode = () => component('FailureCode', oneOf(failureCodes));

/** Of all products. */
const runFailureCodes = [...failureCodes, 'never_fetched', 'ungraded'] as const;

/** Why a run of any product failed. */
export const runFailureCode = () => component('RunFailureCode', oneOf(runFailureCodes));

const milliseconds = () => Type.Number({ minimum: 0 });

export const Redemption = component(
  'Redemption',
  object({
    id: uuid(),
    product: Type.String(),
    target_url: nullable(Type.String({ description: 'Null in pull mode.' })),
    cost: Type.Integer({
      minimum: 0,
      description:
        'Tokens charged. A run that fails is refunded, unless the graders of your own suite could not grade it.',
    }),
    free: Type.Boolean({ description: 'Whether this was the free first run.' }),
    created_at: instant(),
  }),
);

export const Cause = component(
  'Cause',
  object(
    {
      status: nullable(Type.Integer({ description: 'The last HTTP status; null if there was no response.' })),
      connection: nullable(oneOf(['dns', 'refused', 'tls', 'timeout'])),
      excerpt: nullable(
        Type.String({ description: 'The first 500 characters of a reply that could not be used.' }),
      ),
      expected: nullable(Type.String()),
    },
    { description: 'What the target returned and what was expected. Only the owner of the run sees it.' },
  ),
);

export const TargetShown = component(
  'Target',
  object({
    url: Type.String(),
    protocol: Type.String({ description: 'As in the request.' }),
    model: nullable(Type.String()),
    concurrency: Type.Integer(),
    timeout_s: nullable(Type.Integer({ description: "Null for the hub's default." })),
    header_names: Type.Array(Type.String(), { description: 'The values are never shown.' }),
  }),
);

export const EvalRun = component(
  'EvalJob',
  object({
    id: uuid(),
    redemption_id: uuid(),
    product: Type.String(),
    mode: oneOf(['push', 'pull']),
    target_url: nullable(Type.String({ description: 'Null in pull mode.' })),
    target: nullable(TargetShown),
    ranked: Type.Boolean(),
    status: runStatus(),
    charge: charge(),
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
    ...sampling(),
    level: nullable(level()),
    interval: nullable(interval('The 95% interval of the score. Null until completed.')),
    failure: nullable(object({ code: failureCode(), message: Type.String(), cause: nullable(Cause) })),
    label: Type.Optional(Type.String({ description: 'Your own name for the run, if it has one.' })),
    cancelled: Type.Optional(
      Type.Literal(true, {
        description:
          'Present if you cancelled the run. If it had a reply, it is `completed`: open cases score 0.',
      }),
    ),
    latency: nullable(object({ p50_ms: milliseconds(), p90_ms: milliseconds(), max_ms: milliseconds() })),
    usage: nullable(tokenUsage('The tokens that the target or the agent reported; null if none.')),
    cost: cost(),
    struck_at: Type.Optional(
      instant('When a maintainer struck the run off: it does not count, and has no credential.'),
    ),
    created_at: instant(),
    started_at: nullable(instant()),
    finished_at: nullable(instant()),
  }),
);

/** A run of any product. */
export const Run = component(
  'Run',
  object({
    ...EvalRun.properties,
    failure: nullable(object({ code: runFailureCode(), message: Type.String(), cause: nullable(Cause) })),
    trials: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Of a suite run: how often each case is asked.' }),
    ),
    only: Type.Optional(
      object({ tags: Type.Array(Type.String()) }, { description: 'Present if the run has only some cases.' }),
    ),
    share_replies: Type.Optional(
      Type.Literal(true, { description: 'Present if the owner of the suite may read the replies.' }),
    ),
  }),
);

export const Check = component(
  'Check',
  object({
    name: Type.String(),
    passed: Type.Boolean(),
    message: Type.String({ description: 'What was expected and what the reply contained.' }),
    weight: Type.Optional(Type.Number({ description: 'Weight of the check within its case; 1 if omitted.' })),
  }),
);

const Case = component(
  'Case',
  object({
    index: Type.Integer({ minimum: 0 }),
    id: Type.String(),
    trial: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Which repetition of its case this is, in a run with `repeat`.',
      }),
    ),
    category: Type.String(),
    prompt: nullable(Type.String({ description: 'The first 4,000 characters; null if it is not shown.' })),
    prompt_truncated: Type.Optional(Type.Boolean()),
    status: oneOf(['passed', 'failed', 'error']),
    score: Type.Number({ minimum: 0, maximum: 1 }),
    weight: Type.Number({ minimum: 0 }),
    checks: Type.Array(Check),
    response_text: nullable(Type.String({ description: 'The first 4,000 characters of the reply.' })),
    error_code: nullable(Type.String()),
    error_message: Type.Optional(Type.String({ description: 'Why there is no reply, as the agent says.' })),
    error_response: Type.Optional(errorResponse()),
    attempts: Type.Integer({ minimum: 0, description: '1, and the most retries that a turn needed.' }),
    latency_ms: nullable(Type.Integer({ minimum: 0 })),
    kind: Type.String(),
    level: Type.Integer({ minimum: 1, maximum: 8 }),
    stage: Type.Integer({ minimum: 1, maximum: 2 }),
    expected: nullable(
      Type.String({ description: 'The result of a perfect reply; null if it is not shown.' }),
    ),
    accepted: nullable(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: 'A reply that earns the full score, or one for each turn; null if it is not shown.',
      }),
    ),
    found: nullable(Type.String({ description: 'What was read from the reply.' })),
    right_value_wrong_wrapping: Type.Optional(
      Type.Literal(true, { description: 'The value was right and only its wrapping was wrong.' }),
    ),
    usage: Type.Optional(tokenUsage('The tokens that were reported, over all turns.')),
    form_kept: Type.Optional(
      Type.Boolean({ description: 'Whether the reply has the format that the prompt asks for.' }),
    ),
  }),
);

export const EvalRunDetail = component(
  'EvalJobDetail',
  extending(EvalRun, {
    scorecard: nullable(
      object({
        score_md: Type.String(),
        score_html: Type.String(),
        score_json: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    cases: Type.Array(Case, {
      description: 'In order; empty until the run has completed, and after their retention period.',
    }),
    cases_pruned_at: nullable(instant('When the cases were deleted at the end of their retention period.')),
  }),
);

export function showRedemption(row: RedemptionRow): Static<typeof Redemption> {
  const { id, product, cost, free } = row;
  const createdAt = row.createdAt.toISOString();
  return { id, product, target_url: row.targetUrl || null, cost, free, created_at: createdAt };
}

export function showTarget(url: string | null, target: RunRow['target']): Static<typeof TargetShown> | null {
  if (url === null || target === null) return null;
  return { url, ...target, header_names: [...target.header_names] };
}

/** No eval run ends with `never_fetched` or `ungraded`. */
export function showEvalRun(row: RunRow): Static<typeof EvalRun> {
  // The schemas differ only in that code.
  return showRun(row) as Static<typeof EvalRun>;
}

export function showRun(row: RunRow): Static<typeof Run> {
  return {
    ...showAnyRun(row),
    product: row.product,
    target_url: row.mode === 'push' ? row.targetUrl : null,
    suite: showSuite(row),
    failure: showFailure(row),
    latency: row.latency,
    ...(row.suiteId === null
      ? {}
      : {
          trials: row.trials,
          ...(row.onlyTags === null ? {} : { only: { tags: [...row.onlyTags] } }),
          ...(row.shareReplies ? { share_replies: true as const } : {}),
        }),
  };
}

/** What the runs of all products show alike. */
export function showAnyRun(row: RunRow) {
  return {
    id: row.id,
    redemption_id: row.redemptionId,
    mode: row.mode,
    target: showTarget(row.targetUrl, row.target),
    ranked: row.ranked,
    status: row.status,
    charge: { tokens: row.chargeTokens, free: row.chargeFree, state: row.chargeState },
    progress: { done: row.progressDone, total: row.progressTotal },
    score: row.score === null ? null : roundRate(row.score),
    ...showSampling(row),
    level: row.estimate?.level ?? null,
    interval: row.estimate == null ? null : roundInterval(row.estimate.interval),
    ...(row.cancelled ? { cancelled: true as const } : {}),
    usage: row.usage,
    cost: showCost(row),
    ...(row.struckAt === null ? {} : { struck_at: row.struckAt.toISOString() }),
    ...(row.label === null ? {} : { label: row.label }),
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

/** Whoever knows the seed knows the cases, so an open run does not show it. */
export function showSuite(row: RunRow) {
  const ended = row.status === 'completed' || row.status === 'failed';
  return {
    name: row.suiteName,
    version: row.suiteVersion,
    seed: ended ? row.suiteSeed : null,
  };
}

export function showFailure({ failureCode: code, failureMessage, failureCause: cause }: RunRow) {
  return code === null ? null : { code, message: failureMessage ?? code, cause };
}

/** Adds the scorecard and the results of the cases. */
export function showEvalRunDetail({ run, scorecard, cases }: OwnEvalRun) {
  const pruned = { cases_pruned_at: run.itemsPrunedAt?.toISOString() ?? null };
  if (scorecard === null) return { ...showEvalRun(run), scorecard: null, cases, ...pruned };
  return {
    ...showEvalRun(run),
    scorecard: {
      score_md: scorecardMarkdown(scorecard.model, 'summary'),
      score_html: scorecardDocument(scorecard.model),
      score_json: scorecard.scoreJson,
    },
    cases,
    ...pruned,
  };
}
