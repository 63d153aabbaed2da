import { eq } from 'drizzle-orm';
import type { TokenUsage } from '#evals/token-usage.ts';
import type { Step } from '#evals/worlds/world.ts';
import type { Ctx } from '../context.ts';

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
