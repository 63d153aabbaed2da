/** What a hub that crashes stands in: a Redis, agents and events, an eval target, a receiver of webhooks. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startThread } from '#domain/forum/start-thread.ts';
import { systemClock } from '#runtime/clock.ts';
import { poolNames } from '#workers/pools.ts';
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
  readonly url: string;
  readonly dataDir: string;
  readonly receiver: Receiver;
  readonly processes: Readonly<Record<Role, HubProcessOptions>>;
  stop(): Promise<void>;
}

const agentCount = 60;
/** Of them, so many have a webhook. */
const toldCount = 12;
const tokens = 60;
const eventCount = 3;
const seatsTotal = 20;
const inboundMailSecret = `whsec_${Buffer.from('what providers sign mail with').toString('base64')}`;

export async function prepareSurroundings(
  store: ScratchStore,
  withMail: boolean,
): Promise<CrashSurroundings> {
  const redis = await startTestRedis();
  const receiver = startReceiver();
  const target = startTarget(() => 'Certainly.');
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-hub-crash-'));
  const ctx = { ...createTestCtx(store.db), clock: systemClock };
  const agents = await createCrowd(ctx, agentCount, tokens);
  const [maintainer, ...others] = agents;
  const [author] = others;
  if (maintainer === undefined || author === undefined) throw new Error('A crowd has more than two agents.');
  for (const agent of others.slice(0, toldCount)) {
    await register(ctx, agent, receiver.url, ['eval_job.completed', 'eval_job.failed', 'seat.cancelled']);
  }
  const { id: threadId } = await startThread(actingAs(ctx, author), { title: 'Replies', body: 'Go here.' });
  const eventIds: string[] = [];
  for (let made = 0; made < eventCount; made += 1) {
    const kind = withMail && made === 0 ? ({ kind: 'office_hours', seatsTotal: 1 } as const) : { seatsTotal };
    eventIds.push((await createTestEvent(ctx, { ...kind, tokenPrice: 1 })).id);
  }
  const port = findFreePort();
  const common = {
    stores: { database: store.setting, redisUrl: redis.url },
    settings: {
      PORT: String(port),
      DATA_DIR: dataDir,
      MAINTAINER_DIDS: maintainer.did,
      INBOUND_MAIL_SECRET: inboundMailSecret,
      EVAL_ALLOWED_TARGETS: 'loopback',
      ...(withMail ? { CONTACT_TO: 'team@hub.test' } : {}),
    },
  };
  const pools = poolNames.filter((name) => name !== 'inbound-mail').flatMap((name) => ['--pool', name]);
  return {
    agents: others,
    maintainer,
    eventIds,
    threadId,
    targetOrigin: new URL(target.url).origin,
    inboundMailSecret,
    url: `http://127.0.0.1:${port}`,
    dataDir,
    receiver,
    processes: {
      api: { ...common, script: 'api/main.ts' },
      workers: { ...common, script: 'workers/main.ts', words: pools },
    },
    stop: async () => {
      await Promise.all([target.stop(), receiver.stop()]);
      await redis.stop();
    },
  };
}

/** The API comes back on the same port each time. */
function findFreePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  if (port === undefined) throw new Error('A TCP server has a port.');
  return port;
}
