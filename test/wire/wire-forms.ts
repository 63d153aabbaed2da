/** What processes write for each other, byte for byte, as the running code writes it. */
import type { Dialect } from '#db/dialect.ts';
import { createMailboxes } from '#actors/mailbox.ts';
import { textsOf } from '#actors/messages.ts';
import { claimKey, storeResponse } from '#domain/idempotency/claim-key.ts';
import { withTransaction } from '#domain/context.ts';
import { enqueueAll } from '#domain/jobs/enqueue.ts';
import { type JobKind, queueOfKind, subjectOfKind } from '#domain/jobs/job-kinds.ts';
import { createSignInLink, startSession } from '#domain/sessions/sign-in-link.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { startTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { selectRows } from '#test/db/raw-store.ts';
import { seatCommands, seatReplies } from './seat-samples.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface WireForms {
  readonly mailbox: { readonly key: string; readonly entries: readonly string[] };
  readonly replies: { readonly channel: string; readonly text: string };
  readonly jobs: readonly {
    readonly key: string;
    readonly name: string;
    readonly data: string;
    readonly opts: string;
  }[];
  readonly stores: Readonly<Record<Dialect, StoredForms>>;
}

export interface StoredForms {
  readonly bearerToken: string;
  readonly sessionSecret: string;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

export const writtenAt = new Date('2026-11-23T04:00:00.250Z');
export const address = 'seat/0194f5d4-5b90-7000-8000-000000000001';
export const processId = '0194f5d4-5b90-7000-8000-00000000000a';
export const cause = {
  requestId: '0194f5d4-5b90-7000-8000-00000000000b',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
export const idempotentRequest = { route: 'POST /v1/threads', key: 'key-1', requestHash: 'hash-1' };
export const storedResponse = { status: 201, body: { id: 'z', title: 'A thread' } };
const subjectId = '0194f5d4-5b90-7000-8000-00000000000c';
/** Referenced rows come before the rows that refer to them. */
const tables = ['agents', 'bearer_tokens', 'sign_in_links', 'sessions', 'idempotency_keys', 'jobs'] as const;

export async function writeWireForms(): Promise<WireForms> {
  const transport = await startTransport();
  try {
    const { redis, publisher } = transport;
    await createMailboxes(redis).append(
      address,
      seatCommands.map((command, index) => ({
        id: `${processId}.${index}`,
        replyTo: processId,
        timeoutMs: 5_000,
        command,
        cause,
      })),
    );
    const key = redisNames.mailbox(address);
    const entries = (await redis.xrange(key, '-', '+')).map(([, fields]) => fields[1] ?? '');
    const results = seatReplies.map(([kind, reply]) => ({
      entryId: kind,
      replyTo: processId,
      id: kind,
      result: { reply },
    }));
    const [channel = '', inner = ''] = textsOf(results);
    const text = `[${inner}]`; // As the script publishes it.
    publisher.publish(
      jobKinds.map((kind) => ({
        id: `job-${kind}`,
        kind,
        queue: queueOfKind[kind],
        payload: payloadOf(kind),
        runAt: writtenAt,
      })),
    );
    const jobs = await Promise.all(
      jobKinds.map(async (kind) => {
        const queue = queueOfKind[kind];
        const place = `${redisNames.queuePrefix(queue)}:${queue}:job-${kind}`;
        await waitUntil(async () => (await redis.exists(place)) === 1);
        const { name = '', data = '', opts = '' } = await redis.hgetall(place);
        return { key: place, name, data, opts };
      }),
    );
    const stores = { sqlite: await writeRows('sqlite'), postgres: await writeRows('postgres') };
    return { mailbox: { key, entries }, replies: { channel, text }, jobs, stores };
  } finally {
    await transport.stop();
  }
}

// `queueOfKind` has exactly the kinds as keys.
const jobKinds = Object.keys(queueOfKind) as JobKind[];

function payloadOf(kind: JobKind): object {
  return { [subjectOfKind[kind]]: subjectId, cause };
}

async function writeRows(dialect: Dialect): Promise<StoredForms> {
  const store = await openScratchStore(dialect);
  try {
    const ctx = createTestCtx(store.db, createTestClock(writtenAt));
    const agent = await createTestAgent(ctx, { handle: 'ada' });
    const own = actingAs(ctx, agent);
    const link = await createSignInLink(own);
    const sessionSecret = await startSession(ctx, {
      secret: link.url.slice(link.url.lastIndexOf('/') + 1),
      userAgent: 'A browser',
    });
    const claimed = await claimKey(own, idempotentRequest);
    if (!('claim' in claimed)) throw new Error('The key was used before.');
    await withTransaction(ctx, async (inner) => {
      await storeResponse(inner, claimed.claim, storedResponse);
      // Each payload is that of its kind.
      for (const kind of jobKinds) await enqueueAll(inner, kind, [payloadOf(kind) as never]);
    });
    const rows: Record<string, readonly Row[]> = {};
    for (const table of tables) {
      const query = `select * from ${table}`;
      rows[table] =
        dialect === 'sqlite'
          ? await selectRows(store.setting, query)
          : (await selectRows(store.setting, `select row_to_json(t)::text as row from (${query}) t`)).map(
              ({ row }) => JSON.parse(String(row)) as Row,
            );
    }
    return { bearerToken: agent.bearerToken, sessionSecret, tables: rows };
  } finally {
    await store.remove();
  }
}
