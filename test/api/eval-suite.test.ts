/** The description of the suite, and practice: what an agent can learn before it spends tokens. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { suiteVersion } from '#evals/suite/suite-version.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

interface ShownCase {
  readonly case_id: string;
  readonly kind: string;
  readonly messages?: readonly { readonly content: string }[];
  readonly accepted: readonly (string | readonly string[])[];
  readonly refused: readonly (string | readonly string[])[];
}

const suiteBytesMax = 230_000;

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
  agent = await createTestAgent(hub.ctx);
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

const practise = (json: object) =>
  hub.fetch('/v1/eval-suite/practice', { method: 'POST', token: agent.bearerToken, json });

test('anybody can read the suite: weights of 100, two practice cases of every kind, in less than 230 kB', async () => {
  const { status, body, text, headers } = await hub.fetch('/v1/eval-suite');
  expect([status, body.version]).toEqual([200, suiteVersion]);
  expect(Buffer.byteLength(text)).toBeLessThan(suiteBytesMax);
  expect(headers.get('etag')).not.toBeNull();
  const categories = body.categories as { weight: number; cases: number; kinds: string[] }[];
  expect(categories.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
  expect(categories.reduce((sum, { cases }) => sum + cases, 0)).toBe(40);
  const kinds = (body.practice as ShownCase[]).map(({ kind }) => kind);
  expect(kinds).toEqual(categories.flatMap((category) => category.kinds).flatMap((kind) => [kind, kind]));
});

test('the suite says how long everything may take, and when a run fails', async () => {
  const { body } = await hub.fetch('/v1/eval-suite');
  expect(body.time_limits).toEqual({
    until_first_fetch: 86_400,
    from_fetch_to_answer: 600,
    pull_run_from_first_fetch: 3_600,
    reply_unless_timeout_s: 30,
    push_run_free: 300,
    push_run_40: 600,
    push_run_120: 1_800,
  });
  const rules = body.failing.join('\n');
  for (const part of [
    'first call fails',
    '20% of all cases',
    '50% of the first stage (16 of 40, 48 of 120)',
    'refunded',
  ])
    expect(rules).toContain(part);
});

/** The body that submits a reply or a whole conversation. */
function bodyOf({ case_id, messages = [] }: ShownCase, replies: string | readonly string[]) {
  if (typeof replies === 'string') return { case_id, text: replies };
  const before = messages
    .slice(0, -1)
    .flatMap((message, turn) => [message, { role: 'assistant', content: replies[turn] ?? '' }]);
  return { case_id, text: replies.at(-1) ?? '', messages: before };
}

test('the replies and conversations shown as accepted pass, those shown as refused do not, and none is both', async () => {
  const { practice } = (await hub.fetch('/v1/eval-suite')).body as { practice: readonly ShownCase[] };
  for (const one of practice) {
    const { case_id, accepted, refused, messages } = one;
    expect([case_id, accepted.length > 0, refused.length > 0]).toEqual([case_id, true, true]);
    for (const replies of [...accepted, ...refused]) {
      expect([case_id, typeof replies === 'string' ? undefined : replies.length]).toEqual([
        case_id,
        messages?.length,
      ]);
      const { status, body } = await practise(bodyOf(one, replies));
      expect([case_id, status, body.passed]).toEqual([case_id, 200, accepted.includes(replies)]);
    }
    const texts = new Set(accepted.map((replies) => JSON.stringify(replies)));
    expect([case_id, refused.filter((replies) => texts.has(JSON.stringify(replies)))]).toEqual([case_id, []]);
  }
});

test('a case with several turns needs the earlier replies, and says so', async () => {
  const { practice } = (await hub.fetch('/v1/eval-suite')).body as { practice: readonly ShownCase[] };
  const long = practice.find(({ kind }) => kind === 'amendments')!;
  const [conversation] = long.accepted;
  const { messages, ...bare } = bodyOf(long, conversation ?? []);
  const without = await practise(bare);
  expectError(without, 400, 'invalid_body');
  expect(without.body.message).toContain('`messages` must hold your replies to the first 2');
  expectError(await practise({ ...bare, messages: messages?.slice(0, 2) }), 400, 'invalid_body');
  const short = practice.find(({ kind }) => kind === 'count')!;
  expectError(await practise({ case_id: short.case_id, text: '1', messages }), 400, 'invalid_body');
});

test('a long text is read beside long earlier replies', async () => {
  const text = 'é'.repeat(61_440);
  const { practice } = (await hub.fetch('/v1/eval-suite')).body as { practice: readonly ShownCase[] };
  const long = practice.find(({ kind }) => kind === 'amendments')!;
  const { status, body } = await practise(bodyOf(long, [text, text, text]));
  expect([status, body.passed]).toEqual([200, false]);
});

test('an unknown case is 404, and a text that is too long is 400', async () => {
  expectError(await practise({ case_id: 'practice-nothing-1', text: '' }), 404, 'case_not_found');
  const long = await practise({ case_id: 'practice-count-1', text: 'x'.repeat(61_441) });
  expectError(long, 400, 'invalid_body');
});

test('while too many replies wait, a reply is 503 with the time to repeat it', async () => {
  const busy = await startTestHub({ store, isPlaceClosed: true });
  try {
    const json = { case_id: 'practice-count-1', text: '1' };
    const refused = await busy.fetch('/v1/eval-suite/practice', { token: agent.bearerToken, json });
    expectError(refused, 503, 'grading_busy');
    expect(refused.headers.get('retry-after')).toBe('2');
  } finally {
    await busy.close();
  }
});
