/** The earlier run that a report compares a run with. A red run does not become the baseline of its own label. */
import { and, desc, eq, isNull, lte } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { ChosenBaseline } from '#evals/report/bars.ts';
import { passesOf } from '#evals/own-suite/trial-marks.ts';
import type { AgentCtx } from '../context.ts';
import { compareTrials, type RunTrials, readTrials } from './compare-runs.ts';
import { findBaseline, labelOf, listRuns } from './find-run.ts';

const passedOverMax = 100;
/** Reading stops after this many trials, because the verdicts of all are held at once. */
const trialsMax = 200_000;
const readAtOnce = 10;

/**
 * The newest run, as `findBaseline` finds it. If it has the label of `run` itself, runs of that label are passed over
 * while a case is broken in them, so that a case stays broken until it passes again or changes.
 * @param baseline `latest`, `branch:LABEL` or the id of a run
 * @returns null if there is no such run
 * @throws DomainError run_not_found; invalid_parameter for a run of another suite
 */
export async function chooseBaseline(
  ctx: AgentCtx,
  run: RunRow,
  baseline: string,
): Promise<{ readonly earlier: RunRow; readonly chosen: ChosenBaseline } | null> {
  const newest = await findBaseline(ctx, run, baseline, run);
  if (newest === null) return null;
  const { id, label, only } = newest;
  const isOwn = baseline !== id && label !== null && label === run.label;
  const { earlier, passedOver } = isOwn ? await passOver(ctx, newest) : { earlier: newest, passedOver: 0 };
  const named = passedOver > 0 ? label : labelOf(baseline);
  return { earlier, chosen: { label: named, isWhole: only === null, passedOver } };
}

/** @returns the label of `baseline` if neither `run` nor any other run of the suite has one with which it would be found */
export async function findUnusedLabel(ctx: AgentCtx, run: RunRow, baseline: string): Promise<string | null> {
  const label = labelOf(baseline);
  if (label === null || run.label !== null) return null;
  const used = await listRuns(ctx, {
    product: run.product,
    suite: run.suiteName,
    label,
    limit: 1,
    cursor: null,
  });
  return used.items.length === 0 ? label : null;
}

interface Kept {
  readonly earlier: RunRow;
  readonly passedOver: number;
}

/** From the oldest to the newest, each run is compared with the one that was its baseline. */
async function passOver(ctx: AgentCtx, newest: RunRow): Promise<Kept> {
  const trials = (await readBack(ctx, newest)).toReversed();
  let [at, broken]: [number, ReadonlySet<string>] = [0, new Set()];
  for (const [next, after] of trials.entries()) {
    const before = trials[at];
    if (before === undefined || next === at) continue;
    await takeTurn();
    const still = brokenIn(before, after, broken);
    [at, broken] = still.size === 0 ? [next, still] : [at, still];
  }
  return { earlier: trials[at]?.run ?? newest, passedOver: trials.length - 1 - at };
}

/** Newest first, until a run in which no case can be broken, whatever was before. */
async function readBack(ctx: AgentCtx, newest: RunRow): Promise<readonly RunTrials[]> {
  const runs = await listLabelled(ctx, newest);
  const read: RunTrials[] = [];
  let left = trialsMax;
  while (read.length < runs.length && left > 0) {
    for (const one of await readTrials(ctx, runs.slice(read.length, read.length + readAtOnce))) {
      read.push(one);
      left -= one.run.runSize;
      if (hasPassedAll(one)) return read;
    }
    await takeTurn();
  }
  return read;
}

/** Whether each case has passed in a trial. */
function hasPassedAll({ identities, marks: stored }: RunTrials): boolean {
  const marks = new Map(Object.entries(stored));
  return identities.length > 0 && identities.every(([id]) => passesOf(marks.get(id) ?? '').includes(true));
}

/** The cases that break, and those of `broken` that have no verdict now. */
function brokenIn(before: RunTrials, after: RunTrials, broken: ReadonlySet<string>): ReadonlySet<string> {
  const change = compareTrials(before, after);
  // Cases of the same kind are not the same cases.
  if (change.reach.sample === 'same kinds') return new Set();
  const [earlier, later] = [new Map(before.identities), new Map(after.identities)];
  const marks = new Map(Object.entries(after.marks));
  const isOpen = (id: string) =>
    later.has(id) && later.get(id) === earlier.get(id) && passesOf(marks.get(id) ?? '').length === 0;
  return new Set([...change.broken, ...[...broken].filter(isOpen)]);
}

/** Newest first, from `newest` on; runs of all cases only if it is one. */
async function listLabelled({ db }: AgentCtx, newest: RunRow): Promise<readonly RunRow[]> {
  const { runs } = db.tables;
  const { id, agentId, product, suiteName, suiteId, suiteVersion, label, only } = newest;
  return db.query
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.agentId, agentId),
        eq(runs.product, product),
        eq(runs.suiteName, suiteName),
        suiteId === null ? eq(runs.suiteVersion, suiteVersion) : eq(runs.suiteId, suiteId),
        eq(runs.label, label ?? ''),
        eq(runs.status, 'completed'),
        eq(runs.cancelled, false),
        lte(runs.id, id),
        only === null ? isNull(runs.only) : undefined,
      ),
    )
    .orderBy(desc(runs.id))
    .limit(passedOverMax + 1);
}
