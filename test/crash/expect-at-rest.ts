/** What must come about by itself once a hub crashes no more: all promised work is done, and what it told others it told once. */
import { expect } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Receiver } from '#test/harness/receiver.ts';

/** Every job row is closed within the time, and no run is left open. */
export async function expectAtRest({ query, tables }: Database, withinMs: number): Promise<void> {
  const { jobs, evalJobs } = tables;
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const open = await query.select().from(jobs).where(isNull(jobs.closedAt));
    const runs = await query.select({ status: evalJobs.status }).from(evalJobs);
    const stuck = runs.filter(({ status }) => status === 'queued' || status === 'running').length;
    if (open.length === 0 && stuck === 0) return;
    if (performance.now() > giveUpAt) {
      expect({ stuckJobs: open.map(({ kind, id }) => `${kind} ${id}`), stuckRuns: stuck }).toEqual({
        stuckJobs: [],
        stuckRuns: 0,
      });
    }
    await Bun.sleep(250);
  }
}

/** Each thing that happened was promised to a webhook once, and what was promised has arrived under its id. */
export async function expectTold({ query, tables }: Database, receiver: Receiver): Promise<void> {
  const deliveries = await query.select().from(tables.webhookDeliveries);
  const causes = deliveries.map(({ webhookId, kind, data }) => JSON.stringify([webhookId, kind, data]));
  expect(causes.length - new Set(causes).size).toBe(0);
  const arrived = new Map(receiver.received.map(({ id, data }) => [id, JSON.stringify(data)]));
  for (const { id, status, data } of deliveries) {
    expect([id, status, arrived.has(id)]).toEqual([id, 'delivered', true]);
    expect(JSON.parse(arrived.get(id) ?? 'null')).toEqual(data);
  }
  const webhooks = await query.select().from(tables.webhooks);
  const agentIds = new Set(webhooks.map(({ agentId }) => agentId));
  const runs = (await query.select().from(tables.evalJobs)).filter(({ agentId }) => agentIds.has(agentId));
  const cancelled = (await query.select().from(tables.seats)).filter(
    ({ agentId, status }) => status === 'cancelled' && agentIds.has(agentId),
  );
  const told = (prefix: string): number => deliveries.filter(({ kind }) => kind.startsWith(prefix)).length;
  const threads = (await query.select().from(tables.threads)).filter(({ authorId }) =>
    agentIds.has(authorId),
  );
  const replies = threads.reduce((sum, { postCount }) => sum + postCount - 1, 0);
  expect([told('eval_job.'), told('seat.cancelled'), told('thread.reply')]).toEqual([
    runs.length,
    cancelled.length,
    replies,
  ]);
}

/** Every mail was handed over, and lies in the folder once; there is one for each booking of office hours. */
export async function expectMailed({ query, tables }: Database, folder: string): Promise<void> {
  const mails = await query.select().from(tables.mails);
  expect(mails.filter(({ status }) => status !== 'sent')).toEqual([]);
  const files = mails.length === 0 ? [] : await readdir(folder);
  const whole = files.filter((name) => name.endsWith('.eml'));
  expect(new Set(whole.map((name) => name.split('_')[1]))).toEqual(
    new Set(mails.map(({ id }) => `${id}.eml`)),
  );
  expect(whole).toHaveLength(mails.length);
  const offices = (await query.select().from(tables.events)).filter(({ kind }) => kind === 'office_hours');
  const ids = new Set(offices.map(({ id }) => id));
  const booked = (await query.select().from(tables.seats)).filter(({ eventId }) => ids.has(eventId));
  // Who is booked and taken back by one batch, which has one instant, is no news to the host.
  const told = booked.filter(
    ({ reservedAt, cancelledAt }) => cancelledAt?.getTime() !== reservedAt.getTime(),
  );
  expect(mails).toHaveLength(told.length);
}
