/** A run of a suite over MCP: instructions and tools that its cases share come once, and nothing else is lost. */
import { beforeAll, expect, test, afterAll } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { startTestHub, type TestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import {
  type AnyClient,
  callTool,
  connectModern,
  refusalOf,
  useTool,
  type ToolResult,
} from './mcp-clients.ts';
import { type OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { onStore } from '#test/harness/stores.ts';

const charactersPerToken = 4;
const caseCount = 24;

/** Of all fetches together, beside the prompts and what the cases share. */
const otherTokensMax = 3_000;

const policy = `Answer with one word. ${'Never promise a refund before the parcel has arrived. '.repeat(80)}`;

const tool = (name: string) => ({
  name,
  description: `${name}: ${'looks something up in the books of the shop. '.repeat(20)}`,
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
});

const tools = [tool('find_order'), tool('find_parcel')];
const expectYes = [{ matches: 'yes' }];

const cases = Array.from({ length: caseCount }, (_, n) => {
  const id = `case-${n}`;
  if (n === 3) {
    const messages = [
      { role: 'user', content: 'My order is the blue one.' },
      { role: 'assistant', content: 'Which parcel?' },
      { role: 'user', content: 'The second.' },
    ];
    return { id, messages, expect: expectYes };
  }
  if (n === 5) return { id, prompt: 'Is it open?', tools: [tool('find_hours')], expect: expectYes };
  if (n === 6) return { id, prompt: 'Is it big?', tools: [], expect: expectYes };
  return { id, prompt: `Did parcel ${n} arrive?`, expect: expectYes };
});

interface ShownCase {
  readonly case_id: string;
  readonly prompt: string;
  readonly messages?: readonly object[];
  readonly shared?: readonly string[];
}

const hub = useTestHub({ rules: { baseUrl: 'http://127.0.0.1' } });

const agent = useTestAgent(hub, { handle: 'ada', tokens: 20 });
beforeAll(async () => {
  await publishTestSuite(actingAs(hub.ctx, agent), { suite: 1, name: 'shop', system: policy, tools, cases });
});

const connectAda = () => connectModern(new URL(`${hub.url}/mcp`), agent.bearerToken, 'auto');

async function start(client: AnyClient, idempotency_key: string): Promise<string> {
  const order = { product: 'suite-run', suite: '@ada/shop', idempotency_key };
  return (await useTool(client, 'start_run', order)).run.id;
}

const answersTo = (shown: readonly ShownCase[]) =>
  shown.map(({ case_id }) => ({ case_id, text: 'yes', tool_calls: [] }));

test.each([1, 8])('fetched %d at a time, each text comes once', async (limit) => {
  await using client = await connectAda();
  const run_id = await start(client, `once ${limit}`);
  const shared = new Map<string, object>();
  const seen = new Map<string, ShownCase>();
  let characters = 0;
  for (let ended = false; !ended;) {
    const known = [...shared.keys()];
    const { structuredContent, content } = await callTool(client, 'get_cases', { run_id, limit, known });
    characters += JSON.stringify(structuredContent).length;
    const texts = Object.entries<object>(structuredContent.shared ?? {});
    for (const [id, text] of texts) {
      expect(shared.has(id)).toBe(false);
      shared.set(id, text);
    }
    // A model that reads no schema learns it from the result.
    if (texts.length > 0) expect(content[0]!.text).toContain('`known`');
    for (const one of structuredContent.cases) seen.set(one.case_id, one);
    ({ ended } = await useTool(client, 'answer', { run_id, answers: answersTo(structuredContent.cases) }));
  }
  const sharedBy = (id: string) =>
    Object.assign({}, ...(seen.get(id)?.shared ?? []).map((one) => shared.get(one)));
  expect(seen.size).toBe(caseCount);
  expect(sharedBy('case-0')).toEqual({ system: policy, tools });
  expect(sharedBy('case-3')).toEqual({ system: policy, tools });
  expect(sharedBy('case-5')).toEqual({ system: policy, tools: [tool('find_hours')] });
  expect(sharedBy('case-6')).toEqual({ system: policy });
  // What the suite says before the prompt comes with it.
  expect(seen.get('case-3')).toMatchObject({
    prompt: 'The second.',
    messages: [
      { role: 'user', content: 'My order is the blue one.' },
      { role: 'assistant', content: 'Which parcel?' },
    ],
  });
  expect(seen.get('case-0')).not.toHaveProperty('messages');
  const prompts = [...seen.values()].reduce((sum, { prompt }) => sum + prompt.length, 0);
  const once = JSON.stringify([...shared.values()]).length;
  const others = (characters - prompts - once) / charactersPerToken;
  console.log(
    `a suite, limit ${limit}: ${once / charactersPerToken} tokens shared, ${others} beside the prompts`,
  );
  expect(others).toBeLessThan(otherTokensMax);
  const { run } = await useTool(client, 'get_report', { run_id });
  expect(run).toMatchObject({ status: 'completed', score: 100, result: expect.anything() });
});

test('whoever does not name what it knows gets it again, once for all cases of a fetch', async () => {
  await using client = await connectAda();
  const run_id = await start(client, 'again');
  for (let n = 0; n < 2; n += 1) {
    const fetched = await useTool(client, 'get_cases', { run_id, limit: 4 });
    expect(fetched.cases).toHaveLength(4);
    expect(Object.values(fetched.shared).slice(0, 2)).toEqual([{ system: policy }, { tools }]);
    expect(JSON.stringify(fetched).split('find_parcel: ')).toHaveLength(2);
    const known = Object.keys(fetched.shared);
    expect(await useTool(client, 'get_cases', { run_id, limit: 4, known })).not.toHaveProperty('shared');
    await useTool(client, 'answer', { run_id, answers: answersTo(fetched.cases) });
  }
});

test('a text that no store keeps is refused so that the model can correct it', async () => {
  await using client = await connectAda();
  const run_id = await start(client, 'odd texts');
  const [{ case_id }] = (await useTool(client, 'get_cases', { run_id, limit: 1 })).cases;
  for (const [text, message] of [
    ['a\u0000', '`answers[0].text` must contain no NUL.'],
    ['a\ud800', '`answers.text` must not contain NUL or an unpaired surrogate.'],
  ]) {
    const refused = await refusalOf(client, 'answer', { run_id, answers: [{ case_id, text }] });
    expect(refused).toMatchObject({ error: 'invalid_body', message });
  }
});

/**
 * A model that repeats a call without a key pays once: over two API processes, the same call within a minute has one
 * effect. Only what costs is guarded.
 */
const minuteMs = 60_000;

type Args = Record<string, unknown>;

onStore('sqlite', (store) => {
  const rules = { baseUrl: 'http://127.0.0.1' };
  const { hub } = useEventHub({ store, rules });
  let other: TestHub;
  let second: OpenDatabase;
  beforeAll(async () => {
    second = await openDatabase(store.setting);
    other = await startTestHub({ store: { db: second }, rules, redisUrl: hub.redisUrl, clock: hub.clock });
  });
  afterAll(async () => {
    await other.close();
    await second.close();
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
    [
      'change_work_order',
      { title: 'A title', description: 'A tool', bounty: 3 },
      { bounty: 3, title: 'A title', description: 'A tool' },
    ],
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
      hub.clock.advance(1);
      const later = await use(0, name, args);
      for (const fresh of [keyed, later])
        expect([ids.has(idOf(fresh)), fresh.repeated]).toEqual([false, undefined]);
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

  test('change_work_order, which can submit again once the order is sent back', async () => {
    const create = () => createTestAgent(hub.ctx);
    const [proposer, builder, reviewer] = await Promise.all([create(), create(), create()]);
    const terms = { title: 'A title', description: 'A tool' };
    const { id: work_order_id } = await proposeWorkOrder(actingAs(hub.ctx, proposer), terms);
    const [asBuilder, asReviewer] = [await connect(builder), await connect(reviewer)];
    const move = async ({ use }: typeof asBuilder, args: Args) => {
      const { work_order, repeated } = await use(0, 'change_work_order', { work_order_id, ...args });
      return [work_order.status, repeated];
    };
    const submission = { to: 'in_review', reviewer_handle: reviewer.handle };
    await move(asBuilder, { to: 'interrogating' });
    await move(asBuilder, { to: 'triaged' });
    await move(asBuilder, { to: 'building', implementer_handle: builder.handle });
    expect(await move(asBuilder, submission)).toEqual(['in_review', undefined]);
    expect(await move(asReviewer, { to: 'building' })).toEqual(['building', undefined]);
    expect(await move(asBuilder, submission)).toEqual(['in_review', undefined]);
    expect((await asBuilder.refuse(0, 'change_work_order', { work_order_id, ...submission })).error).toBe(
      'invalid_transition',
    );
    await Promise.all([asBuilder.close(), asReviewer.close()]);
  });

  test('an idempotency key has the form of the header', async () => {
    const { use, refuse, close } = await connect(await createTestAgent(hub.ctx));
    const args = { title: 'A title', body: 'A body' };
    for (const idempotency_key of ['', 'a\u0000b', 'a\nb', 'a\ud800b', 'x'.repeat(201)])
      expect((await refuse(0, 'post_to_forum', { ...args, idempotency_key })).error).toBe('invalid_body');
    for (const idempotency_key of [' ', '\u{1f511}'.repeat(200)])
      await use(0, 'post_to_forum', { ...args, idempotency_key });
    await close();
  });

  test('a call that failed runs again, and no other tool is guarded', async () => {
    const agent = await createTestAgent(hub.ctx, { freeEvalTaken: true });
    const { use, refuse, close } = await connect(agent);
    for (const which of [0, 1])
      expect((await refuse(which, 'start_run', {})).error).toBe('insufficient_tokens');
    for (const name of ['get_me', 'get_notifications', 'list_agents', 'get_balance']) {
      await use(0, name, {});
      expect((await use(1, name, {})).repeated).toBeUndefined();
    }
    await use(0, 'publish_skill', { name: 'one', description: 'Does it.', repo_url: 'https://a.example/b' });
    expect(await rowsOf(hub, 'idempotencyKeys', { agentId: agent.id })).toEqual([]);
    await close();
  });
});
