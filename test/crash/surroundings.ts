/** What a hub that crashes stands in: a Redis, agents and events, an eval target, a receiver of webhooks. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventRow } from '#domain/events/event-rows.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { systemClock } from '#runtime/clock.ts';
import { poolNames } from '#workers/pool-registry.ts';
import type { Ctx } from '#domain/context.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import type { HubProcessOptions } from '#test/harness/hub-process.ts';
import { type Receiver, startReceiver } from '#test/harness/receiver.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import type { ScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { register } from '#test/harness/webhooks.ts';
import type { Surroundings } from './attempts.ts';
import type { Role } from './crash-plan.ts';

export interface CrashSurroundings extends Surroundings {
  /** Of the API processes, in the order of the lanes. */
  readonly urls: readonly string[];
  readonly dataDir: string;
  readonly receiver: Receiver;
  /** In each role one for each lane: processes beside each other, each of which dies and comes back. */
  readonly processes: Readonly<Record<Role, readonly HubProcessOptions[]>>;
  stop(): Promise<void>;
}

const agentCount = 60;
/** Of them, so many have a webhook. */
const toldCount = 30;
const tokens = 60;
const seatsTotal = 20;
const threadCount = 8;
const inboundMailSecret = `whsec_${Buffer.from('what providers sign mail with').toString('base64')}`;

export interface SurroundingsOptions {
  readonly eventCount: number;
  /** With any, the hub has an address to mail to. */
  readonly officeCount: number;
  readonly laneCount: number;
}

export async function prepareSurroundings(
  store: ScratchStore,
  { eventCount, officeCount, laneCount }: SurroundingsOptions,
): Promise<CrashSurroundings> {
  const redis = await startTestRedis();
  const receiver = startReceiver();
  const target = startTarget(() => 'Certainly.');
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-hub-crash-'));
  const ctx = { ...createTestCtx(store.db), clock: systemClock };
  const [maintainer, ...agents] = await createCrowd(ctx, agentCount, tokens);
  if (maintainer === undefined) throw new Error('A crowd has somebody in it.');
  const threadIds = await createThreads(ctx, maintainer, agents, receiver);
  const eventIds = await createEvents(ctx, eventCount, { seatsTotal });
  const officeIds = await createEvents(ctx, officeCount, { kind: 'office_hours', seatsTotal: 1 });
  const common = {
    stores: { database: store.setting, redisUrl: redis.url },
    settings: {
      DATA_DIR: dataDir,
      MAINTAINER_DIDS: maintainer.did,
      INBOUND_MAIL_SECRET: inboundMailSecret,
      EVAL_ALLOWED_TARGETS: 'loopback',
      ...(officeCount > 0 ? { CONTACT_TO: 'team@hub.test' } : {}),
    },
  };
  const pools = poolNames.filter((name) => name !== 'inbound-mail').flatMap((name) => ['--pool', name]);
  const ports = findFreePorts(laneCount);
  return {
    agents,
    maintainer,
    eventIds,
    officeIds,
    threadIds,
    targetOrigin: new URL(target.url).origin,
    inboundMailSecret,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    dataDir,
    receiver,
    processes: {
      api: ports.map((port) => {
        const settings = { ...common.settings, PORT: String(port) };
        return { ...common, settings, program: 'api' as const };
      }),
      workers: ports.map(() => ({ ...common, program: 'worker' as const, words: pools })),
    },
    stop: async () => {
      await Promise.all([target.stop(), receiver.stop()]);
      await redis.stop();
    },
  };
}

/** Threads to reply in. Of the first its author is told; the others keep that from being all that there is to tell. */
async function createThreads(
  ctx: Ctx,
  maintainer: TestAgent,
  agents: readonly TestAgent[],
  receiver: Receiver,
): Promise<string[]> {
  for (const agent of agents.slice(0, toldCount)) {
    const kinds = ['eval_job.completed', 'eval_job.failed', 'seat.cancelled', 'thread.reply'] as const;
    await register(ctx, agent, receiver.url, kinds);
  }
  const threadIds: string[] = [];
  for (let made = 0; made < threadCount; made += 1) {
    const author = made === 0 ? agents[0]! : maintainer;
    const input = { title: `Replies ${made}`, body: 'Go here.' };
    threadIds.push((await startThread(actingAs(ctx, author), input)).id);
  }
  return threadIds;
}

async function createEvents(ctx: Ctx, count: number, options: Partial<EventRow>): Promise<string[]> {
  const eventIds: string[] = [];
  while (eventIds.length < count)
    eventIds.push((await createTestEvent(ctx, { ...options, tokenPrice: 1 })).id);
  return eventIds;
}

/** An API comes back on the same port each time. */
function findFreePorts(count: number): number[] {
  const servers = Array.from({ length: count }, () =>
    Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() }),
  );
  return servers.map((server) => {
    const { port } = server;
    void server.stop(true);
    if (port === undefined) throw new Error('A TCP server has a port.');
    return port;
  });
}
