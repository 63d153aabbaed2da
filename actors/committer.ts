/**
 * Group commit: batches of different actors that are ready at the same time share one transaction. What fails there is
 * redone in smaller pieces, down to single commands, so that a command that throws fails alone.
 */
import { isDatabaseUnavailable } from '#db/errors.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import type { Logger } from '#runtime/log.ts';
import type { ActorBatch, ActorOutcome, AnyActorType, Letter } from './actor-type.ts';
import { transactionMax } from './limits.ts';
import { type Answer, answerOf } from './replies.ts';

/** One actor's next commands. */
export interface Work {
  readonly actorId: string;
  /** Null: the actor has to be loaded first. */
  readonly state: unknown;
  readonly letters: readonly Letter<unknown>[];
}

export interface WorkDone {
  /** Null: unknown, to be loaded again. */
  readonly state: unknown;
  /** To the letters from the first one on; what is committed by now. */
  readonly answers: readonly Answer[];
  /** Why the letters that have no answer were not handled. */
  readonly end: 'done' | 'superseded' | { readonly error: unknown };
}

export interface Committer {
  /** Never rejects. */
  commit(work: Work): Promise<WorkDone>;
}

interface Waiting {
  readonly work: Work;
  readonly resolve: (done: WorkDone) => void;
}

/** A newer activation of these actors exists. */
class SupersededError extends Error {
  readonly actorIds: ReadonlySet<string>;

  constructor(actorIds: readonly string[]) {
    super('Superseded by a newer activation.');
    this.actorIds = new Set(actorIds);
  }
}

/** SQLite has one writer; with more transactions at once its batches would only be smaller. */
const transactionsAtOnce = { sqlite: 1, postgres: 3 } as const;

export function createCommitter(ctx: Ctx, type: AnyActorType, logger: Logger): Committer {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || underWay >= transactionsAtOnce[ctx.db.dialect]) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      underWay += 1;
      void commitGroup(takeGroup(waiting)).finally(() => {
        underWay -= 1;
        schedule();
      });
      schedule();
    });
  }

  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await commitTogether(
        ctx,
        type,
        group.map(({ work }) => work),
      );
      group.forEach(({ resolve }, index) => resolve(doneOf(outcomes[index])));
    } catch (error) {
      if (error instanceof SupersededError) {
        const [out, rest] = partition(group, ({ work }) => error.actorIds.has(work.actorId));
        for (const { resolve } of out) resolve({ state: null, answers: [], end: 'superseded' });
        if (rest.length > 0) await commitGroup(rest);
      } else if (isDatabaseUnavailable(error)) {
        for (const { resolve } of group) resolve({ state: null, answers: [], end: { error } });
      } else if (group.length > 1) {
        for (const one of group) await commitGroup([one]);
      } else {
        for (const { work, resolve } of group) resolve(await commitOneByOne(work, error));
      }
    }
  }

  async function commitOneByOne({ actorId, letters }: Work, firstError: unknown): Promise<WorkDone> {
    const answers: Answer[] = [];
    let state: unknown = null;
    for (const letter of letters) {
      try {
        const [outcome] = await commitTogether(ctx, type, [{ actorId, state, letters: [letter] }]);
        state = outcome?.state ?? null;
        answers.push(...doneOf(outcome).answers);
      } catch (error) {
        if (error instanceof SupersededError) return { state: null, answers, end: 'superseded' };
        if (isDatabaseUnavailable(error)) return { state: null, answers, end: { error } };
        logger.error({ err: error, firstError, type: type.name, actorId }, 'a command failed');
        state = null;
        answers.push({ fault: true });
      }
    }
    return { state, answers, end: 'done' };
  }

  return {
    commit: (work) =>
      new Promise((resolve) => {
        waiting.push({ work, resolve });
        schedule();
      }),
  };
}

/** Takes from the front as many as fit into one transaction, and one at the least. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let letters = 0;
  let count = 0;
  for (const { work } of waiting) {
    letters += work.letters.length;
    if (count > 0 && letters > transactionMax) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** @throws SupersededError, having changed nothing */
function commitTogether(
  ctx: Ctx,
  type: AnyActorType,
  works: readonly Work[],
): Promise<readonly ActorOutcome<unknown, unknown>[]> {
  const actorIds = new Set(works.map(({ actorId }) => actorId));
  invariant(actorIds.size === works.length, 'A transaction has one batch of each actor.');
  return withTransaction(ctx, async (inner) => {
    const strangers = works.filter(({ state }) => state === null).map(({ actorId }) => actorId);
    const loaded = strangers.length === 0 ? new Map<string, unknown>() : await type.load(inner, strangers);
    const batches: ActorBatch<unknown, unknown>[] = works.flatMap((work) => {
      const state = work.state ?? loaded.get(work.actorId) ?? null;
      return state === null ? [] : [{ ...work, state }];
    });
    const outcomes = batches.length === 0 ? [] : await type.handle(inner, batches);
    invariant(outcomes.length === batches.length, 'Every batch has an outcome.');
    const superseded = batches.filter((_, index) => outcomes[index] === null);
    if (superseded.length > 0) throw new SupersededError(superseded.map(({ actorId }) => actorId));
    const outcomeOf = new Map(batches.map(({ actorId }, index) => [actorId, outcomes[index]]));
    return works.map(
      ({ actorId, letters }) =>
        outcomeOf.get(actorId) ?? { state: null, replies: letters.map(() => type.refuseUnknown()) },
    );
  });
}

function doneOf(outcome: ActorOutcome<unknown, unknown> | undefined): WorkDone {
  invariant(outcome !== undefined, 'Every piece of work has an outcome.');
  return { state: outcome.state, answers: outcome.replies.map(answerOf), end: 'done' };
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
