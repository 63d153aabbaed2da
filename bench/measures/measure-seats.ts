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
import { compareRounds, type Contest, median } from '../compare-rounds.ts';
import { postRequest, type PreparedRequests, prepareRequests } from '../load/load-generator.ts';
import { eventRow } from '../seed-events.ts';
import { databaseUrlOf } from '../stores/bench-stores.ts';
import { atLeast, atMost, format, type Row, spread } from '../table.ts';
import { costRows, type LoadRound, runLoadRound } from './load-round.ts';

/** Relative to one row lock per request: 64 connections or more at one event, at many events, and one at a time. */
const hotAim = 14;
const spreadAim = 2.5;
const idleAim = 0.83;
const hotAimCpuUs = 230;
const hotAimMs = { p50: 10, p99: 20 };
const idleAimMs = { p50: 4, p99: 15 };
const manyEvents = 1_000;

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
  const ctx = await openContext(env, setting, { publish: () => {}, signal: () => {} });
  const agents = await createCrowd(ctx, env.size.seatsPerRound, tokensPerAgent);
  const rowLock = await startBaseline(env, setting, redis.url);
  const api = await startApi(env, setting, redis.url);
  await startPool(env, 'seats', setting, redis.url);
  const arena = { env, ctx, agents, api, rowLock, rounds: 0 };

  const rows: Row[] = [];
  for (const connections of env.size.seatConnections) {
    const contest = await contend(arena, 1, connections);
    const name = `seats/s of one event, ${connections} connection${connections === 1 ? '' : 's'}`;
    const aim = connections >= 64 ? { aim: atLeast(hotAim, contest.ratio) } : {};
    rows.push({ ...rateRow(name, contest), ...aim }, ...costRows(contest.subject, contest.baseline));
    if (connections === 64) {
      const cpuUs = median(contest.subject.map(({ allCpuUs }) => allCpuUs));
      rows.push(
        aimRow('  CPU of one seat, all processes, µs', cpuUs, hotAimCpuUs),
        ...latencyRows(contest, hotAimMs),
      );
    }
  }
  const many = await contend(arena, manyEvents, 64);
  const name = `seats/s of ${format(manyEvents)} events`;
  rows.push({ ...rateRow(name, many), aim: atLeast(spreadAim, many.ratio) });
  rows.push(...costRows(many.subject, many.baseline));
  const idle = await contend(arena, 1, 1);
  rows.push({ ...rateRow('one reservation at a time, /s', idle), aim: atLeast(idleAim, idle.ratio) });
  rows.push(...costRows(idle.subject, idle.baseline), ...latencyRows(idle, idleAimMs));
  return rows;
}

function latencyRows(
  { subject }: Contest<LoadRound, LoadRound>,
  aims: { readonly p50: number; readonly p99: number },
): readonly Row[] {
  return [
    aimRow('  p50, ms', median(subject.map(({ p50Ms }) => p50Ms)), aims.p50),
    aimRow('  p99, ms', median(subject.map(({ p99Ms }) => p99Ms)), aims.p99),
  ];
}

function aimRow(measure: string, valueMs: number, aimMs: number): Row {
  return { measure, hub: format(valueMs, 1), aim: atMost(aimMs, valueMs) };
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

function rateRow(measure: string, { subject, baseline, ratio }: Contest<LoadRound, LoadRound>): Row {
  return {
    measure,
    hub: spread(subject.map(({ rate }) => rate)),
    baseline: `${spread(baseline.map(({ rate }) => rate))} with a row lock each`,
    ratio: format(ratio, 2),
  };
}
