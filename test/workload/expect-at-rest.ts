/**
 * Checks that a hub completes all accepted work once a workload has ended, and sends every notification exactly once.
 */
import { expect } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import type { Database } from '#db/database.ts';
import { challengeKind } from '#domain/webhooks/challenge.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import type { Receiver } from '#test/harness/receiver.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Expects that within the time, every job row is closed and no run is open. */
export async function expectAtRest(db: Database, withinMs: number): Promise<void> {
  const { runs } = db.tables;
  const findOpen = async () => ({
    jobs: await rowsOf({ db }, 'jobs', { closedAt: null }),
    runs: await db.query.$count(runs, isOpenRun(runs)),
  });
  const isAtRest = async (): Promise<boolean> => {
    const open = await findOpen();
    return open.jobs.length + open.runs === 0;
  };
  // The rows say more than that it took too long.
  await failureOf(waitUntil(isAtRest, withinMs));
  expect(await findOpen()).toEqual({ jobs: [], runs: 0 });
}

/** Each occurrence has one delivery per webhook, and each delivery arrived under its id. */
export async function expectDelivered(db: Database, receiver: Receiver): Promise<void> {
  // A receiver lists challenges separately.
  const deliveries = (await rowsOf({ db }, 'webhookDeliveries')).filter(({ kind }) => kind !== challengeKind);
  const causes = deliveries.map(({ webhookId, kind, data }) => JSON.stringify([webhookId, kind, data]));
  expect(causes.length - new Set(causes).size).toBe(0);
  const arrived = new Map(receiver.received.map(({ id, data }) => [id, JSON.stringify(data)]));
  for (const { id, status, data } of deliveries) {
    expect([id, status, arrived.has(id)]).toEqual([id, 'delivered', true]);
    expect(JSON.parse(arrived.get(id) ?? 'null')).toEqual(data);
  }
  const subscribers = new Set((await rowsOf({ db }, 'webhooks')).map(({ agentId }) => agentId));
  const runs = (await rowsOf({ db }, 'runs')).filter(({ agentId }) => subscribers.has(agentId));
  // Nobody is notified of what it does itself, and only agents cancel their seats here.
  const threads = new Map((await rowsOf({ db }, 'threads')).map(({ id, authorId }) => [id, authorId]));
  const replies = (await rowsOf({ db }, 'posts')).filter(({ threadId, authorId, position }) => {
    const author = threads.get(threadId) ?? '';
    return position > 1 && subscribers.has(author) && author !== authorId;
  });
  const countOf = (form: RegExp): number => deliveries.filter(({ kind }) => form.test(kind)).length;
  const told = [countOf(/^(eval_job|run)\./), countOf(/^seat\.cancelled$/), countOf(/^thread\.reply$/)];
  expect(told).toEqual([runs.length, 0, replies.length]);
}

/**
 * Expects that every email was sent and is in the folder once, with one per event for each agent that booked office
 * hours.
 */
export async function expectMailed(db: Database, folder: string): Promise<void> {
  const mails = await rowsOf({ db }, 'mails');
  expect(mails.filter(({ status }) => status !== 'sent')).toEqual([]);
  const files = mails.length === 0 ? [] : await readdir(folder);
  const complete = files.filter((name) => name.endsWith('.eml'));
  expect(new Set(complete.map((name) => name.split('_')[1]))).toEqual(
    new Set(mails.map(({ id }) => `${id}.eml`)),
  );
  expect(complete).toHaveLength(mails.length);
  const offices = await rowsOf({ db }, 'events', { kind: 'office_hours' });
  const officeIds = new Set(offices.map(({ id }) => id));
  const booked = (await rowsOf({ db }, 'seats')).filter(({ eventId }) => officeIds.has(eventId));
  // The host is not notified of a seat that one batch, which has one timestamp, both books and cancels.
  const notified = booked.filter(
    ({ reservedAt, cancelledAt }) => cancelledAt?.getTime() !== reservedAt.getTime(),
  );
  // No workload lasts a day, so there is one notice per agent and event.
  expect(mails).toHaveLength(new Set(notified.map(({ eventId, agentId }) => `${eventId} ${agentId}`)).size);
}
