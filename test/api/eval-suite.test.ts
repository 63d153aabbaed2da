/** The description of the suite, and practice: what an agent can learn before it spends tokens. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { suiteVersion } from '#domain/eval-suite/suite-version.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

interface ShownCase {
  readonly case_id: string;
  readonly kind: string;
  readonly messages?: readonly { readonly content: string }[];
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

const suiteBytesMax = 200_000;

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

test('anybody can read the suite: weights of 100, two practice cases of every kind, in less than 200 kB', async () => {
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
    '50% of the first stage (15 of 40, 45 of 120)',
    'refunded',
  ])
    expect(rules).toContain(part);
});

test('the replies shown as accepted pass, and those shown as refused do not', async () => {
  const { practice } = (await hub.fetch('/v1/eval-suite')).body as { practice: readonly ShownCase[] };
  for (const { case_id, accepted, refused } of practice.filter(({ messages }) => messages === undefined)) {
    expect([case_id, accepted.length > 0, refused.length > 0]).toEqual([case_id, true, true]);
    const right = await practise({ case_id, text: accepted[0] ?? '' });
    expect([case_id, right.status, right.body.passed, right.body.score]).toEqual([case_id, 200, true, 1]);
    const wrong = await practise({ case_id, text: refused[0] ?? '' });
    expect([case_id, wrong.body.passed, wrong.body.expected]).toEqual([case_id, false, right.body.expected]);
  }
});

test('a case with several turns is graded with the earlier replies', async () => {
  const { practice } = (await hub.fetch('/v1/eval-suite')).body as { practice: readonly ShownCase[] };
  const long = practice.find(({ kind }) => kind === 'amendments')!;
  const messages = long
    .messages!.slice(0, -1)
    .flatMap((message) => [message, { role: 'assistant', content: 'Here it is.' }]);
  const { status, body } = await practise({ case_id: long.case_id, text: long.accepted[0] ?? '', messages });
  expect([status, body.passed]).toEqual([200, true]);
});

test('an unknown case is 404, and a text that is too long is 400', async () => {
  expectError(await practise({ case_id: 'practice-nothing-1', text: '' }), 404, 'case_not_found');
  const long = await practise({ case_id: 'practice-count-1', text: 'x'.repeat(61_441) });
  expectError(long, 400, 'invalid_body');
});
