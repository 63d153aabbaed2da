/** Lookups and marks of concurrent requests that share one statement. */
import { isStoreFrozen } from '#db/errors.ts';
import { markTokensUsed, type TokenBearer } from '#domain/agents/find-acting-agents.ts';
import type { Ctx } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import { readBalances, type TokenBalance } from '#domain/tokens/read-balances.ts';
import { createBatcher } from '#runtime/batcher.ts';
import type { Logger } from '#runtime/tracing/log.ts';

/** Records in the background when bearer tokens were last used, so that no request waits for it. */
export interface TokenUsage {
  /** Records a use, at most once a minute for each token. */
  note(bearer: TokenBearer): void;
  /**
   * Writes the recorded uses. Never rejects: a failed write is logged and dropped, because the next use
   * records it again.
   */
  flush(): Promise<void>;
  /** Stops the background writes and flushes. */
  close(): Promise<void>;
}

const writtenEveryMs = 60_000;
const flushEveryMs = 5_000;
/** The most tokens written in one statement and recorded between two flushes. */
const notedMax = 500;

export function createTokenUsage(ctx: Ctx, logger: Logger): TokenUsage {
  let noted = new Set<string>();
  let flushing = Promise.resolve();

  const write = async (tokenIds: readonly string[]): Promise<void> => {
    try {
      await markTokensUsed(ctx, { tokenIds, usedAt: ctx.clock.now() });
    } catch (err) {
      if (!isStoreFrozen(err)) logger.warn({ err }, 'could not record the last use of some tokens');
    }
  };
  const flush = (): Promise<void> => {
    if (noted.size > 0) {
      const tokenIds = [...noted];
      noted = new Set();
      flushing = flushing.then(() => write(tokenIds));
    }
    return flushing;
  };
  const timer = setInterval(() => void flush(), flushEveryMs);
  timer.unref();

  return {
    note: ({ agent, tokenLastUsedAt }) => {
      const sinceMs = ctx.clock.now().getTime() - (tokenLastUsedAt?.getTime() ?? 0);
      if (sinceMs >= writtenEveryMs && noted.size < notedMax) noted.add(agent.tokenId);
    },
    flush,
    close: () => {
      clearInterval(timer);
      return flush();
    },
  };
}

/** Reads token balances. Requests from the same turn of the event loop share one query. */
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
