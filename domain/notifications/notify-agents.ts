/**
 * Notifies agents in the transaction of the event: adds to their feeds, and to the deliveries of their webhooks.
 * Any number of notices takes the same number of statements.
 */
import { lt, sql } from 'drizzle-orm';
import { insertStatement } from '#db/prepared.ts';
import { createId } from '#runtime/create-id.ts';
import { findClosed } from '../agents/find-agent.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { pruneAfter, type RetentionInput } from '../retention.ts';
import { deliverNotices } from '../webhooks/enqueue-deliveries.ts';
import { isByHub, type Notice } from './notification-kinds.ts';

const insertNotifications = insertStatement('notifications');

/**
 * Leaves out the acting agent, which knows what it has done. Must be the last step: it locks the feeds of the agents
 * until the transaction ends.
 */
export async function notifyAgents(
  ctx: TransactionCtx & Partial<AgentCtx>,
  notices: readonly Notice[],
): Promise<void> {
  const actorId = ctx.agent?.id;
  const ofOthers = notices.filter(({ agentId, kind }) => agentId !== actorId || isByHub(kind));
  // The feed of a closed account must stay empty.
  const closed = await findClosed(
    ctx.db,
    ofOthers.map(({ agentId }) => agentId),
  );
  const wanted = ofOthers.filter(({ agentId }) => !closed.has(agentId));
  if (wanted.length === 0) return;
  await addToFeeds(ctx, wanted);
  await deliverNotices(ctx, wanted);
}

async function addToFeeds(ctx: TransactionCtx, notices: readonly Notice[]): Promise<void> {
  const now = ctx.clock.now();
  const added = notices.map((notice) => ({ ...notice, id: createId(now), createdAt: now }));
  // Feeds are locked in one order, so that transactions that notify the same agents do not deadlock.
  const ofAgents = [...Map.groupBy(added, ({ agentId }) => agentId)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const next = new Map<string, number>();
  for (let start = 0; start < ofAgents.length; start += feedsPerStatementMax) {
    const feeds = await advanceFeeds(ctx, ofAgents.slice(start, start + feedsPerStatementMax));
    for (const { agentId, first } of feeds) next.set(agentId, first);
  }
  const rows = added.map((notice) => {
    const sequence = next.get(notice.agentId);
    invariant(sequence !== undefined, 'Every notified agent has a feed.');
    next.set(notice.agentId, sequence + 1);
    return { ...notice, sequence };
  });
  await insertNotifications(ctx.db, rows);
  ctx.db.afterCommit(() => {
    for (const [agentId] of ofAgents) ctx.publisher.signal(notificationsTopic(agentId));
  });
}

type AddedToAgent = readonly [agentId: string, added: readonly { readonly id: string }[]];

/** Reserves sequence numbers in the feeds. Returns the first one of each agent. */
async function advanceFeeds(
  { db }: TransactionCtx,
  ofAgents: readonly AddedToAgent[],
): Promise<readonly { readonly agentId: string; readonly first: number }[]> {
  const { notificationFeeds } = db.tables;
  const rows = ofAgents.map(([agentId, added]) => {
    const last = added.at(-1);
    invariant(last !== undefined, 'Every group of notices has a last one.');
    return { agentId, lastSequence: added.length, lastId: last.id, readSequence: 0 };
  });
  const counts = new Map(rows.map(({ agentId, lastSequence }) => [agentId, lastSequence]));
  const advanced = await db.query
    .insert(notificationFeeds)
    .values(rows)
    .onConflictDoUpdate({
      target: notificationFeeds.agentId,
      set: {
        lastSequence: sql`${notificationFeeds.lastSequence} + excluded.last_sequence`,
        lastId: sql`excluded.last_id`,
      },
    })
    .returning({ agentId: notificationFeeds.agentId, lastSequence: notificationFeeds.lastSequence });
  return advanced.map(({ agentId, lastSequence }) => ({
    agentId,
    first: lastSequence - (counts.get(agentId) ?? 0) + 1,
  }));
}

/** The limits of the feed, and its signal topic. */

/** How long a request may wait for a notification. */
export const notificationsWaitMaxSeconds = 25;
/** Bounds the parameters of a statement. */
const feedsPerStatementMax = 1_000;

/** Signalled whenever the agent is notified. */
export function notificationsTopic(agentId: string): string {
  return `notifications.${agentId}`;
}

/** Deletes old notifications, read or not, the oldest first. */
export function pruneNotifications(ctx: Ctx, input: RetentionInput): Promise<number> {
  return pruneAfter(ctx, input, ({ notifications }, before) => ({
    table: notifications,
    id: notifications.id,
    isOld: lt(notifications.createdAt, before),
    order: notifications.createdAt,
  }));
}
