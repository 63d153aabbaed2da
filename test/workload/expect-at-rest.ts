/**
 * Checks that a hub completes all accepted work once a workload has ended, and sends every notification exactly once.
 */
import { expect } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { isNull, ne } from 'drizzle-orm';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import type { Database } from '#db/database.ts';
import { challengeKind } from '#domain/webhooks/challenge.ts';
import type { Receiver } from '#test/harness/receiver.ts';

const pollMs = 250;

/** Expects that within the time, every job row is closed and no run is open. */
export async function expectAtRest({ query, tables }: Database, withinMs: number): Promise<void> {
  const { jobs, runs } = tables;
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const open = await query.select().from(jobs).where(isNull(jobs.closedAt));
    const openRuns = await query.$count(runs, isOpenRun(runs));
    if (open.length === 0 && openRuns === 0) return;
    if (performance.now() > giveUpAt) {
      const openJobs = open.map(
        ({ kind, id, runAt, publishedAt }) =>
          `${kind} ${id}, due ${runAt.toISOString()}, published ${publishedAt.toISOString()}, now ${new Date().toISOString()}`,
      );
      expect({ openJobs, openRuns }).toEqual({ openJobs: [], openRuns: 0 });
    }
    await Bun.sleep(pollMs);
  }
}

/** Each occurrence has one delivery per webhook, and each delivery arrived under its id. */
export async function expectDelivered({ query, tables }: Database, receiver: Receiver): Promise<void> {
  // A receiver lists challenges separately.
  const deliveries = await query
    .select()
    .from(tables.webhookDeliveries)
    .where(ne(tables.webhookDeliveries.kind, challengeKind));
  const causes = deliveries.map(({ webhookId, kind, data }) => JSON.stringify([webhookId, kind, data]));
  expect(causes.length - new Set(causes).size).toBe(0);
  const arrived = new Map(receiver.received.map(({ id, data }) => [id, JSON.stringify(data)]));
  for (const { id, status, data } of deliveries) {
    expect([id, status, arrived.has(id)]).toEqual([id, 'delivered', true]);
    expect(JSON.parse(arrived.get(id) ?? 'null')).toEqual(data);
  }
  const webhooks = await query.select().from(tables.webhooks);
  const subscribers = new Set(webhooks.map(({ agentId }) => agentId));
  const runs = (await query.select().from(tables.runs)).filter(({ agentId }) => subscribers.has(agentId));
  // Nobody is notified of what it does itself, and only agents cancel their seats here.
  const threads = new Map(
    (await query.select().from(tables.threads)).map(({ id, authorId }) => [id, authorId]),
  );
  const replies = (await query.select().from(tables.posts)).filter(({ threadId, authorId, position }) => {
    const author = threads.get(threadId) ?? '';
    return position > 1 && subscribers.has(author) && author !== authorId;
  });
  const countOf = (form: RegExp): number => deliveries.filter(({ kind }) => form.test(kind)).length;
  expect([countOf(/^(eval_job|run)\./), countOf(/^seat\.cancelled$/), countOf(/^thread\.reply$/)]).toEqual([
    runs.length,
    0,
    replies.length,
  ]);
}

/**
 * Expects that every email was sent and is in the folder once, with one per event for each agent that booked office
 * hours.
 */
export async function expectMailed({ query, tables }: Database, folder: string): Promise<void> {
  const mails = await query.select().from(tables.mails);
  expect(mails.filter(({ status }) => status !== 'sent')).toEqual([]);
  const files = mails.length === 0 ? [] : await readdir(folder);
  const complete = files.filter((name) => name.endsWith('.eml'));
  expect(new Set(complete.map((name) => name.split('_')[1]))).toEqual(
    new Set(mails.map(({ id }) => `${id}.eml`)),
  );
  expect(complete).toHaveLength(mails.length);
  const offices = (await query.select().from(tables.events)).filter(({ kind }) => kind === 'office_hours');
  const officeIds = new Set(offices.map(({ id }) => id));
  const booked = (await query.select().from(tables.seats)).filter(({ eventId }) => officeIds.has(eventId));
  // The host is not notified of a seat that one batch, which has one timestamp, both books and cancels.
  const notified = booked.filter(
    ({ reservedAt, cancelledAt }) => cancelledAt?.getTime() !== reservedAt.getTime(),
  );
  // No workload lasts a day, so there is one notice per agent and event.
  expect(mails).toHaveLength(new Set(notified.map(({ eventId, agentId }) => `${eventId} ${agentId}`)).size);
}
