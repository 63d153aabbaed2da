/**
 * What a report compares a run with. Each case is compared with an earlier run of its own: the newest one in which it
 * has a verdict, or, if all its trials fail now, the newest one in which it passed. So a case stays broken until it
 * passes again or changes, whatever became of other cases, and a run without replies hides nothing.
 */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { hasPassed } from '#evals/own-suite/compare-runs.ts';
import type { TrialMarks } from '#evals/own-suite/stored-trial.ts';
import { passesOf, shownIn } from '#evals/own-suite/trial-marks.ts';
import type { ChosenBaseline } from '#evals/report/bars.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { isSameChoice, readPair, readTrials, type RunTrials } from './compare-runs.ts';
import { labelOf } from './find-run.ts';

const earlierMax = 100;
/** Reading stops after this many trials, because a report waits for it. */
const trialsMax = 200_000;
const readAtOnce = 10;
const labelsMax = 5;

export interface Baseline {
  /** With the trials of each case from the run that it is compared with. */
  readonly before: RunTrials;
  readonly after: RunTrials;
  readonly chosen: ChosenBaseline;
}

/**
 * @param baseline `latest` for all earlier runs, `branch:LABEL` for those with this label, or the id of a run
 * @returns null if there is no such run
 * @throws DomainError run_not_found, run_not_completed; invalid_parameter for the run itself; conflict for a run of
 *   another suite
 */
export async function chooseBaseline(ctx: AgentCtx, run: RunRow, baseline: string): Promise<Baseline | null> {
  const label = labelOf(baseline);
  if (label === null && baseline !== 'latest') {
    const [before, after] = await readPair(ctx, [baseline, run.id]);
    return { before, after, chosen: { label, others: 0 } };
  }
  const runs = await listEarlier(ctx, run, label);
  const base = runs.find((one) => isSameChoice(one, run)) ?? runs[0];
  if (base === undefined) return null;
  const [before, after] = await readTrials(ctx, [base, run]);
  invariant(before !== undefined && after !== undefined, 'Each run has its trials.');
  const shown = await findShown(ctx, after, runs);
  const own = (take: (one: Shown) => string) =>
    Object.fromEntries([...shown].map(([id, one]) => [id, take(one)]));
  return {
    before: {
      ...before,
      identities: [...before.identities, ...Object.entries(own(({ identity }) => identity))],
      marks: { ...before.marks, ...own(({ marks }) => marks) },
    },
    after,
    chosen: {
      label,
      others: shown
        .values()
        .filter(({ runId }) => runId !== base.id)
        .toArray().length,
    },
  };
}

/** @returns some labels of other runs of the suite; null if `baseline` names no label, or that of `run` */
export async function findOtherLabels(
  { db, agent }: AgentCtx,
  run: RunRow,
  baseline: string,
): Promise<readonly string[] | null> {
  const label = labelOf(baseline);
  if (label === null || label === run.label) return null;
  const { runs } = db.tables;
  const found = await db.query
    .selectDistinct({ label: runs.label })
    .from(runs)
    .where(and(eq(runs.agentId, agent.id), eq(runs.product, run.product), eq(runs.suiteName, run.suiteName)))
    .orderBy(runs.label)
    .limit(labelsMax + 3);
  return found
    .flatMap((one) => one.label ?? [])
    .filter((one) => one !== label && one !== run.label)
    .slice(0, labelsMax);
}

/** What an earlier run shows of a case. */
interface Shown {
  readonly runId: string;
  readonly identity: string;
  readonly marks: TrialMarks;
}

/** @param runs newest first */
async function findShown(
  ctx: AgentCtx,
  { marks, identities }: RunTrials,
  runs: readonly RunRow[],
): Promise<ReadonlyMap<string, Shown>> {
  const shown = new Map<string, Shown>();
  const open = new Map(identities.filter(([id]) => marks[id] !== undefined));
  for (let at = 0, left = trialsMax; at < runs.length && left > 0 && open.size > 0; at += readAtOnce) {
    for (const side of await readTrials(ctx, runs.slice(at, at + readAtOnce))) {
      await takeTurn();
      left -= side.run.runSize;
      for (const [id, identity] of side.identities) {
        const passes = open.get(id) === identity ? shownIn(side.marks[id] ?? '') : [];
        if (passes.length === 0) continue;
        const isPassed = hasPassed(passes);
        if (isPassed || !shown.has(id))
          shown.set(id, { runId: side.run.id, identity, marks: side.marks[id] ?? '' });
        if (isPassed || !failsNow(marks[id] ?? '')) open.delete(id);
      }
    }
  }
  return shown;
}

function failsNow(marks: TrialMarks): boolean {
  const passes = passesOf(marks);
  return passes.length > 0 && !passes.includes(true);
}

/** Completed runs of the suite, newest first. */
async function listEarlier(
  { db }: AgentCtx,
  { id, agentId, product, suiteName, suiteId, suiteVersion }: RunRow,
  label: string | null,
): Promise<readonly RunRow[]> {
  const { runs } = db.tables;
  return db.query
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.agentId, agentId),
        eq(runs.product, product),
        eq(runs.suiteName, suiteName),
        // Versions of a published suite share cases.
        suiteId === null ? eq(runs.suiteVersion, suiteVersion) : eq(runs.suiteId, suiteId),
        label === null ? undefined : eq(runs.label, label),
        eq(runs.status, 'completed'),
        eq(runs.cancelled, false),
        lt(runs.id, id),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(earlierMax);
}
