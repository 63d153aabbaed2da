/**
 * Group commit: batches of different actors that are ready at the same time share one transaction. If it
 * fails, it is redone in halves, down to single commands, so that a command that throws fails without the
 * others.
 */
import { isDatabaseUnavailable, isFenceLost } from '#db/errors.ts';
import { concurrentTransactionsMax } from '#db/transaction.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import { causeFields, type Logger } from '#runtime/tracing/log.ts';
import { counter, histogram } from '#runtime/tracing/metrics.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AnyActorType, type Committer, epochOfNobody, type Work, type WorkDone } from './actor-type.ts';
import { causeOfBatch, startBatchSpan } from './command-traces.ts';
import { transactionMax } from './limits.ts';
import { type CommandResult, type Message, queueUnavailable, resultOf } from './messages.ts';

const batchSize = histogram(
  'hub_actor_batch_size',
  'Commands of one actor that were committed together.',
  [1, 2, 4, 8, 16, 32, 64, 128, 256],
  ['type'],
);
const batches = counter('hub_actor_batches_total', 'Batches committed.', ['type']);
const epochConflicts = counter(
  'hub_actor_epoch_conflicts_total',
  'Batches rolled back because a newer activation of the actor existed.',
  ['type'],
);

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

/** @param tracing null when nothing is traced */
export function createCommitter(
  ctx: Ctx,
  type: AnyActorType,
  logger: Logger,
  tracing: Tracing | null = null,
): Committer {
  const waiting: Waiting[] = [];
  // More transactions than this would only make the batches smaller.
  const transactionsMax = concurrentTransactionsMax(ctx.db);
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || underWay >= transactionsMax) return;
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

  /** @param isFresh whether all states were read again because the fence had failed */
  async function commitGroup(group: readonly Waiting[], isFresh = false): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const works = group.map(({ work }) => work);
    try {
      const done = await commitTraced(works);
      countBatches(type.name, works);
      for (const [index, { resolve }] of group.entries()) resolve(done[index] ?? superseded);
    } catch (error) {
      if (error instanceof SupersededError) {
        epochConflicts.inc({ type: type.name }, error.actorIds.size);
        const isOut = ({ work }: Waiting): boolean => error.actorIds.has(work.actorId);
        for (const { resolve } of group.filter(isOut)) resolve(superseded);
        await commitGroup(group.filter((one) => !isOut(one)));
      } else if (isFenceLost(error) && !isFresh) {
        // Reading the actors again shows which of them are superseded.
        await commitGroup(group.map(readAgain), true);
      } else if (isDatabaseUnavailable(error) || isFenceLost(error)) {
        for (const { resolve } of group) resolve({ state: null, results: [], end: { error } });
      } else if (group.length > 1) {
        for (const half of halvesOf(group)) await commitGroup(half);
      } else {
        first.resolve(await redo(first.work, error));
      }
    }
  }

  async function commitTraced(works: readonly Work[]): Promise<readonly WorkDone[]> {
    const messages = works.flatMap((work) => work.messages);
    const span = startBatchSpan(messages, tracing, type.name);
    try {
      const cause = causeOfBatch(messages, span);
      const done = await commitTogether(cause === undefined ? ctx : { ...ctx, cause }, type, works);
      span?.end();
      return done;
    } catch (error) {
      span?.end({ failed: true });
      throw error;
    }
  }

  /** Reads the actor again for each half: stale state may be the reason for the failure. */
  async function redo({ actorId, epoch, state, messages }: Work, error: unknown): Promise<WorkDone> {
    const [only] = messages;
    if (messages.length === 1 && state === null) {
      const about = { type: type.name, actorId, ...causeFields(only?.cause ?? {}) };
      logger.error({ err: error, ...about }, 'a command failed');
      return { state: null, results: [{ fault: true }], end: 'done' };
    }
    const results: CommandResult[] = [];
    for (const half of halvesOf(messages)) {
      const done = await new Promise<WorkDone>((resolve) => {
        void commitGroup([{ work: { actorId, epoch, state: null, messages: half }, resolve }]);
      });
      results.push(...done.results);
      if (done.end !== 'done' || done.results.length < half.length) return { ...done, results };
    }
    return { state: null, results, end: 'done' };
  }

  return {
    commit: (work) =>
      new Promise((resolve) => {
        if (work.messages.length === 0) resolve({ state: work.state, results: [], end: 'done' });
        else waiting.push({ work, resolve });
        schedule();
      }),
  };
}

function countBatches(type: string, works: readonly Work[]): void {
  batches.inc({ type }, works.length);
  for (const { messages } of works) batchSize.observe({ type }, messages.length);
}

const late = resultOf(queueUnavailable('The command was not handled in time.'));
const superseded: WorkDone = { state: null, results: [], end: 'superseded' };

function readAgain({ work, resolve }: Waiting): Waiting {
  return { work: { ...work, state: null }, resolve };
}

/** Returns one half for a single item. */
function halvesOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)].filter((half) => half.length > 0);
}

/** Takes as many as fit into one transaction, and at least one. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let messages = 0;
  const beyond = waiting.findIndex(({ work }, index) => {
    messages += work.messages.length;
    return index > 0 && messages > transactionMax;
  });
  return waiting.splice(0, beyond === -1 ? waiting.length : beyond);
}

/** @throws SupersededError; the transaction is rolled back */
function commitTogether(ctx: Ctx, type: AnyActorType, works: readonly Work[]): Promise<readonly WorkDone[]> {
  return withTransaction(ctx, async (inner) => {
    const loaded = await loadMissing(inner, type, works);
    crashPoint('actors.loaded');
    // Not earlier: the process may have been stopped since it read the mailbox.
    const now = performance.now();
    const inTime = ({ deadline }: Message): boolean => deadline >= now;
    const batches = works
      .map((work) => ({
        ...work,
        state: work.state ?? loaded.get(work.actorId),
        messages: work.messages.filter(inTime),
      }))
      .filter(({ state }) => state !== undefined);
    const outcomes = batches.length === 0 ? [] : await type.handle(inner, batches);
    invariant(outcomes.length === batches.length, 'Every batch has an outcome.');
    crashPoint('batch.written');
    const outcomeOf = new Map(batches.map(({ actorId }, index) => [actorId, outcomes[index]]));
    invariant(outcomeOf.size === batches.length, 'A transaction has at most one batch per actor.');
    return works.map((work) => {
      const { actorId, messages } = work;
      const outcome = outcomeOf.get(actorId);
      const handled = messages.filter(inTime);
      const replies = outcome?.replies ?? handled.map(() => type.refuseUnknown());
      invariant(replies.length === handled.length, 'Every command has a result.');
      const resultOfMessage = new Map(handled.map((message, index) => [message, resultOf(replies[index])]));
      const results = messages.map((message) => resultOfMessage.get(message) ?? late);
      return { state: outcome?.state ?? null, results, end: 'done' as const };
    });
  });
}

/** @throws SupersededError */
async function loadMissing(
  ctx: TransactionCtx,
  type: AnyActorType,
  works: readonly Work[],
): Promise<ReadonlyMap<string, unknown>> {
  const missing = works.filter(({ epoch, state }) => epoch !== epochOfNobody && state === null);
  if (missing.length === 0) return new Map();
  const loaded = await type.load(ctx, new Map(missing.map(({ actorId, epoch }) => [actorId, epoch])));
  const out = missing.filter(({ actorId }) => !loaded.has(actorId));
  if (out.length > 0) throw new SupersededError(out.map(({ actorId }) => actorId));
  return loaded;
}
