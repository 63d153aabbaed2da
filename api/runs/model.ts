/** Schemas of redemptions and of runs of any product. */
import { tokenUsage } from '#evals/own-suite/shown-run.ts';
import { Type, type Static } from 'typebox';
import {
  chargeStates,
  evalRunFailureCodes,
  runFailureCodes,
  type RunRow,
  runStatuses,
} from '#db/schema/run-tables.ts';
import { roundInterval, roundRate } from '#evals/rates.ts';
import { checkSizes } from '#evals/health/health-check.ts';
import { checkSizeOf } from '#domain/runs/products/eval-run.ts';
import {
  component,
  instant,
  line,
  named,
  nullable,
  object,
  oneOf,
  patterned,
  presentIfTrue,
  uuid,
} from '../schemas.ts';
import type { Wire } from '../wire.ts';
import { costOfRuns, type RunCost } from '#evals/run-figures.ts';

/** @param description names the value of the interval */
export function interval(description: string) {
  return object({ low: Type.Number(), high: Type.Number() }, { description });
}

export const runStatus = () => oneOf(runStatuses);

const runLabelMax = 64;

/** Its agent's own name for a run. */
export const runLabel = (description: string) => line({ max: runLabelMax, description, example: 'main' });

/** What a completed run took. */
export function cost() {
  return component(
    'Cost',
    nullable(
      object(
        {
          score_per_1000_tokens: nullable(
            Type.Number({
              description:
                'Of the tokens reported in `usage`; null if there are none, or not every reply reported its own.',
            }),
          ),
          tokens: nullable(
            Type.Number({
              minimum: 0,
              description: 'Of a run, read and written; null unless every reply reported its own.',
            }),
          ),
          calls: nullable(Type.Integer({ minimum: 0, description: 'Of tools. Null if there are none.' })),
          calls_per_passed_task: nullable(Type.Number({ description: 'Null if no task passed.' })),
          latency: nullable(
            object(
              { p50_ms: Type.Integer({ minimum: 0 }), p90_ms: Type.Integer({ minimum: 0 }) },
              { description: 'Of a case or task, with all its turns or calls.' },
            ),
          ),
        },
        { description: 'What the run took. Null until it has completed.' },
      ),
    ),
  );
}

export function showCost({ score, usage, estimate, latency }: RunRow): RunCost | null {
  if (score === null) return null;
  return costOfRuns([{ score, usage, effort: estimate?.effort ?? null, latency }]);
}

export function charge() {
  return named('Charge', {
    tokens: Type.Integer({ minimum: 0 }),
    free: Type.Boolean(),
    state: oneOf(chargeStates),
  });
}

const baselineForm = '^(?:latest|branch:.{1,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$';

/** A run with which others of its suite are compared. */
export function baselineOf(description: string) {
  return patterned(baselineForm, 'be latest, branch:LABEL or the id of a run', {
    description,
    examples: ['latest'],
  });
}

const milliseconds = () => Type.Number({ minimum: 0 });

export const Redemption = named('Redemption', {
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
});

export const Cause = named(
  'Cause',
  {
    status: nullable(Type.Integer({ description: 'The last HTTP status; null if there was no response.' })),
    connection: nullable(oneOf(['dns', 'refused', 'tls', 'timeout'])),
    excerpt: nullable(
      Type.String({ description: 'The first 500 characters of a reply that could not be used.' }),
    ),
    expected: nullable(Type.String()),
  },
  { description: 'What the target returned and what was expected. Only the owner of the run sees it.' },
);

export const TargetShown = named('Target', {
  url: Type.String(),
  protocol: Type.String({ description: 'As in the request.' }),
  model: nullable(Type.String()),
  concurrency: Type.Integer(),
  timeout_s: nullable(Type.Integer({ description: "Null for the hub's default." })),
  header_names: Type.Array(Type.String(), { description: 'The values are never shown.' }),
});

