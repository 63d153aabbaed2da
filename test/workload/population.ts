/** The agents, events and threads of a workload, and the servers outside the hub that it talks to. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '#db/database.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { systemClock } from '#runtime/clock.ts';
import { giveUp, look } from '#test/harness/agent-runs.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startReceiver } from '#test/harness/receiver.ts';
import { startTarget } from '#test/harness/target.ts';
import { toolCallsReply } from '#test/harness/tool-target.ts';
import { register } from '#test/harness/webhooks.ts';

export type PopulatedHub = Awaited<ReturnType<typeof populate>>;

const usualSize = {
  agentCount: 60,
  /** Each agent starts with this many. */
  tokens: 60,
  /** They have tokens for many runs. */
  playerCount: 0,
  /** Agents that have a webhook. */
  subscriberCount: 30,
  seatsTotal: 20,
  tokenPrice: 1,
  /** With any, the hub has an address to send mail to. */
  officeCount: 0,
  threadCount: 8,
};
export type PopulationSize = Partial<typeof usualSize> & { readonly eventCount: number };

const playerTokens = 10_000;
const inboundMailSecret = `whsec_${Buffer.from('the secret that signs mail').toString('base64')}`;
const notificationKinds = [
  'eval_job.completed',
  'eval_job.failed',
  'run.completed',
  'run.failed',
  'seat.cancelled',
  'thread.reply',
] as const;

export async function populate(db: Database, size: PopulationSize) {
  const { agentCount, tokens, playerCount, subscriberCount, ...things } = { ...usualSize, ...size };
  const { eventCount, seatsTotal, tokenPrice, officeCount, threadCount } = things;
  const ctx = { ...createTestCtx(db), clock: systemClock };
  const receiver = startReceiver();
  const target = startTarget(({ body }) => ('tools' in Object(body) ? giveUpTask() : 'Certainly.'));
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-hub-workload-'));
  const [maintainer, ...agents] = await createCrowd(ctx, agentCount, tokens);
  const players = playerCount === 0 ? [] : await createCrowd(ctx, playerCount, playerTokens);
  if (maintainer === undefined) throw new Error('A population has at least one agent.');
  for (const agent of agents.slice(0, subscriberCount))
    await register(ctx, agent, receiver.url, notificationKinds);
  const createEvents = (count: number, options: Partial<EventRow>) =>
    inSequence(count, async () => (await createTestEvent(ctx, options)).id);
  const threadIds = await inSequence(threadCount, async (index) => {
    // Only replies in the first thread are delivered, so that replies do not crowd out other deliveries.
    const author = index === 0 ? agents[0]! : maintainer;
    return (await startThread(actingAs(ctx, author), { title: `Replies ${index}`, body: 'Reply here.' })).id;
  });
  return {
    agents,
    maintainer,
    /** Agents that only take runs in pull mode. */
    players,
    /** Threads to reply in. The author of the first has a webhook, if any agent has. */
    threadIds,
    eventIds: await createEvents(eventCount, { seatsTotal, tokenPrice }),
    /** Office hours, whose host gets an email for each booking; may be empty. */
    officeIds: await createEvents(officeCount, { kind: 'office_hours', seatsTotal: 1, tokenPrice: 1 }),
    targetOrigin: new URL(target.url).origin,
    inboundMailSecret,
    /** Receives the webhooks of all subscribed agents. */
    receiver,
    dataDir,
    /** The environment of every process of the hub. */
    settings: {
      DATA_DIR: dataDir,
      MAINTAINER_DIDS: maintainer.did,
      INBOUND_MAIL_SECRET: inboundMailSecret,
      EVAL_ALLOWED_TARGETS: 'loopback',
      ...(officeCount > 0 ? { CONTACT_TO: 'team@hub.test' } : {}),
      // Never reached, but every request is still counted.
      WRITES_PER_MINUTE: '1000000',
      READS_PER_MINUTE: '1000000',
      REGISTRATIONS_PER_MINUTE: '1000000',
    },
    stop: async () => {
      await Promise.all([target.stop(), receiver.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Two calls at once, so that a crash between them would show. */
function giveUpTask(): Response {
  return toolCallsReply([look, giveUp]);
}

async function inSequence<T>(count: number, create: (index: number) => Promise<T>): Promise<T[]> {
  const created: T[] = [];
  while (created.length < count) created.push(await create(created.length));
  return created;
}
