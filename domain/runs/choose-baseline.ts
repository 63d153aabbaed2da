/**
 * What a report compares a run with. Each case is compared with the newest earlier run in which it has a verdict, so that
 * chance is the same on both sides. It is broken if it fails now and has passed in any earlier run: so it stays broken until
 * it passes again or changes, whatever became of other cases, and a run without replies hides nothing.
 */
import { and, eq, isNotNull, ne } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { hasPassed } from '#evals/own-suite/compare-runs.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { TrialMarks } from '#evals/own-suite/stored-trial.ts';
import { passesOf, shownIn } from '#evals/own-suite/trial-marks.ts';
import type { ChosenBaseline } from '#evals/report/bars.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { isSameChoice, readPair, readTrials, type RunTrials } from './compare-runs.ts';
import { labelOf, listCompleted } from './find-run.ts';
import { withTrials } from './judging/change-verdicts.ts';
import { productOf } from './products.ts';

const earlierMax = 100;
/** Reading stops after this many trials, because a report waits for it. */
const trialsMax = 200_000;
const readAtOnce = 10;
const labelsMax = 5;

export interface Baseline {
  /** With the trials of each case from the run that it is compared with. */
  readonly before: RunTrials;
  readonly after: RunTrials;
  /** The cases that have passed in an earlier run, and of which all trials fail now. */
  readonly broken: ReadonlySet<string>;
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
    return { before: asGraded(before), after, broken: new Set(), chosen: { label, others: 0 } };
  }
  const runs = await listCompleted(ctx, run, { label, before: run, limit: earlierMax });
  const base = runs.find((one) => isSameChoice(one, run)) ?? runs[0];
  if (base === undefined) return null;
  const [read, after] = await readTrials(ctx, [base, run]);
  invariant(read !== undefined && after !== undefined, 'Each run has its trials.');
  const before = asGraded(read);
  // Cases of the same kind are not the same cases, and the runs before have others of them.
  const isByKind = productOf(run).cases.isByKind === true;
  const shown = await findShown(ctx, after, isByKind ? [base] : runs);
  const broken = [...shown].filter(([, { passedIn }]) => passedIn !== null);
  const others = [...shown.values()].filter(({ runId, passedIn }) => (passedIn ?? runId) !== base.id);
  return {
    before: {
      ...before,
      identities: [
        ...before.identities,
        ...[...shown].map(([id, { identity }]): CaseIdentity => [id, identity]),
      ],
      marks: { ...before.marks, ...Object.fromEntries([...shown].map(([id, { marks }]) => [id, marks])) },
    },
    after,
    broken: new Set(broken.map(([id]) => id)),
    chosen: { label, others: others.length },
  };
}

/**
 * @returns some labels that runs of the suite have; null if `baseline` names no label, or one that a run has, be it `run`
 *   or one that has not completed
 */
export async function findOtherLabels(
  { db, agent }: AgentCtx,
  run: RunRow,
  baseline: string,
): Promise<readonly string[] | null> {
  const label = labelOf(baseline);
  if (label === null) return null;
  const { runs } = db.tables;
  const select = () => db.query.selectDistinct({ label: runs.label }).from(runs);
  const isOfSuite = and(
    eq(runs.agentId, agent.id),
    eq(runs.product, run.product),
    eq(runs.suiteName, run.suiteName),
  );
  const used = await select()
    .where(and(isOfSuite, eq(runs.label, label)))
    .limit(1);
  if (used.length > 0) return null;
  const others = await select()
    .where(and(isOfSuite, isNotNull(runs.label), ne(runs.label, run.label ?? '')))
    .orderBy(runs.label)
    .limit(labelsMax);
  return others.flatMap((one) => one.label ?? []);
}

/** What earlier runs show of a case. */
interface Shown {
  readonly identity: string;
  /** The newest one in which it has a verdict. */
  readonly runId: string;
  readonly marks: TrialMarks;
  /** Of a case that fails now: the newest run in which it passed. */
  passedIn: string | null;
}

/** @param runs newest first */
async function findShown(
  ctx: AgentCtx,
  { marks, identities }: RunTrials,
  runs: readonly RunRow[],
): Promise<ReadonlyMap<string, Shown>> {
  const shown = new Map<string, Shown>();
  const asked = new Map(Object.entries(marks));
  const open = new Map(identities.filter(([id]) => asked.has(id)));
  for (let at = 0, left = trialsMax; at < runs.length && left > 0 && open.size > 0; at += readAtOnce) {
    const part = await readTrials(ctx, runs.slice(at, at + readAtOnce));
    for (const { run, ...side } of part.map(asGraded)) {
      await takeTurn();
      left -= run.runSize;
      const before = new Map(Object.entries(side.marks));
      for (const [id, identity] of side.identities) {
        const earlier = before.get(id) ?? '';
        const passes = open.get(id) === identity ? shownIn(earlier) : [];
        if (passes.length === 0) continue;
        const one = shown.get(id) ?? { identity, runId: run.id, marks: earlier, passedIn: null };
        shown.set(id, one);
        const isBroken = failsNow(asked.get(id) ?? '');
        if (isBroken && hasPassed(passes)) one.passedIn = run.id;
        if (!isBroken || one.passedIn !== null) open.delete(id);
      }
    }
  }
  return shown;
}

/** Without the failures that the owner let pass: the same reply fails in a later run, though nothing broke. */
function asGraded(side: RunTrials): RunTrials {
  const letPass = side.reviews.filter(({ passed, was }) => passed && was !== 'passed');
  const graded = letPass.map(({ was, ...review }) => ({ ...review, status: was }));
  return { ...side, marks: withTrials(side.marks, graded) };
}

function failsNow(marks: TrialMarks): boolean {
  const passes = passesOf(marks);
  return passes.length > 0 && !passes.includes(true);
}
