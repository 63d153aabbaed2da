/** A hub over a store of one size, with callers who are spread over the whole of it. */
import { inArray } from 'drizzle-orm';
import type { Ctx } from '#domain/context.ts';
import { createBearerToken, hashBearerToken } from '#domain/agents/keys/bearer-token.ts';
import { createId } from '#runtime/create-id.ts';
import { type BenchEnvironment, openContext, startApi, startPool, startRedis } from '../bench-environment.ts';
import type { Child } from '../processes/start-child.ts';
import { kinds } from './grown-tables.ts';
import { seedGrowth } from './seed-growth.ts';
import { seededId } from './row-series.ts';

export interface Caller {
  /** Of its agent, and of everything the agent has. */
  readonly n: number;
  readonly agentId: string;
  readonly bearerToken: string;
}

export interface GrowthPlace {
  readonly ctx: Ctx;
  readonly agents: number;
  readonly callers: readonly Caller[];
  /** More than can sign up in a round. */
  readonly newcomersARound: number;
  readonly api: Child & { readonly port: number };
}

export const inboxKey = 'the-inbox-key-of-the-benchmark';
const callersMax = 1_000;
/** On a fast machine. */
const newcomersAMsMax = 2;

export async function prepareGrowthPlace(env: BenchEnvironment, agents: number): Promise<GrowthPlace> {
  const name = `growth-${agents}`;
  const redis = await startRedis(env, name);
  const setting = await env.store.createDatabase(name);
  const ctx = await openContext(env, setting, { publish: () => {}, signal: () => {} });
  await seedGrowth(setting, agents, (progress) => console.log(`  ${env.store.dialect}: ${progress}`));
  const callers = await addCallers(ctx, agents);
  const api = await startApi(env, setting, redis.url, { INBOX_KEY: inboxKey });
  await startPool(env, 'seats', setting, redis.url);
  const newcomersARound = env.size.growthRoundMs * newcomersAMsMax;
  return { ctx, agents, callers, newcomersARound, api };
}

/** Gives agents at even distances a bearer token that somebody knows. */
async function addCallers(ctx: Ctx, agents: number): Promise<readonly Caller[]> {
  const count = Math.min(callersMax, agents);
  const callers = Array.from({ length: count }, (_, index) => {
    const n = Math.floor((index * agents) / count) + 1;
    return { n, agentId: seededId(kinds.agent, n), bearerToken: createBearerToken() };
  });
  await ctx.db.transaction(async ({ query, tables: { bearerTokens } }) => {
    const now = ctx.clock.now();
    // An hour ahead, so that no use is written down while others are measured.
    const lastUsedAt = new Date(now.getTime() + 60 * 60 * 1_000);
    const ids = callers.map(({ n }) => seededId(kinds.token, n));
    await query.delete(bearerTokens).where(inArray(bearerTokens.id, ids));
    await query.insert(bearerTokens).values(
      callers.map(({ agentId, bearerToken }) => ({
        id: createId(now),
        agentId,
        tokenHash: hashBearerToken(bearerToken),
        createdAt: now,
        lastUsedAt,
      })),
    );
  });
  return callers;
}
