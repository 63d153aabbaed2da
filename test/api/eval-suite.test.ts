/** The description of the suite, and practice: what an agent can learn before it spends tokens. */
import { expect, test } from 'bun:test';
import { ruleNames } from '#evals/findings/find-causes.ts';
import { checkVersion } from '#evals/health/health-check.ts';
import { plainRunSize } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';

interface ShownCase {
  readonly case_id: string;
  readonly topic: string;
  readonly messages: readonly { readonly content: string }[];
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

const suiteBytesMax = 60_000;

const hub = useTestHub();
const agent = useTestAgent(hub);

const practise = (json: object, at = hub) =>
  at.fetch('/v1/eval-suite/practice', { token: agent.bearerToken, json });
const readPractice = async (): Promise<readonly ShownCase[]> =>
  (await hub.fetch('/v1/eval-suite')).body.practice;
const caseOf = async (asked: string) => (await readPractice()).find(({ topic }) => topic === asked)!;

test('anybody can read the suite: parts, sizes, rules and a practice case of every topic, in less than 60 kB', async () => {
  const { status, body, text, headers } = await hub.fetch('/v1/eval-suite');
  expect([status, body.name, body.version]).toEqual([200, 'health-check', checkVersion]);
  expect(Buffer.byteLength(text)).toBeLessThan(suiteBytesMax);
  expect(headers.get('etag')).not.toBeNull();
  const parts = body.parts as { name: string; cases: number; topics: string[] }[];
  expect(parts.reduce((sum, { cases }) => sum + cases, 0)).toBe(plainRunSize + 8);
  expect(body.sizes[0]).toMatchObject({ size: 'standard', cases: [{ cases: plainRunSize }, {}, {}] });
  const topics = (body.practice as ShownCase[]).map(({ topic }) => topic);
  expect(topics.toSorted()).toEqual(
    [...new Set(parts.flatMap(({ name, topics: own }) => (name === 'tools' ? [] : own)))].toSorted(),
  );
  expect(body.findings).toEqual([...ruleNames]);
});

test('the suite says how long everything may take', async () => {
  const { body } = await hub.fetch('/v1/eval-suite');
  expect(body.time_limits).toEqual({
    until_first_fetch: 86_400,
    from_fetch_to_answer: 600,
    pull_run_from_first_fetch: 3_600,
    reply_unless_timeout_s: 30,
    push_run_free: 300,
    push_run_standard: 15 * plainRunSize,
    push_run_long: expect.any(Number),
  });
});

/** The body that submits a reply to the last turn. */
function bodyOf({ case_id, messages }: ShownCase, text: string) {
  const before = messages
    .slice(0, -1)
    .flatMap((message) => [message, { role: 'assistant', content: 'Noted.' }]);
  return { case_id, text, ...(before.length === 0 ? {} : { messages: before }) };
}

test('the replies shown as accepted pass, and those shown as refused do not', async () => {
  for (const one of await readPractice()) {
    const { case_id, accepted, refused } = one;
    expect([case_id, accepted.length > 0, refused.length > 0]).toEqual([case_id, true, true]);
    for (const reply of [...accepted, ...refused]) {
      const { status, body } = await practise(bodyOf(one, reply));
      expect([case_id, status, body.passed]).toEqual([case_id, 200, accepted.includes(reply)]);
    }
  }
});

test('a reply that software has changed is named', async () => {
  const json = await caseOf('json');
  const record = JSON.parse(json.accepted[0]!) as Record<string, unknown>;
  const asTexts = JSON.stringify(record, (_, value) => (typeof value === 'number' ? String(value) : value));
  const { body } = await practise(bodyOf(json, asTexts));
  expect(body.passed).toBe(false);
  expect(body.changes).toContain('Numbers in JSON come back as strings: "12" for 12.');
});

test('a case with several turns needs the earlier replies, and says so', async () => {
  const long = await caseOf('turns');
  const { messages, ...bare } = bodyOf(long, long.accepted[0]!);
  const without = await practise(bare);
  expectError(without, 400, 'invalid_body');
  expect(without.body.message).toContain('`messages` must hold your replies to the first 4');
  expectError(await practise({ ...bare, messages: messages?.slice(0, 2) }), 400, 'invalid_body');
  const { case_id } = await caseOf('word');
  expectError(await practise({ case_id, text: '1', messages }), 400, 'invalid_body');
});

test('a long text is read beside long earlier replies', async () => {
  const text = 'é'.repeat(61_440);
  const long = await caseOf('turns');
  const messages = long.messages.slice(0, -1).map(() => ({ role: 'assistant', content: text }));
  const { status, body } = await practise({ case_id: long.case_id, text, messages });
  expect([status, body.passed]).toEqual([200, false]);
});

test('an unknown case is 404, and a text that is too long is 400', async () => {
  expectError(await practise({ case_id: 'practice-nothing-1', text: '' }), 404, 'case_not_found');
  const long = await practise({ case_id: 'practice-word-1', text: 'x'.repeat(61_441) });
  expectError(long, 400, 'invalid_body');
});

test('while too many replies wait, a reply is 503 with the time to repeat it', async () => {
  await using busy = await startTestHub({ store: hub, isPlaceClosed: true });
  const refused = await practise({ case_id: 'practice-word-1', text: '1' }, busy);
  expectError(refused, 503, 'busy');
  expect(refused.headers.get('retry-after')).toBe('2');
});
