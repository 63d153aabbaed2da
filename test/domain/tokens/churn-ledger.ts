/**
 * Run as a separate process by `ledger-histories.test.ts`. Makes many concurrent ledger moves and prints
 * the net change per agent and any errors.
 */
import { withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { findSpends, openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import type { DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestCtx } from '#test/harness/ctx.ts';

export interface Churn {
  readonly setting: DatabaseSetting;
  readonly agentIds: readonly string[];
  readonly rounds: number;
  /** Number of concurrent transactions. */
  readonly atOnce: number;
  /** Milliseconds since the epoch. */
  readonly startAtMs: number;
}

export interface ChurnOutcome {
  /** By agent: committed grants minus spends plus refunds, without expiries. */
  readonly change: Readonly<Record<string, number>>;
  readonly spends: number;
  readonly refunds: number;
  readonly faults: readonly string[];
}

const churn = JSON.parse(process.argv[2]!) as Churn; // Written by the test.
const db = await openDatabase(churn.setting);
const ctx = { ...createTestCtx(db), clock: systemClock };
const change: Record<string, number> = Object.fromEntries(churn.agentIds.map((id) => [id, 0]));
const open: { agentId: string; reference: string; amount: number }[] = [];
const faults: string[] = [];
let spends = 0;
let refunds = 0;

/** Small amounts, short lifetimes, and agents picked uniformly. */
function draw(max: number): number {
  return 1 + Math.floor(Math.random() * max);
}
function drawAgents(count: number): string[] {
  return Array.from({ length: count }, () => churn.agentIds[draw(churn.agentIds.length) - 1]!);
}

/**
 * Grants to and spends from several agents in one transaction, drawn again when the transaction is retried.
 */
async function grantAndSpend(): Promise<void> {
  const agentIds = drawAgents(3);
  const done = await withTransaction(ctx, async (inner) => {
    const ledger = await openLedger(inner, { agentIds });
    const moves: { agentId: string; amount: number; reference: string | null }[] = [];
    for (const agentId of agentIds) {
      const amount = draw(6);
      if (Math.random() < 0.5) {
        const expiresAt = Math.random() < 0.3 ? new Date(ledger.now.getTime() + draw(300)) : null;
        ledger.grant({ agentId, amount, reason: 'churn', reference: null, expiresAt });
        moves.push({ agentId, amount, reference: null });
        continue;
      }
      const reference = Bun.randomUUIDv7();
      try {
        ledger.spend({ agentId, amount, reason: 'churn', reference });
        moves.push({ agentId, amount: -amount, reference });
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'insufficient_tokens') throw error;
      }
    }
    await saveLedger(inner, ledger);
    return moves;
  });
  for (const { agentId, amount, reference } of done) {
    change[agentId]! += amount;
    if (reference === null) continue;
    spends += 1;
    open.push({ agentId, reference, amount: -amount });
  }
}

async function refundSome(): Promise<void> {
  const taken = open.splice(0, draw(3));
  if (taken.length === 0) return;
  await withTransaction(ctx, async (inner) => {
    const found = await findSpends(
      inner,
      taken.map(({ reference }) => reference),
    );
    const ledger = await openLedger(inner, { agentIds: found.map((spend) => spend.agentId), spends: found });
    for (const spend of found) ledger.refund({ spend, reason: 'churn', hasGrace: Math.random() < 0.5 });
    await saveLedger(inner, ledger);
  });
  for (const { agentId, amount } of taken) change[agentId]! += amount;
  refunds += taken.length;
}

async function work(): Promise<void> {
  for (let round = 0; round < churn.rounds; round += 1) {
    try {
      const drawn = Math.random();
      if (drawn < 0.6) await grantAndSpend();
      else if (drawn < 0.9) await refundSome();
      else await settleExpiries(ctx);
    } catch (error) {
      faults.push(Bun.inspect(error).slice(0, 500));
    }
  }
}

await Bun.sleep(Math.max(0, churn.startAtMs - Date.now()));
await Promise.all(Array.from({ length: churn.atOnce }, work));
await db.close();
const outcome: ChurnOutcome = { change, spends, refunds, faults };
console.log(JSON.stringify(outcome));
