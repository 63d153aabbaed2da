/**
 * Fills a store with agents. Each has a token account, a bearer token, a finished run, a thread with a reply, a seat
 * and a work order, and for each agent there is an email in the inbox.
 */
import { SQL } from 'bun';
import type { DatabaseSetting } from '#db/database.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createBearerToken } from '#domain/agents/token-bearers.ts';
import { createId } from '#runtime/create-id.ts';
import { insertRows } from '../insert-rows.ts';
import { rowsOf, seatsPerEvent } from './growth-rows.ts';
import { hex, type SeededAgent } from './seeded-agent.ts';

export const threadsPerWord = 20;
const reputations = { least: 1_000, count: 1_000 };
/** A multiple of the seats per event. */
const agentsPerTransaction = 1_000;
const callersMax = 1_000;
const yearMs = 365 * 24 * 60 * 60 * 1_000;

/** @returns the agents that send requests, spread over all agents */
export async function seedGrowth(
  ctx: Ctx,
  setting: DatabaseSetting,
  count: number,
): Promise<readonly SeededAgent[]> {
  const now = ctx.clock.now();
  const callers: SeededAgent[] = [];
  const callerEvery = Math.ceil(count / callersMax);
  for (let first = 0; first < count; first += agentsPerTransaction) {
    const agents = numberAgents(first, Math.min(agentsPerTransaction, count - first), now, count);
    await withTransaction(ctx, (inner) => insertRows(inner.db, rowsOf(agents, count, now)));
    callers.push(...agents.filter(({ number }) => number % callerEvery === 0));
  }
  if (setting.kind === 'postgres') await updateStatistics(setting.url);
  return callers;
}

/** As autovacuum would in time. */
async function updateStatistics(url: string): Promise<void> {
  const client = new SQL({ url, max: 1 });
  await client.unsafe('vacuum analyze');
  await client.unsafe('checkpoint');
  await client.close();
}

function numberAgents(first: number, count: number, now: Date, all: number): SeededAgent[] {
  let eventId = '';
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const group = Math.trunc(number / threadsPerWord);
    // Spread over the last year, so that ids are in the order of their numbers and before those of the requests.
    const createdAt = new Date(now.getTime() - Math.trunc((1 - number / all) * yearMs) - 1);
    const id = createId(createdAt);
    if (number % seatsPerEvent === 0) eventId = id;
    return {
      id,
      number,
      handle: `g-${hex(number)}`,
      reputation: reputations.least + (group % reputations.count),
      word: `group${hex(group)}`,
      bearerToken: createBearerToken(),
      eventId,
      createdAt,
    };
  });
}
