/** Notes which bearer tokens are used, and writes it down in the background: no request waits for that. */
import { markTokensUsed } from '#domain/agents/bearer-tokens/mark-tokens-used.ts';
import type { TokenBearer } from '#domain/agents/bearer-tokens/find-acting-agents.ts';
import type { Ctx } from '#domain/context.ts';
import type { Logger } from '#runtime/tracing/log.ts';

export interface TokenUsage {
  /** Notes a use; at most one a minute for each token is written. */
  note(bearer: TokenBearer): void;
  /** Writes what is noted. Never rejects: what cannot be written is dropped and logged, as the next use tells it again. */
  flush(): Promise<void>;
  /** Stops the writing in the background and flushes. */
  close(): Promise<void>;
}

const writtenEveryMs = 60_000;
const flushEveryMs = 5_000;
/** Tokens written in one statement, and noted at most between two flushes. */
const notedMax = 500;

export function createTokenUsage(ctx: Ctx, logger: Logger): TokenUsage {
  let noted = new Set<string>();
  let flushing = Promise.resolve();

  const write = async (tokenIds: readonly string[]): Promise<void> => {
    try {
      await markTokensUsed(ctx, { tokenIds, usedAt: ctx.clock.now() });
    } catch (err) {
      logger.warn({ err }, 'the last use of some tokens could not be written');
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
