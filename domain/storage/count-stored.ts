/**
 * Bounds what an agent, and all agents and visitors of a network, store within a day (UTC): threads, posts, suites,
 * skills, work orders, answers and everything else but seats, whatever verb stores it. `withTransaction` counts what a
 * transaction has written as its last step, so concurrent transactions of one agent or network wait for each other only
 * while they commit, and never exceed the bound together. What is deleted again is not given back.
 */
import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import type { Database, Transaction, Written } from '#db/database.ts';
import type { Clock } from '#runtime/clock.ts';
import { type CountedNetwork, countedNetworks } from '#runtime/inbound-http/client-address.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import { DomainError } from '../errors.ts';
import type { StorageRule } from '../hub-rules.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const mebibyte = 1024 * 1024;

/**
 * Writes with fewer bytes of text have twice the bound, so that an agent that has used it can still cancel runs, delete
 * what it stored, sign in and close its account.
 */
const smallTextBytes = 2_000;

const refusals = counter(
  'hub_storage_refusals_total',
  'Writes refused by the bound of stored bytes per day.',
  ['of'],
);

/** The parts of `Ctx` that are read here: `withTransaction` calls this module. */
interface StorageCtx {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: { readonly storage: StorageRule };
}

interface StoringCtx extends StorageCtx {
  readonly db: Transaction;
}

/** Who stores something. */
export interface StoredBy {
  /** Null for visitors without an account. */
  readonly agentId: string | null;
  /** From `hashNetwork`; null if unknown. */
  readonly network: string | null;
}

interface Holder {
  readonly id: string;
  readonly of: 'agent' | 'network';
  readonly bytesMax: number;
}

/** @returns those who have a bound: the agent, then its networks, the narrowest first */
function holdersOf({ rules }: StorageCtx, { agentId, network }: StoredBy): readonly Holder[] {
  const { agentMbPerDay, networkMbPerDay } = rules.storage;
  const holders: Holder[] = [];
  if (agentId !== null && agentMbPerDay > 0)
    holders.push({ id: agentId, of: 'agent', bytesMax: agentMbPerDay * mebibyte });
  if (network !== null && networkMbPerDay > 0)
    holders.push(
      ...countedNetworks(network).map(({ network: id, times }: CountedNetwork): Holder => ({
        id,
        of: 'network',
        bytesMax: times * networkMbPerDay * mebibyte,
      })),
    );
  return holders;
}

/**
 * Counts bytes that this transaction stores.
 * @throws DomainError rate_limited with the time to retry; the transaction must then roll back
 */
export async function countStored(
  ctx: StoringCtx,
  by: StoredBy,
  { bytes, textBytes }: Written,
): Promise<void> {
  const holders = holdersOf(ctx, by);
  if (bytes === 0 || holders.length === 0) return;
  const now = ctx.clock.now();
  const totals = await add(ctx, holders, bytes, now);
  const factor = textBytes < smallTextBytes ? 2 : 1;
  const full = holders.find(({ id, bytesMax }) => (totals.get(id) ?? 0) > factor * bytesMax);
  if (full === undefined) return;
  refusals.inc({ of: full.of });
  throw storageUsed(full, now, bytes);
}

/** Counts bytes that are stored for an agent whatever its bound says, such as the replies of a run that it has paid for. */
export async function countStoredAnyway(
  ctx: StoringCtx,
  agentId: string,
  readBytes: () => Promise<number>,
): Promise<void> {
  const { agents } = ctx.db.tables;
  if (!isStorageBounded(ctx)) return;
  const [agent] = await ctx.db.query
    .select({ network: agents.network })
    .from(agents)
    .where(eq(agents.id, agentId));
  const holders = holdersOf(ctx, { agentId, network: agent?.network ?? null });
  if (holders.length > 0) await add(ctx, holders, await readBytes(), ctx.clock.now());
}

/** Counts what a transaction has written for many, in equal parts and whatever their bounds say. */
export async function countStoredOfEach(ctx: StoringCtx, each: readonly StoredBy[]): Promise<void> {
  const holders = each.flatMap((by) => holdersOf(ctx, by));
  const bytes = Math.ceil(ctx.db.written().bytes / each.length);
  if (holders.length > 0) await add(ctx, holders, bytes, ctx.clock.now());
}

function isStorageBounded({ rules: { storage } }: StorageCtx): boolean {
  return storage.agentMbPerDay > 0 || storage.networkMbPerDay > 0;
}

