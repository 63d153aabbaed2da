/** A counter that counts each step once: an actor that has nothing to do with seats. */
import { beforeAll } from 'bun:test';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { ActorBatch, ActorOutcome, ActorType } from '#actors/actor-type.ts';
import type { Database, DatabaseSetting } from '#db/database.ts';
import { FenceLostError } from '#db/errors.ts';
import { type ColumnKit, postgresKit } from '#db/schema/column-kit.ts';
import { sqliteKit } from '#db/schema/sqlite-column-kit.ts';
import type { TransactionCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { runStatements } from '#test/db/raw-store.ts';

export interface CounterCommand {
  /** Counted once, however often it is delivered. */
  readonly step: string;
  /** `throw`: a defect; `refuse`: a refusal; `onlyIfEven`: refused unless the value is even; `sleep`: takes a while. */
  readonly act?: 'count' | 'throw' | 'refuse' | 'onlyIfEven' | 'sleep';
}

export function stepOf(step: string, act?: CounterCommand['act']): CounterCommand {
  return act === undefined ? { step } : { step, act };
}

export interface CounterReply {
  readonly value: number;
}

export interface CounterState {
  readonly epoch: number;
  readonly value: number;
}

function makeTables(kit: ColumnKit) {
  return {
    counters: kit.table('counters', {
      id: kit.text('id').primaryKey(),
      epoch: kit.integer('epoch').notNull(),
      value: kit.integer('value').notNull(),
    }),
    steps: kit.table('counter_steps', {
      step: kit.text('step').primaryKey(),
      counterId: kit.text('counter_id').notNull(),
      position: kit.integer('position').notNull(),
    }),
  };
}

export const counterTables = { sqlite: makeTables(sqliteKit), postgres: makeTables(postgresKit) };

const statements = [
  'CREATE TABLE counters (id text PRIMARY KEY, epoch integer NOT NULL, value integer NOT NULL)',
  'CREATE TABLE counter_steps (step text PRIMARY KEY, counter_id text NOT NULL, position integer NOT NULL)',
];

/** The epoch of a new counter: as if it had been claimed once. */
export const firstEpoch = 1;

async function createCounter(db: Database): Promise<string> {
  const id = Bun.randomUUIDv7();
  const { counters } = counterTables[db.dialect];
  await db.transaction((tx) => tx.query.insert(counters).values({ id, epoch: firstEpoch, value: 0 }));
  return id;
}

/** @throws when it does not exist */
async function readCounter(db: Database, id: string): Promise<CounterState> {
  const { counters } = counterTables[db.dialect];
  const [row] = await db.query.select().from(counters).where(eq(counters.id, id));
  if (row === undefined) throw new Error(`There is no counter ${id}.`);
  return row;
}

/** Counters in the store of a file or a group of tests, and their type of actor. */
export function useCounters(store: { readonly db: Database; readonly setting: DatabaseSetting }) {
  beforeAll(() => runStatements(store.setting, ...statements));
  return {
    type: createCounterActor(),
    create: () => createCounter(store.db),
    read: (id: string) => readCounter(store.db, id),
  };
}

export interface CounterProtocol {
  readonly command: CounterCommand;
  readonly reply: CounterReply;
}

export type CounterActor = ActorType<CounterProtocol, CounterState> & {
  /** The number of batches and transactions so far. */
  readonly seen: { batches: number; transactions: number };
};

export function createCounterActor(): CounterActor {
  const seen = { batches: 0, transactions: 0 };
  return {
    name: 'counter',
    seen,
    readReply: (_, value) => value as CounterReply, // Written by `handle`.
    readCommand: (value) => {
      if (typeof value !== 'object' || value === null || !('step' in value))
        throw new TypeError('no command');
      return value as CounterCommand;
    },
    refuseUnknown: () => new DomainError('not_found', 'There is no such counter.'),
    claim: claimCounters,
    load: async ({ db }, epochs) => {
      const { counters } = counterTables[db.dialect];
      const rows = await db.query
        .select()
        .from(counters)
        .where(inArray(counters.id, [...epochs.keys()]));
      const claimed = rows.filter(({ id, epoch }) => epochs.get(id) === epoch);
      return new Map(claimed.map(({ id, epoch, value }) => [id, { epoch, value }]));
    },
    handle: async (ctx, batches) => {
      seen.transactions += 1;
      seen.batches += batches.length;
      const outcomes: ActorOutcome<CounterState, CounterReply>[] = [];
      for (const batch of batches) outcomes.push(await count(ctx, batch));
      return outcomes;
    },
  };
}

async function claimCounters(
  { db }: TransactionCtx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { counters } = counterTables[db.dialect];
  const rows = await db.query
    .update(counters)
    .set({ epoch: sql`${counters.epoch} + 1` })
    .where(inArray(counters.id, [...ids]))
    .returning({ id: counters.id, epoch: counters.epoch });
  return new Map(rows.map(({ id, epoch }) => [id, epoch]));
}

async function isCounted(db: TransactionCtx['db'], step: string): Promise<boolean> {
  const { steps } = counterTables[db.dialect];
  return (await db.query.select().from(steps).where(eq(steps.step, step))).length > 0;
}

async function count(
  { db }: TransactionCtx,
  { actorId, state, messages }: ActorBatch<CounterCommand, CounterState>,
): Promise<ActorOutcome<CounterState, CounterReply>> {
  const { counters, steps } = counterTables[db.dialect];
  let { value } = state;
  const replies: (CounterReply | DomainError)[] = [];
  for (const { command } of messages) {
    if (command.act === 'throw') throw new Error(`step ${command.step} is poison`);
    if (command.act === 'sleep') await Bun.sleep(2);
    const mayRefuse = command.act === 'onlyIfEven' && value % 2 === 1;
    // A redelivery of a command that was carried out is not refused.
    if (command.act === 'refuse' || (mayRefuse && !(await isCounted(db, command.step)))) {
      replies.push(new DomainError('sold_out', 'No.', { cause: 'a secret', detail: 'Not this one.' }));
      continue;
    }
    const added = await db.query
      .insert(steps)
      .values({ step: command.step, counterId: actorId, position: value + 1 })
      .onConflictDoNothing()
      .returning({ step: steps.step });
    value += added.length;
    replies.push({ value });
  }
  const written = await db.query
    .update(counters)
    .set({ value })
    .where(and(eq(counters.id, actorId), eq(counters.epoch, state.epoch)))
    .returning({ id: counters.id });
  if (written.length === 0) throw new FenceLostError('The epoch has changed.');
  return { state: { ...state, value }, replies };
}
