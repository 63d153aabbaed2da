/** Schemas of runs of suites: their figures, their cases, and comparisons case by case. */
import { Findings, SuiteRunCase, SuiteRunFigures, tokenUsage } from '#evals/own-suite/shown-run.ts';
import { Type } from 'typebox';
import type { RunRow } from '#db/schema/run-tables.ts';
import { roundRate } from '#evals/rates.ts';
import { changeVerdicts, Reach, reachText } from '#evals/report/bars.ts';
import type { ComparedRuns } from '#domain/runs/compare-runs.ts';
import { type Matrix, matrixChanges } from '#domain/suites/show-matrix.ts';
import { caseVerdicts } from '#evals/own-suite/trial-marks.ts';
import type { ShownRun } from '#domain/runs/show-run.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { VerdictSources } from '#evals/report/verdict-notes.ts';
import { cost, onlySome, Run, showCost, showOnly, showRun } from '../runs/model.ts';
import { instant, named, nullable, object, oneOf, uuid } from '../schemas.ts';
import type { Wire } from '../wire.ts';

const share = () => Type.Number({ minimum: 0, maximum: 1 });
const ids = (description: string) => Type.Array(Type.String(), { description });

export const RunDetail = named('RunDetail', {
  ...Run.properties,
  result: nullable(SuiteRunFigures),
  findings: Type.Optional(Findings),
  unseen: Type.Optional(
    Type.Array(Type.String(), {
      description: "What the run does not ask, or cannot see, and which verdicts are not of the hub's rules.",
    }),
  ),
  cases: Type.Optional(
    Type.Array(SuiteRunCase, {
      description: 'With `include=cases`. What each grader expected and found is null in a hidden suite.',
    }),
  ),
  cases_pruned_at: Type.Optional(
    nullable(instant('When the cases were deleted at the end of their retention period.')),
  ),
});

export function showRunDetail(shown: ShownRun): Wire<typeof RunDetail> {
  const { run, result, findings, unseen, cases } = shown;
  return {
    ...showRun(run),
    result: result === null ? null : showResult(result),
    ...(findings === null ? {} : { findings }),
    ...(unseen.length === 0 ? {} : { unseen }),
    ...(cases === null ? {} : { cases, cases_pruned_at: run.itemsPrunedAt?.toISOString() ?? null }),
  };
}

/** Without the verdict on each case, which its cases have. */
export function showResult(stored: StoredSuiteResult): Wire<typeof SuiteRunFigures> {
  const { marks: _, exact: __, findings: ___, reviews: ____, ...result } = stored;
  return result;
}

/** Fields of a run beside others. */
const verdictSources = () => ({
  judged_by_runner: Type.Integer({ minimum: 0, description: 'Cases that judges of the runner decide.' }),
  overruled: Type.Integer({ minimum: 0, description: 'Cases with a verdict that the owner overruled.' }),
});

function showSources({ judged, overruled }: VerdictSources) {
  return { judged_by_runner: judged, overruled };
}

const ComparedRun = named('ComparedRun', {
  id: uuid(),
  version: Type.String(),
  score: nullable(Type.Number()),
  only: onlySome(),
  finished_at: nullable(instant()),
  ...verdictSources(),
});

export const RunComparison = named('RunComparison', {
  suite: Type.String({ description: 'Its name, such as `@owner/name`.' }),
  before: ComparedRun,
  after: ComparedRun,
  verdict: oneOf(changeVerdicts, {
    description: '`not comparable`: no case is the same in both runs with a verdict in each.',
  }),
  p: Type.Number({ description: 'The two-sided p-value of no change.' }),
  cases: Type.Integer({ minimum: 0, description: 'Cases that are compared.' }),
  reach: object(
    {
      text: Type.String({ examples: ['compared 3 of 40 cases; 37 are new or changed'] }),
      ...Reach.properties,
    },
    { description: 'How many cases of the two runs are compared, and why the others are not.' },
  ),
  metrics: Type.Record(Type.String(), object({ before: nullable(share()), after: nullable(share()) }), {
    description: 'By name: the share of its graders that passed in each run.',
  }),
  broken: ids('Passed before; all trials fail now.'),
  fixed: ids('No trial passed before; all pass now.'),
  still_failing: ids('No trial passed, before and now.'),
  flaky_now: ids('Some trials pass now, and the case was not flaky before.'),
});

export function showComparison(compared: ComparedRuns): Wire<typeof RunComparison> {
  const { before, after, reach, sources, marks: _, ...verdict } = compared;
  return {
    suite: after.suiteName,
    before: { ...showSide(before), ...showSources(sources[0]) },
    after: { ...showSide(after), ...showSources(sources[1]) },
    ...verdict,
    reach: { text: reachText(reach), ...reach },
  };
}

function showSide({ id, suiteVersion, score, only, finishedAt }: RunRow) {
  return {
    id,
    version: suiteVersion,
    score: score === null ? null : roundRate(score),
    ...showOnly({ only }),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

export const LabelMatrix = named('LabelMatrix', {
  runs: Type.Array(
    object({
      label: Type.String(),
      run_id: uuid(),
      version: Type.String(),
      score: nullable(Type.Number()),
      only: onlySome(),
      ...verdictSources(),
      cost: cost(),
      usage: nullable(tokenUsage('The tokens that were reported; null if none.')),
    }),
  ),
  counts: object(Object.fromEntries(matrixChanges.map((change) => [change, Type.Integer({ minimum: 0 })]))),
  cases: Type.Array(
    object({
      case_id: Type.String(),
      title: nullable(Type.String({ description: 'Null in a hidden suite.' })),
      change: oneOf(matrixChanges, {
        description:
          'Of the share that passed since the first run. `mixed`: lower in one run, higher in another. `unlike`: no other run has this case with the same content.',
      }),
      verdicts: Type.Array(nullable(oneOf(caseVerdicts)), {
        description: 'In the order of the runs; null if a run did not ask the case.',
      }),
      changed: Type.Array(Type.Boolean(), {
        description: 'In the order of the runs: whether the case has other content there.',
      }),
    }),
  ),
});

export function showLabelMatrix({ columns, rows }: Matrix): Wire<typeof LabelMatrix> {
  const numberOf = (change: string): number => rows.filter((row) => row.change === change).length;
  return {
    runs: columns.map(({ label, run, sources }) => ({
      label,
      run_id: run.id,
      version: run.suiteVersion,
      score: run.score === null ? null : roundRate(run.score),
      ...showOnly(run),
      ...showSources(sources),
      cost: showCost(run),
      usage: run.usage,
    })),
    counts: Object.fromEntries(matrixChanges.map((change) => [change, numberOf(change)])),
    cases: rows.map(({ caseId, title, change, cells }) => ({
      case_id: caseId,
      title,
      change,
      verdicts: cells.map((cell) => cell?.verdict ?? null),
      changed: cells.map((cell) => cell?.isSame === false),
    })),
  };
}