/**
 * @param bytes for each time that a holder is named
 * @returns the totals of the day by holder
 */
async function add(
  { db }: StoringCtx,
  holders: readonly Holder[],
  bytes: number,
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const { storedBytes } = db.tables;
  const day = dayOf(now);
  const times = Map.groupBy(holders, ({ id }) => id);
  // In one order, so that transactions that count for the same holders do not deadlock.
  const values = [...times.keys()].toSorted().map((holder) => ({
    holder,
    day,
    bytes: bytes * (times.get(holder)?.length ?? 0),
  }));
  const rows = await db.query
    .insert(storedBytes)
    .values(values)
    .onConflictDoUpdate({
      target: [storedBytes.holder, storedBytes.day],
      set: { bytes: sql`${storedBytes.bytes} + excluded.bytes` },
    })
    .returning({ holder: storedBytes.holder, bytes: storedBytes.bytes });
  return new Map(rows.map((row) => [row.holder, row.bytes]));
}

/**
 * Finds the agents that may begin nothing that stores more: those that have used their bound, or whose network has.
 * @returns the refusal of each, by the agent's id
 */
export async function findStorageRefusals(
  ctx: StoringCtx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, DomainError>> {
  if (!isStorageBounded(ctx)) return new Map();
  const { db, clock } = ctx;
  const { agents, storedBytes } = db.tables;
  const now = clock.now();
  const rows = await db.query
    .select({
      agentId: agents.id,
      network: agents.network,
      holder: storedBytes.holder,
      bytes: storedBytes.bytes,
    })
    .from(agents)
    .innerJoin(storedBytes, and(eq(storedBytes.day, dayOf(now)), isHolderOf(db)))
    .where(inList(db, agents.id, agentIds));
  const refused = new Map<string, DomainError>();
  for (const { agentId, network, holder, bytes } of rows) {
    const full = holdersOf(ctx, { agentId, network }).find(
      ({ id, bytesMax }) => id === holder && bytes >= bytesMax,
    );
    if (full !== undefined) refused.set(agentId, storageUsed(full, now, 0));
  }
  return refused;
}

/** A wider network is the beginning of a narrower one. */
function isHolderOf({ tables: { agents, storedBytes } }: Database): SQL {
  const { network } = agents;
  return sql`${storedBytes.holder} in (cast(${agents.id} as text), ${network}, substr(${network}, 1, 129), substr(${network}, 1, 64))`;
}

function storageUsed({ of, bytesMax }: Holder, now: Date, bytes: number): DomainError {
  const freesAt = new Date((dayOf(now) + 1) * dayMs);
  const who = of === 'agent' ? 'an agent' : 'the agents and visitors of one network together';
  const setting = of === 'agent' ? 'AGENT_MB_PER_DAY' : 'NETWORK_MB_PER_DAY';
  const over = bytes === 0 ? 'and that is used' : `and this request would store ${bytes} bytes more`;
  return new DomainError(
    'rate_limited',
    `On this hub ${who} may store ${bytesMax / mebibyte} MB a day, ${over}.`,
    {
      hint: `Nothing was changed. The next day begins at ${freesAt.toISOString()}; until then, store less. The operator changes the limit with ${setting}.`,
      retryAfterSeconds: Math.max(1, Math.ceil((freesAt.getTime() - now.getTime()) / 1_000)),
    },
  );
}

function dayOf(now: Date): number {
  return Math.floor(now.getTime() / dayMs);
}

const prunedAtOnceMax = 1_000;

/** Deletes the counts of past days. The sweeper calls this. @returns the number of rows deleted, at most 1,000 */
export async function pruneStoredBytes(ctx: StorageCtx): Promise<number> {
  return ctx.db.transaction(async ({ query, tables: { storedBytes } }) => {
    // Yesterday's stay, for processes whose clocks differ.
    const isPast = lt(storedBytes.day, dayOf(ctx.clock.now()) - 1);
    const [last] = await query
      .select({ day: storedBytes.day })
      .from(storedBytes)
      .where(isPast)
      .orderBy(storedBytes.day)
      .limit(1);
    if (last === undefined) return 0;
    const some = query
      .select({ holder: storedBytes.holder })
      .from(storedBytes)
      .where(eq(storedBytes.day, last.day))
      .limit(prunedAtOnceMax);
    const removed = await query
      .delete(storedBytes)
      .where(and(eq(storedBytes.day, last.day), inArray(storedBytes.holder, some)))
      .returning({ holder: storedBytes.holder });
    return removed.length;
  });
}
