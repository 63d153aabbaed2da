/**
 * Reservations of priced seats per second over HTTP: at one hot event, at a thousand events, and one at a
 * time, compared with a server that takes a row lock per request.
 */
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/database.ts';
import type { Ctx } from '#domain/context.ts';
import { invariant } from '#domain/errors.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import {
  type BenchEnvironment,
  openContext,
  type Server,
  startApi,
  startPool,
  startRedis,
  tokensPerAgent,
  startServer,
} from '../bench-environment.ts';
import { compareRounds, type Contest } from '../compare-rounds.ts';
import { postRequest, type PreparedRequests, prepareRequests } from '../load/load-generator.ts';
import { eventRow } from '../seed-events.ts';
import { databaseUrlOf } from '../stores/bench-stores.ts';
import { format, rateRow, type Row } from '../table.ts';
import { costRows, type LoadRound, runLoadRound } from './load-round.ts';

/** Relative to one row lock per request: 64 connections or more at one event, at many events, and one at a time. */
const hotAim = 14;
const spreadAim = 2.5;
const idleAim = 0.83;
const hotAims = { allCpuUs: 230, ms: { p50: 10, p99: 20 } };
const idleAims = { ms: { p50: 4, p99: 15 } };
const manyEvents = 1_000;
const than = 'with a row lock each';

interface Arena {
  readonly env: BenchEnvironment;
  readonly ctx: Ctx;
  readonly agents: readonly TestAgent[];
  readonly api: Server;
  readonly rowLock: Server;
  /** The number of rounds so far. Each round has its own events and keys. */
  rounds: number;
}

export async function measureSeats(env: BenchEnvironment): Promise<readonly Row[]> {
  const redis = await startRedis(env, 'seats');
  const setting = await env.store.createDatabase('seats');
  const ctx = await openContext(env, setting);
  const agents = await createCrowd(ctx, env.size.seatsPerRound, tokensPerAgent);
  const rowLock = await startBaseline(env, setting, redis.url);
  const api = await startApi(env, setting, redis.url);
  await startPool(env, 'seats', setting, redis.url);
  const arena = { env, ctx, agents, api, rowLock, rounds: 0 };

  const rows: Row[] = [];
  for (const connections of env.size.seatConnections) {
    const contest = await contend(arena, 1, connections);
    const name = `seats/s of one event, ${connections} connection${connections === 1 ? '' : 's'}`;
    rows.push(
      rateRow(name, contest, than, connections >= 64 ? { aim: hotAim } : {}),
      ...costRows(contest, connections === 64 ? hotAims : {}),
    );
  }
  const many = await contend(arena, manyEvents, 64);
  const idle = await contend(arena, 1, 1);
  return [
    ...rows,
    rateRow(`seats/s of ${format(manyEvents)} events`, many, than, { aim: spreadAim }),
    ...costRows(many),
    rateRow('one reservation at a time, /s', idle, than, { aim: idleAim }),
    ...costRows(idle, idleAims),
  ];
}

function startBaseline(env: BenchEnvironment, setting: DatabaseSetting, redisUrl: string): Promise<Server> {
  return startServer(env, 'row-lock-seats.ts', {
    DATABASE_URL: databaseUrlOf(setting),
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
  });
}

function contend(
  arena: Arena,
  eventCount: number,
  connections: number,
): Promise<Contest<LoadRound, LoadRound>> {
  const { size, load } = arena.env;
  const run = async (server: Server): Promise<LoadRound> => {
    const { requests, events } = await prepareRound(arena, eventCount);
    const round = await runLoadRound(load, server, {
      requests,
      repeat: false,
      maxMs: size.roundMs,
      connections,
    });
    await checkSeats(arena, events);
    return round;
  };
  return compareRounds(
    size.rounds,
    () => run(arena.rowLock),
    () => run(arena.api),
  );
}

/** Every agent reserves one seat, at the events in turn. */
async function prepareRound(
  arena: Arena,
  eventCount: number,
): Promise<{ requests: PreparedRequests; events: readonly EventRow[] }> {
  const { env, ctx, agents } = arena;
  arena.rounds += 1;
  const [host] = agents;
  invariant(host !== undefined, 'No agents were created.');
  const events = Array.from({ length: eventCount }, () => eventRow(host.id, agents.length, new Date()));
  await ctx.db.transaction((tx) => tx.query.insert(tx.tables.events).values(events));
  const body = { idempotency_key: `round-${arena.rounds}`.padEnd(12, '-') };
  const requests = agents.map(({ bearerToken }, index) =>
    postRequest(`/v1/events/${events[index % eventCount]?.id}/reserve`, bearerToken, body),
  );
  return { requests: prepareRequests(join(env.folder, `${env.store.dialect}-seats`), requests), events };
}

/** A rate counts only if every sold seat exists. */
async function checkSeats({ ctx }: Arena, events: readonly EventRow[]): Promise<void> {
  const { tables, query } = ctx.db;
  const ids = new Set(events.map(({ id }) => id));
  const rows = (await query.select().from(tables.events)).filter(({ id }) => ids.has(id));
  const taken = rows.reduce((sum, event) => sum + event.seatsTaken, 0);
  const seats = await query.select({ eventId: tables.seats.eventId }).from(tables.seats);
  const live = seats.filter(({ eventId }) => ids.has(eventId)).length;
  invariant(taken > 0 && taken === live, `${taken} seats are taken, and there are ${live}.`);
}
