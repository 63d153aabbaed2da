/** Schemas of runs of suites: their figures, their cases, and comparisons case by case. */
import { Type } from 'typebox';
import type { RunRow } from '#db/schema/run-tables.ts';
import { roundRate } from '#evals/rates.ts';
import { changeVerdicts, reachText } from '#evals/report/bars.ts';
import type { ComparedRuns } from '#domain/runs/compare-runs.ts';
import { type Matrix, matrixChanges } from '#domain/suites/show-matrix.ts';
import { caseVerdicts } from '#evals/own-suite/trial-marks.ts';
import type { ShownRun } from '#domain/runs/show-run.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { VerdictSources } from '#evals/report/verdict-notes.ts';
import { cost, errorResponse, Run, showCost, showRun, tokenUsage } from '../runs/model.ts';
import { component, named, nullable, object } from '../schemas/object.ts';
import { instant, oneOf, uuid } from '../schemas/values.ts';
import type { Wire } from '../schemas/wire.ts';

const share = (description?: string) =>
  Type.Number({ minimum: 0, maximum: 1, ...(description === undefined ? {} : { description }) });
const milliseconds = () => Type.Number({ minimum: 0 });
const number0 = () => Type.Integer({ minimum: 0 });
const ids = (description: string) => Type.Array(Type.String(), { description });

export const JudgedFigures = named(
  'JudgedFigures',
  {
    cases: ids('The cases that they decide, alone or with rules.'),
    open: Type.Integer({ minimum: 0, description: 'Replies that still have no verdict.' }),
    judges: Type.Array(
      object({
        judge: Type.String(),
        models: Type.Array(Type.String(), { description: 'As the runner calls them.' }),
        replies: Type.Integer({ minimum: 0, description: 'Replies that it was asked about.' }),
        splits: Type.Integer({ minimum: 0, description: 'Replies about which its votes differ.' }),
        split: ids('The cases with such a reply.'),
      }),
    ),
  },
  { description: 'Verdicts of judges that the runner brought. The hub does not vouch for them.' },
);

export const SuiteRunFigures = named('SuiteRunResult', {
  pass_rate: object(
    { value: share(), low: share(), high: share() },
    { description: 'The weighted share of cases that passed, with its 95% interval.' },
  ),
  pass_k: object(
    { k: Type.Integer({ minimum: 1 }), value: share() },
    { description: 'The weighted share of cases that passed in all `k` trials.' },
  ),
  flaky: ids('The cases that passed in some trials and failed in others.'),
  tags: Type.Record(
    Type.String(),
    object({
      value: share(),
      cases: Type.Integer({ minimum: 1 }),
      answered: Type.Integer({ minimum: 0, description: 'With an answer to at least one trial.' }),
    }),
  ),
  metrics: Type.Optional(
    Type.Record(
      Type.String(),
      object({ value: share(), passed: number0(), graded: Type.Integer({ minimum: 1 }) }),
      { description: 'By name: of the graders with this `metric`, how many passed, over all replies.' },
    ),
  ),
  latency: nullable(object({ p50_ms: milliseconds(), p90_ms: milliseconds() })),
  usage: nullable(tokenUsage('All tokens that were reported.')),
  ungraded: Type.Integer({ minimum: 0, description: 'Replies that count neither way.' }),
  unanswered: Type.Integer({
    minimum: 0,
    description: 'Those among them that were never answered, because the run ended before.',
  }),
  errors: Type.Integer({
    minimum: 0,
    description: 'Trials without a reply, or without the verdict of a judge, which count as failed.',
  }),
  judged: Type.Optional(JudgedFigures),
  partial: Type.Optional(
    ids('The cases that lost assertions when the suite was imported from another tool.'),
  ),
  reviewed: Type.Optional(
    object(
      {
        confirmed: number0(),
        overruled: ids('The cases with an overruled verdict.'),
        as_graded: nullable(object({ value: share(), low: share(), high: share() })),
      },
      {
        description:
          'What the owner of the run decided about verdicts. The figures count it; `as_graded` is the pass rate without it.',
      },
    ),
  ),
});

export const Findings = component(
  'Findings',
  Type.Array(
    object({
      rule: Type.String(),
      sentence: Type.String(),
      look_at: Type.String({ description: 'Where to look for the cause.' }),
      cases: ids('The cases that show it.'),
      change: Type.Optional(
        object(
          { before: Type.String(), after: Type.String() },
          { description: 'What was changed on the way, in one of these cases.' },
        ),
      ),
      certainty: oneOf(['certain', 'likely'], { description: '`likely` if another cause is possible.' }),
    }),
    { maxItems: 5, description: 'What is wrong with the agent, the first cause first.' },
  ),
);

