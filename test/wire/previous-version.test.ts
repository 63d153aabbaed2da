/**
 * This version and the previous one exchange messages during a rolling upgrade. This one reads what the previous one has
 * written, even with unknown fields, and writes everything that the previous one reads.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Database as SqliteFile } from 'bun:sqlite';
import type { DatabaseSetting } from '#db/database.ts';
import { createMailboxes } from '#actors/mailbox.ts';
import { type CommandResult, listenToResults } from '#actors/messages.ts';
import { findActingAgents } from '#domain/agents/find-acting-agents.ts';
import { hashBearerToken } from '#domain/agents/keys/bearer-token.ts';
import { readSeatCommand, readSeatReply } from '#domain/events/seat-commands.ts';
import { claimKey } from '#domain/idempotency/claim-key.ts';
import { isJobKind, queueOfKind, readSubjectId, subjectIdOf } from '#domain/jobs/job-kinds.ts';
import { reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { findSession } from '#domain/sessions/sessions.ts';
import { type DeliveredJob, startJobWorker } from '#runtime/jobs/job-worker.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { readReplicationId } from '#runtime/redis/replication-id.ts';
import { connectSubscriber, isReadyWithin } from '#runtime/redis/redis.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { startTransport, type Transport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import recorded from './previous-version.json';
import { seatCommands, seatReplies } from './seat-samples.ts';
import {
  address,
  cause,
  idempotentRequest,
  type Row,
  processId,
  storedResponse,
  type StoredForms,
  type WireForms,
  writeWireForms,
  writtenAt,
} from './wire-forms.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
// Written by `record.ts`. The type of the import is narrower, without the index signatures.
const previous = recorded as unknown as WireForms;

/** As a newer version might write it: with another field in every object. */
function withUnknownFields(text: string): string {
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value, unknownField: 7 }
      : value,
  );
}

const forms = [
  ['', (text: string) => text],
  [' with unknown fields', withUnknownFields],
] as const;

let transport: Transport;
let current: WireForms;
beforeAll(async () => {
  transport = await startTransport();
  current = await writeWireForms();
});
afterAll(() => transport.stop());

describe.each(forms)('reads the previous form%s', (_, change) => {
  test('of commands in a mailbox', async () => {
    const { redis } = transport;
    await redis.flushall();
    const incarnation = (await readReplicationId(redis)) ?? '';
    for (const entry of previous.mailbox.entries) {
      await redis.xadd(previous.mailbox.key, '*', 'm', change(entry), 'r', incarnation);
    }
    const messages = (await createMailboxes(redis).take(address, 1, []))?.messages ?? [];
    expect(messages).toMatchObject(seatCommands.map(() => ({ replyTo: processId, cause })));
    expect(messages.map(({ command }) => readSeatCommand(command))).toMatchObject([...seatCommands]);
  });

  test('of replies', async () => {
    const subscriber = connectSubscriber(transport.redisUrl, logger);
    await isReadyWithin(subscriber, 5_000);
    const results = new Map<string, CommandResult>();
    listenToResults(subscriber, processId, (id, result) => void results.set(id, result));
    const { channel, text } = previous.replies;
    // Nobody receives it before the subscription is active.
    await waitUntil(async () => (await transport.redis.publish(channel, change(text))) > 0);
    await waitUntil(async () => results.size === seatReplies.length);
    subscriber.disconnect();
    for (const [kind, reply] of seatReplies) {
      const command = seatCommands.find((each) => each.kind === kind);
      const result = results.get(kind);
      if (command === undefined || result === undefined || !('reply' in result)) throw new Error(kind);
      expect(readSeatReply(command, result.reply)).toMatchObject(reply);
    }
  });

  test('of jobs in the queues', async () => {
    const { redis, redisUrl } = transport;
    await redis.flushall();
    const delivered = new Map<string, DeliveredJob>();
    for (const { key, name, data, opts } of previous.jobs) {
      const [id = ''] = key.split(':').slice(-1);
      const fields = {
        name,
        data: change(data),
        opts,
        timestamp: writtenAt.getTime(),
        delay: 0,
        priority: 0,
      };
      await redis.hset(key, fields);
      await redis.lpush(`${key.slice(0, -id.length)}wait`, id);
    }
    const workers = [...new Set(Object.values(queueOfKind))].map((queue) =>
      startJobWorker({
        queue,
        concurrency: 1,
        redisUrl,
        logger,
        handle: async (job) => void delivered.set(job.kind, job),
      }),
    );
    await waitUntil(async () => delivered.size === previous.jobs.length);
    await Promise.all(workers.map((worker) => worker.drain()));
    for (const { name, data } of previous.jobs) {
      const job = delivered.get(name);
      if (!isJobKind(name) || job === undefined) throw new Error(name);
      expect(job).toMatchObject({ id: `job-${name}`, kind: name, cause });
      expect(data).toContain(readSubjectId(name, job.payload));
    }
  });
});

