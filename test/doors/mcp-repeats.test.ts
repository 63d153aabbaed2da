/**
 * A model that repeats a call without a key pays once: over two API processes, the same call within a minute has one
 * effect. Only what costs is guarded.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';
import { callTool, connectModern, refusalOf, type ToolResult, useTool } from './mcp-clients.ts';

const minuteMs = 60_000;

type Args = Record<string, unknown>;

onStore('sqlite', (store) => {
  let hub: TestHub;
  let other: TestHub;
  let second: OpenDatabase;
  beforeAll(async () => {
    const rules = { baseUrl: 'http://127.0.0.1' };
    ({ hub } = await startEventHub({ store, rules }));
    second = await openDatabase(store.setting);
    other = await startTestHub({ store: { db: second }, rules, redisUrl: hub.redisUrl, clock: hub.clock });
  });
  afterAll(async () => {
    await other.close();
    await second.close();
    await hub.close();
  });

  /** Clients of one agent, at one API process each. */
  async function connect(agent: TestAgent) {
    const clients = await Promise.all(
      [hub, other].map(({ url }) => connectModern(new URL(`${url}/mcp`), agent.bearerToken, 'auto')),
    );
    const at = (which: number) => clients[which % 2]!;
    return {
      use: (which: number, name: string, args: Args) => useTool(at(which), name, args),
      refuse: (which: number, name: string, args: Args) => refusalOf(at(which), name, args),
      call: (which: number, name: string, args: Args) => callTool(at(which), name, args),
      close: () => Promise.all(clients.map((client) => client.close())),
    };
  }

  const idOf = ({ run, post, thread, request, id }: Args) =>
    id ?? [run, post, thread, request].map((one) => (one as Args | undefined)?.['id']).find(Boolean);

  test.each([
    ['start_run', { max_prompt_tokens: 8_000 }, { product: 'eval-run', max_prompt_tokens: 8_000 }],
    ['post_to_forum', { title: 'A title', body: 'A body' }, { body: 'A body', title: 'A title' }],
    ['request_tokens', { amount: 1, reason: 'A run' }, { reason: 'A run', amount: 1 }],
  ] as const)('%s', async (name, args, again) => {
    const agent = await createTestAgent(hub.ctx, { tokens: 20, freeEvalTaken: true });
    const { use, call, close } = await connect(agent);
    const raced = await Promise.all([0, 1, 2, 3].map((which) => call(which, name, args)));
    // One that is not done yet says so.
    const refused = raced.filter(({ isError }) => isError === true);
    expect(new Set(refused.map(({ structuredContent: { error } }: ToolResult) => error))).toEqual(
      new Set(refused.length === 0 ? [] : ['request_in_progress']),
    );
    const done = raced
      .filter(({ isError }) => isError !== true)
      .map(({ structuredContent }) => structuredContent);
    const ids = new Set(done.map(idOf));
    expect([ids.size, done.filter(({ repeated }) => repeated === undefined).length]).toEqual([1, 1]);
    hub.clock.advance(minuteMs - 1);
    const repeated = await use(1, name, again);
    expect([idOf(repeated), repeated.repeated]).toEqual([
      [...ids][0],
      expect.stringContaining('idempotency_key'),
    ]);
    // An explicit key wins, and so do other arguments.
    if (name !== 'request_tokens') {
      const keyed = await use(0, name, { ...args, idempotency_key: 'mine' });
      expect([ids.has(idOf(keyed)), keyed.repeated]).toEqual([false, undefined]);
    }
    hub.clock.advance(1);
    if (name !== 'request_tokens') {
      const later = await use(0, name, args);
      expect([ids.has(idOf(later)), later.repeated]).toEqual([false, undefined]);
    }
    await close();
  });

  test('book_seat, which can book again once the seat is cancelled', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 20 });
    const { use, call, refuse, close } = await connect(agent);
    const { id: event_id } = await createTestEvent(hub.ctx);
    const raced = await Promise.all([0, 1, 2, 3].map((which) => call(which, 'book_seat', { event_id })));
    const ids = new Set(raced.map(({ structuredContent }) => structuredContent.seat.id));
    const fresh = raced.filter(({ structuredContent }) => structuredContent.repeated === undefined);
    expect([ids.size, fresh.length]).toEqual([1, 1]);
    expect((await use(0, 'get_balance', {})).balance).toBe(18);
    expect((await refuse(0, 'book_seat', { event_id, idempotency_key: 'mine' })).error).toBe(
      'already_reserved',
    );
    await use(1, 'book_seat', { event_id, cancel: true });
    const again = await use(0, 'book_seat', { event_id });
    expect([ids.has(again.seat.id), again.repeated]).toEqual([false, undefined]);
    hub.clock.advance(minuteMs);
    expect((await refuse(1, 'book_seat', { event_id })).error).toBe('already_reserved');
    expect((await use(0, 'get_balance', {})).balance).toBe(18);
    await close();
  });

  test('a call that failed runs again, and no other tool is guarded', async () => {
    const agent = await createTestAgent(hub.ctx, { freeEvalTaken: true });
    const { use, refuse, close } = await connect(agent);
    for (const which of [0, 1])
      expect((await refuse(which, 'start_run', {})).error).toBe('insufficient_tokens');
    const { db } = hub.ctx;
    const { idempotencyKeys } = db.tables;
    for (const name of ['get_me', 'get_notifications', 'list_agents', 'get_balance']) {
      await use(0, name, {});
      expect((await use(1, name, {})).repeated).toBeUndefined();
    }
    await use(0, 'publish_skill', { name: 'one', description: 'Does it.', repo_url: 'https://a.example/b' });
    const kept = await db.query.select().from(idempotencyKeys).where(eq(idempotencyKeys.agentId, agent.id));
    expect(kept).toEqual([]);
    await close();
  });
});