export const EvalRun = named('EvalJob', {
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
  replay_of: nullable(uuid('The run whose items this one asks again.')),
  trials: Type.Integer({ minimum: 1, description: 'How often each case is asked.' }),
  size: Type.Optional(oneOf([...checkSizes], { description: 'Of an eval run.' })),
  interval: nullable(interval('The 95% interval of the score. Null until completed.')),
  failure: nullable(
    object({
      code: component('FailureCode', oneOf(evalRunFailureCodes)),
      message: Type.String(),
      cause: nullable(Cause),
    }),
  ),
  label: Type.Optional(Type.String({ description: 'Your own name for the run, if it has one.' })),
  cancelled: presentIfTrue(
    'Present if you cancelled the run. If it had a reply, it is `completed`: open cases score 0.',
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
});

export const onlySome = () =>
  Type.Optional(
    object(
      { cases: Type.Integer({ minimum: 1 }), of: Type.Integer({ minimum: 1 }) },
      { description: 'Present if the run asks only some cases of its version: how many of how many.' },
    ),
  );

export function showOnly({ only }: Pick<RunRow, 'only'>) {
  return only === null ? {} : { only: { cases: only.places.length, of: only.of } };
}

/** A run of any product. */
export const Run = named('Run', {
  ...EvalRun.properties,
  failure: nullable(
    object({
      code: component('RunFailureCode', oneOf(runFailureCodes)),
      message: Type.String(),
      cause: nullable(Cause),
    }),
  ),
  only: onlySome(),
  regraded_from: Type.Optional(
    uuid('Present if the run grades the stored replies of this other run: nothing was asked.'),
  ),
  share_replies: presentIfTrue('Present if the owner of the suite may read the replies.'),
});

export function showRedemption(row: RunRow): Wire<typeof Redemption> {
  const { redemptionId: id, product, chargeTokens: cost, chargeFree: free } = row;
  return { id, product, target_url: row.targetUrl, cost, free, created_at: row.createdAt.toISOString() };
}

function showTarget(url: string | null, target: RunRow['target']): Wire<typeof TargetShown> | null {
  if (url === null || target === null) return null;
  return { url, ...target, header_names: [...target.header_names] };
}

/** No eval run ends with `ungraded`. */
export function showEvalRun(row: RunRow): Wire<typeof EvalRun> {
  // The schemas differ only in that code.
  return showRun(row) as Static<typeof EvalRun>;
}

export function showRun(row: RunRow): Wire<typeof Run> {
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
    replay_of: row.replayOf,
    interval: row.estimate == null ? null : roundInterval(row.estimate.interval),
    ...(row.cancelled ? { cancelled: true } : {}),
    usage: row.usage,
    cost: showCost(row),
    ...(row.struckAt === null ? {} : { struck_at: row.struckAt.toISOString() }),
    ...(row.label === null ? {} : { label: row.label }),
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    product: row.product,
    target_url: row.mode === 'push' ? row.targetUrl : null,
    suite: showSuite(row),
    failure: showFailure(row),
    latency: row.latency,
    trials: row.trials,
    ...(row.product === 'eval-run' ? { size: checkSizeOf(row) } : {}),
    ...(row.suiteId === null
      ? {}
      : {
          ...showOnly(row),
          ...(row.regradedFrom === null ? {} : { regraded_from: row.regradedFrom }),
          ...(row.shareReplies ? { share_replies: true } : {}),
        }),
  };
}

/** Whoever knows the seed knows the cases, so an open run does not show it. */
function showSuite(row: RunRow) {
  const ended = row.status === 'completed' || row.status === 'failed';
  return {
    name: row.suiteName,
    version: row.suiteVersion,
    seed: ended ? row.suiteSeed : null,
  };
}

function showFailure({ failureCode: code, failureMessage, failureCause: cause }: RunRow) {
  return code === null ? null : { code, message: failureMessage ?? code, cause };
}