forEachStore((store) => {
  test('reads the previous rows of tokens, sessions, idempotency keys and jobs', async () => {
    const { bearerToken, sessionSecret, tables } = previous.stores[store.dialect];
    for (const [table, rows] of Object.entries(tables)) {
      for (const row of rows) await insertRaw(store.setting, table, row);
    }
    const ctx = createTestCtx(store.db, createTestClock(writtenAt));
    const hash = hashBearerToken(bearerToken);
    const bearer = (await findActingAgents(store.db, [hash])).get(hash);
    if (bearer === undefined) throw new Error('The token is not valid.');
    expect(bearer.agent.handle).toBe('ada');
    expect(await findSession(ctx, { secret: sessionSecret })).toMatchObject({ agent: { handle: 'ada' } });
    const claimed = await claimKey(actingAs(ctx, bearer.agent), idempotentRequest);
    expect(claimed).toEqual({ stored: storedResponse });
    await reannounceOpenJobs(ctx, { announcedBefore: new Date(writtenAt.getTime() + 1), limit: 10 });
    expect(new Set<unknown>(ctx.published.map(({ kind }) => kind))).toEqual(
      new Set((tables['jobs'] ?? []).map(({ kind }) => kind)),
    );
    expect(ctx.published.every(({ payload }) => payload.cause?.requestId === cause.requestId)).toBe(true);
  });
});

test('writes to Redis what the previous version reads', () => {
  expect(current.mailbox.key).toBe(previous.mailbox.key);
  expect(current.mailbox.key).toBe(redisNames.mailbox(address));
  const newer = current.mailbox.entries.map((entry): unknown => JSON.parse(entry));
  expect(newer).toMatchObject(previous.mailbox.entries.map((entry) => JSON.parse(entry) as object));
  expect(current.replies.channel).toBe(previous.replies.channel);
  expect(JSON.parse(current.replies.text)).toMatchObject(JSON.parse(previous.replies.text) as object);
  const byKey = new Map(current.jobs.map((job) => [job.key, job]));
  for (const { key, name, data, opts } of previous.jobs) {
    const job = byKey.get(key);
    if (job === undefined) throw new Error(`Nothing was written to ${key}.`);
    expect(job.name).toBe(name);
    expect(JSON.parse(job.data)).toMatchObject(JSON.parse(data) as object);
    // Each job says how often it is attempted, so the versions need not agree.
    const { attempts: _, ...others } = JSON.parse(opts) as { attempts: number };
    expect(JSON.parse(job.opts)).toMatchObject(others);
  }
});

test('writes the columns and payloads that the previous version reads', () => {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const [now, before] = [current.stores[dialect].tables, previous.stores[dialect].tables];
    for (const [table, rows] of Object.entries(before)) {
      expect([table, shapeOf(now[table] ?? [])]).toMatchObject([table, shapeOf(rows)]);
    }
    expect(subjectsOf(current.stores[dialect])).toEqual(subjectsOf(previous.stores[dialect]));
  }
});

test('a lost or retyped field is noticed', () => {
  const [row = {}] = previous.stores.sqlite.tables['jobs'] ?? [];
  const { kind: _, ...others } = row;
  expect([shapeOf([others])]).not.toMatchObject([shapeOf([row])]);
  expect([shapeOf([{ ...row, kind: 7 }])]).not.toMatchObject([shapeOf([row])]);
});

/** The types of the columns: ids, times and hashes differ from one recording to the next. */
function shapeOf(rows: readonly Row[]): readonly object[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, typeof value])),
  );
}

function subjectsOf({ tables }: StoredForms): readonly (string | null)[] {
  return (tables['jobs'] ?? []).map(({ kind, payload }) =>
    // Selected from the table of jobs; SQLite stores the payload as text.
    subjectIdOf({ kind, payload: typeof payload === 'string' ? JSON.parse(payload) : payload } as never),
  );
}

/** Inserts a row as the previous version would, without columns that it does not know. */
async function insertRaw(setting: DatabaseSetting, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row).join(', ');
  if (setting.kind === 'sqlite') {
    using file = new SqliteFile(setting.file, { strict: true });
    const places = Object.keys(row).map(() => '?');
    // SQLite returned these values.
    const values = Object.values(row) as (string | number | null)[];
    file.query(`insert into ${table} (${columns}) values (${places.join(', ')})`).run(...values);
    return;
  }
  await using client = connectDirectly(setting.url);
  await client.unsafe(
    `insert into ${table} (${columns}) select ${columns} from json_populate_record(null::${table}, $1::text::json)`,
    [JSON.stringify(row)],
  );
}
