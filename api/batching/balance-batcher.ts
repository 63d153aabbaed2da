/** Reads token balances. Requests from the same turn of the event loop share one query. */
import type { Ctx } from '#domain/context.ts';
import { readBalances, type TokenBalance } from '#domain/tokens/read-balances.ts';
import { invariant } from '#domain/errors.ts';
import { createBatcher } from '#runtime/batcher.ts';

export interface BalanceBatcher {
  read(agentId: string): Promise<TokenBalance>;
}

const readsPerQueryMax = 256;

export function createBalanceBatcher(ctx: Ctx): BalanceBatcher {
  const batcher = createBatcher<string, TokenBalance>({
    maxBatch: readsPerQueryMax,
    handle: async (agentIds) => {
      const balances = await readBalances(ctx.db, [...new Set(agentIds)], ctx.clock.now());
      return agentIds.map((agentId) => {
        const balance = balances.get(agentId);
        invariant(balance !== undefined, `Agent ${agentId} has a token account.`);
        return balance;
      });
    },
  });
  return { read: (agentId) => batcher.ask(agentId) };
}
