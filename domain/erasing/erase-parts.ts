/** Erases, part by part, what was closed or deleted. The sweeper calls this, and whoever closes an account. */
import { and, asc, eq, lte, not } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { type PageMax, pageMax } from '#db/pages.ts';
import type { ErasureKind } from '#db/schema/operation-tables.ts';
import { lockRows } from '#db/transaction.ts';
import { othersTurn } from '#runtime/loop-turns.ts';
import { accountSteps, lateStep } from '../account/erase-account.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { erasePostsOfThread } from '../forum/delete-thread.ts';
import { eraseCases } from '../runs/erase-cases.ts';
import { Setbacks } from '../setbacks.ts';
import type { ErasingSteps } from './erasures.ts';

const stepsOf: Readonly<Record<ErasureKind, ErasingSteps>> = {
  account: accountSteps,
  thread: { posts: erasePostsOfThread },
  run: { cases: eraseCases },
};

/**
 * Transactions that began before an account was closed may still add rows to it: notices, names in suites, the handle of
 * a host. None of them, and no command to an actor, takes an hour.
 */
const lookAgainAfterMs: readonly number[] = [60_000, 60 * 60_000];

const subjectsAtOnceMax = 20;

/**
 * Erases the next part of each of up to 20 subjects.
 * @param setbacks kept from call to call: a subject that cannot be erased holds up no other one
 * @returns the number of parts
 */
export async function eraseParts(
  ctx: Ctx,
  setbacks = new Setbacks(ctx.clock),
  max = pageMax,
): Promise<number> {
  const { erasures } = ctx.db.tables;
  const due = await ctx.db.query
    .select({ kind: erasures.kind, id: erasures.subjectId })
    .from(erasures)
    .where(
      and(lte(erasures.dueAt, ctx.clock.now()), not(inList(ctx.db, erasures.subjectId, setbacks.leftOut()))),
    )
    .orderBy(asc(erasures.dueAt))
    .limit(subjectsAtOnceMax);
  return setbacks.forEach('subjects could not be erased', due, (one) => erasePart(ctx, one, max));
}

/**
 * Erases as much of a subject as the time allows; the sweeper erases the rest.
 * @param untilMs see `performance.now`
 */
export async function eraseUntil(ctx: Ctx, subject: Subject, untilMs: number, max = pageMax): Promise<void> {
  while (await erasePart(ctx, subject, max)) if (performance.now() > untilMs) return;
}

interface Subject {
  readonly kind: ErasureKind;
  readonly id: string;
}

/** @returns whether there is more to erase now */
async function erasePart(ctx: Ctx, { kind, id }: Subject, max: PageMax): Promise<boolean> {
  await othersTurn();
  return withTransaction(ctx, async (inner) => {
    const { db, clock } = inner;
    const { erasures } = db.tables;
    const isThis = and(eq(erasures.kind, kind), eq(erasures.subjectId, id));
    // Of several sweepers, one erases it and the others wait.
    const [held] = await lockRows(db, db.query.select().from(erasures).where(isThis));
    const now = clock.now();
    if (held === undefined || held.dueAt > now) return false;
    const steps = Object.entries(stepsOf[kind]);
    const place = steps.findIndex(([name]) => name === held.step);
    // Null, or of another version of the hub, after which all steps are repeated.
    const isUnknown = place === -1;
    let after = isUnknown ? null : held.after;
    for (const [name, step] of isUnknown ? steps : steps.slice(place)) {
      after = await step(inner, id, after, max);
      if (after === null) continue;
      await db.query.update(erasures).set({ step: name, after }).where(isThis);
      return true;
    }
    const againAfterMs = kind === 'account' ? lookAgainAfterMs[held.passes] : undefined;
    if (againAfterMs === undefined) await db.query.delete(erasures).where(isThis);
    else
      await db.query
        .update(erasures)
        .set({
          step: lateStep,
          after: null,
          passes: held.passes + 1,
          dueAt: new Date(now.getTime() + againAfterMs),
        })
        .where(isThis);
    return false;
  });
}