export const ToolCalls = Type.Array(
  object({
    name: Type.String({ maxLength: 200 }),
    arguments: Type.Unknown({ description: 'An object, or the text that was sent instead.' }),
  }),
);

const SuiteTrial = named('SuiteTrial', {
  index: Type.Integer({ minimum: 0 }),
  case_id: Type.String(),
  trial: Type.Integer({ minimum: 1 }),
  status: oneOf(['passed', 'failed', 'error', 'ungraded']),
  score: share('The share of the case: the mean of its graders.'),
  graders: Type.Array(
    object({
      name: Type.String(),
      passed: Type.Boolean(),
      expected: nullable(Type.String()),
      found: nullable(Type.String()),
    }),
  ),
  response_text: nullable(
    Type.String({ description: 'The first 4,000 characters of the reply; 8,000 in an eval run.' }),
  ),
  tool_calls: Type.Optional(ToolCalls),
  earlier: Type.Optional(
    Type.Array(Type.String(), { description: 'Of a case with turns: the replies before the last one.' }),
  ),
  judged: Type.Optional(
    Type.Array(
      object({
        grader: Type.Integer({ minimum: 0, description: 'The place of the grader.' }),
        judge: Type.String(),
        by: Type.String({ description: 'The handle of the agent that asked it.' }),
        model: nullable(Type.String()),
        prompt: nullable(Type.Integer({ description: 'The version of the prompt.' })),
        votes: Type.Array(object({ share: share(), explanation: Type.String() })),
        at: instant(),
      }),
      { description: 'What judges of the runner said.' },
    ),
  ),
  review: Type.Optional(
    object(
      {
        passed: Type.Boolean(),
        was: oneOf(['passed', 'failed', 'error', 'ungraded']),
        share: share(),
        reason: Type.String(),
        by: Type.String(),
        at: instant(),
      },
      { description: 'What the owner of the run decided, and what the trial was before.' },
    ),
  ),
  undone: Type.Optional(
    Type.Array(Type.String(), { description: 'The changes without which the reply passes, by name.' }),
  ),
  ungraded: Type.Optional(nullable(Type.String({ description: 'Why it counts neither way.' }))),
  error_code: nullable(Type.String()),
  error_message: Type.Optional(Type.String({ description: 'Why there is no reply, as the agent says.' })),
  error_response: Type.Optional(errorResponse()),
  attempts: Type.Integer({ minimum: 0 }),
  latency_ms: nullable(Type.Integer({ minimum: 0 })),
  usage: Type.Optional(tokenUsage('As reported.')),
});

export const SuiteRunCase = named('SuiteRunCase', {
  case_id: Type.String(),
  title: Type.Optional(Type.String({ description: 'Absent in a hidden suite.' })),
  lost: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Assertions that the import left out. Absent in a hidden suite.',
    }),
  ),
  tags: Type.Array(Type.String()),
  weight: Type.Number({ minimum: 0 }),
  prompt: nullable(Type.String({ description: 'The first 4,000 characters; null in a hidden suite.' })),
  pass_rate: nullable(share('Null if no trial was graded.')),
  trials: Type.Array(SuiteTrial),
});

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
      sample: oneOf(['same cases', 'same kinds'], {
        description: '`same kinds`: each run has cases of the same kinds with other words.',
      }),
      text: Type.String({ examples: ['compared 3 of 40 cases; 37 are new or changed'] }),
      compared: number0(),
      cases: number0(),
      changed: number0(),
      added: number0(),
      unasked: number0(),
      ungraded: number0(),
      gone: number0(),
    },
    { description: 'How many cases of the later run are compared, and why the others are not.' },
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

function showSide({ id, suiteVersion, score, finishedAt }: RunRow) {
  return {
    id,
    version: suiteVersion,
    score: score === null ? null : roundRate(score),
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
      ...verdictSources(),
      cost: cost(),
      usage: nullable(tokenUsage('The tokens that were reported; null if none.')),
    }),
  ),
  counts: object(Object.fromEntries(matrixChanges.map((change) => [change, Type.Integer({ minimum: 0 })]))),
  cases: Type.Array(
    object({
      case_id: Type.String(),
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
      ...showSources(sources),
      cost: showCost(run),
      usage: run.usage,
    })),
    counts: Object.fromEntries(matrixChanges.map((change) => [change, numberOf(change)])),
    cases: rows.map(({ caseId, change, cells }) => ({
      case_id: caseId,
      change,
      verdicts: cells.map((cell) => cell?.verdict ?? null),
      changed: cells.map((cell) => cell?.isSame === false),
    })),
  };
}
