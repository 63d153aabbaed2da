/**
 * The conversations of a run that go on. In pull mode, their rows are the leases of the agent's workers; in push mode, a
 * runner holds the whole run, and only the steps count.
 */
import { and, eq, or, sql } from 'drizzle-orm';
import type { LeaseRow } from '#db/schema/run-tables.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import type { Step } from '#evals/worlds/world.ts';
import type { Ctx, TransactionCtx } from '../context.ts';

/** An item whose conversation goes on. */
export interface OpenItem {
  readonly index: number;
  readonly steps: readonly Step[];
  /** The totals over the steps. */
  readonly latencyMs: number;
  readonly usage: TokenUsage | null;
  /** The most that a step needed. */
  readonly attempts: number;
  readonly contextId: string | null;
}

/** The conversations of a run that go on. */
export async function listOpenItems({ db }: Pick<Ctx, 'db'>, runId: string): Promise<OpenItem[]> {
  const { runLeases } = db.tables;
  const rows = await db.query.select().from(runLeases).where(eq(runLeases.runId, runId));
  return rows.map(({ itemIndex, retries, steps, latencyMs, usage, contextId }) => {
    return { index: itemIndex, attempts: retries + 1, steps, latencyMs, usage, contextId };
  });
}

const untimed = new Date(0);

/** The row of a conversation in push mode, which is no lease. */
export function openRow(runId: string, { index, attempts, ...open }: OpenItem): LeaseRow {
  const held = { worker: 'push', times: 1, handedOutAt: untimed, expiresAt: untimed, renewed: false };
  const latencyMs = Math.round(open.latencyMs);
  return { runId, itemIndex: index, ...held, retries: attempts - 1, ...open, latencyMs };
}

const replaced = [
  'worker',
  'times',
  'retries',
  'handedOutAt',
  'expiresAt',
  'renewed',
  'steps',
  'latencyMs',
  'usage',
  'contextId',
] as const satisfies (keyof LeaseRow)[];

/** Requires locked runs. */
export async function saveLeases({ db }: TransactionCtx, rows: readonly LeaseRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { runLeases } = db.tables;
  const set = replaced.map((field) => [field, sql`excluded.${sql.identifier(runLeases[field].name)}`]);
  await db.query
    .insert(runLeases)
    .values([...rows])
    .onConflictDoUpdate({ target: [runLeases.runId, runLeases.itemIndex], set: Object.fromEntries(set) });
}

/** Of items that have ended. */
export async function deleteLeases(
  { db }: TransactionCtx,
  ended: readonly Pick<LeaseRow, 'runId' | 'itemIndex'>[],
): Promise<void> {
  if (ended.length === 0) return;
  const { runLeases } = db.tables;
  const isEnded = ended.map(({ runId, itemIndex }) =>
    and(eq(runLeases.runId, runId), eq(runLeases.itemIndex, itemIndex)),
  );
  await db.query.delete(runLeases).where(or(...isEnded));
}
