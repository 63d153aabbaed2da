/** An agent's newest runs of a suite under several labels, case by case: prompts, models or branches side by side. */
import { openDocument } from '#evals/own-suite/check-document.ts';
import { findVersion } from './find-runnable-suite.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { type CaseVerdict, passesOf, shownIn, verdictOf } from '#evals/own-suite/trial-marks.ts';
import type { VerdictSources } from '#evals/report/verdict-notes.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { readTrials, type RunTrials } from '../runs/compare-runs.ts';
import { findBaseline } from '../runs/find-run.ts';
import { suiteRun } from '../runs/products/suite-run.ts';
import { findSuite, type FoundSuite, mayReadCases, type SuiteKey, suiteRefOf } from './find-suite.ts';

export interface ShowMatrixInput extends SuiteKey {
  /** With commas in between. The others are compared with the first. */
  readonly labels: string;
}

export interface MatrixColumn {
  readonly label: string;
  /** The newest completed one that was not cancelled. */
  readonly run: RunRow;
  readonly sources: VerdictSources;
}

/** Of a column: null if its run did not ask the case. */
export interface MatrixCell {
  readonly verdict: CaseVerdict;
  /** Whether the case has the same content as in the first column that has it. */
  readonly isSame: boolean;
}

export const matrixChanges = ['regressed', 'improved', 'mixed', 'equal', 'unlike'] as const;

export interface MatrixRow {
  readonly caseId: string;
  /** Null if it has none or the caller may not read cases. */
  readonly title: string | null;
  /**
   * The shares that passed, in comparison with the first column: lower in some and higher in none, the other way round,
   * both, or neither. `unlike`: no other column has the case as the first one has it.
   */
  readonly change: (typeof matrixChanges)[number];
  readonly cells: readonly (MatrixCell | null)[];
}

export interface Matrix {
  readonly columns: readonly MatrixColumn[];
  /** Regressed cases first. */
  readonly rows: readonly MatrixRow[];
}

/**
 * @throws DomainError not_found, content_hidden; invalid_parameter unless there are two to eight different labels;
 *   run_not_found for a label without a completed run
 */
export async function showMatrix(ctx: AgentCtx, { labels: text, ...key }: ShowMatrixInput): Promise<Matrix> {
  const suite = await findSuite(ctx, key, ctx.agent);
  const suiteName = suiteRefOf(suite);
  const labels = readLabels(text);
  const found: Omit<MatrixColumn, 'sources'>[] = [];
  for (const label of labels) {
    const run = await findBaseline(ctx, { product: suiteRun.name, suiteName }, `branch:${label}`);
    if (run === null) throw noRun(suiteName, label);
    found.push({ label, run });
  }
  const runs = found.map(({ run }) => run);
  const sides = await readTrials(ctx, runs);
  const columns = sides.flatMap(({ sources }, at) => {
    const column = found[at];
    return column === undefined ? [] : [{ ...column, sources }];
  });
  return { columns, rows: rowsOf(sides, await titlesOf(ctx, suite, runs)) };
}

/** A case that was edited since may be in the version of its run only. */
async function titlesOf(
  ctx: AgentCtx,
  suite: FoundSuite,
  runs: readonly RunRow[],
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  if (!mayReadCases(suite)) return titles;
  for (const version of new Set(runs.map((run) => Number(run.suiteVersion)))) {
    const { document, caseIdentities } = await findVersion(ctx, suite, version);
    for (const { id, title } of openDocument(document, caseIdentities).cases)
      if (title !== undefined) titles.set(id, title);
  }
  return titles;
}

const labelsMax = 8;

function readLabels(text: string): readonly string[] {
  const labels = text.split(',').map((label) => label.trim());
  const isRight = labels.length >= 2 && labels.length <= labelsMax && !labels.includes('');
  if (isRight && new Set(labels).size === labels.length) return labels;
  throw new DomainError('invalid_parameter', `\`labels\` must be 2 to ${labelsMax} different labels.`, {
    hint: 'Write them with commas in between, such as `main,new-prompt`.',
  });
}

export function rowsOf(
  sides: readonly Pick<RunTrials, 'identities' | 'marks'>[],
  titles: ReadonlyMap<string, string> = new Map(),
): readonly MatrixRow[] {
  const columns = sides.map(({ marks, identities }) => ({
    marks: new Map(Object.entries(marks)),
    contents: new Map(identities),
  }));
  const ids = new Set(columns.flatMap(({ marks }) => [...marks.keys()]));
  const rows = [...ids].map((caseId): MatrixRow => {
    const having = columns.find(({ marks }) => marks.has(caseId));
    const content = having?.contents.get(caseId);
    const marksOf = columns.map(({ marks }) => marks.get(caseId) ?? null);
    const cells = columns.map(({ contents }, index): MatrixCell | null => {
      const marks = marksOf[index] ?? null;
      if (marks === null) return null;
      return { verdict: verdictOf(marks), isSame: contents.get(caseId) === content };
    });
    const [first = null, ...others] = marksOf;
    const alike = others.filter((_, index) => cells[index + 1]?.isSame === true);
    const change = first === null ? 'unlike' : changeOf(first, alike);
    return { caseId, title: titles.get(caseId) ?? null, change, cells };
  });
  return matrixChanges.flatMap((change) => rows.filter((row) => row.change === change));
}

function changeOf(first: string, others: readonly (string | null)[]): MatrixRow['change'] {
  const differences = others.flatMap((marks) => {
    const difference = marks === null ? null : differenceOf(shownIn(first), passesOf(marks));
    return difference === null ? [] : [difference];
  });
  if (differences.length === 0) return 'unlike';
  const [isLower, isHigher] = [differences.some((one) => one < 0), differences.some((one) => one > 0)];
  if (isLower && isHigher) return 'mixed';
  return isLower ? 'regressed' : isHigher ? 'improved' : 'equal';
}

/** Below 0 if a smaller share passed, on exact counts; null if the first side shows nothing. */
function differenceOf(before: readonly boolean[], after: readonly boolean[]): number | null {
  if (before.length === 0) return null;
  return countPassed(after) * before.length - countPassed(before) * after.length;
}

const countPassed = (passes: readonly boolean[]): number => passes.filter(Boolean).length;

function noRun(suiteName: string, label: string): DomainError {
  return new DomainError(
    'run_not_found',
    `You have no completed run of ${suiteName} with the label ${label}.`,
    {
      hint: '`evaluate --label` names a run.',
    },
  );
}
