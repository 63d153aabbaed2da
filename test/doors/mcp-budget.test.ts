/** How much of a model's context an eval run takes over MCP, from connection to scorecard, in characters of JSON. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { rowOf } from '#test/harness/rows.ts';
import { type AnyClient, connectModern, type ToolResult } from './mcp-clients.ts';

/** As models count roughly. */
const charactersPerToken = 4;
const promptTokensMax = 45_000;
const otherTokensMax = 12_500;
const responseTokensMax = 10_000;

const seeds: string[] = [];
const book = openAnswerBook(() => seeds);
const hub = useTestHub({ rules: { baseUrl: 'http://127.0.0.1' } });
const agent = useTestAgent(hub, { tokens: 10 });

interface ToolCase {
  readonly case_id: string;
  readonly prompt: string;
  readonly step?: number;
  readonly again?: boolean;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

type OpenCase = Pick<ToolCase, 'case_id' | 'step' | 'messages'>;

/** Models do not see `_meta`. */
const lengthOf = (value: unknown): number =>
  JSON.stringify(value, (key, inner: unknown) => (key === '_meta' ? undefined : inner)).length;

/** Calls a tool. @returns the text and the structured content */
async function call(client: AnyClient, name: string, args: object = {}): Promise<ToolResult> {
  const result = (await client.callTool({ name, arguments: { ...args } })) as ToolResult;
  expect([name, result.isError ?? false]).toEqual([name, false]);
  return result;
}

/** A host that shows its model all of a result, and one that the hub does not know, which shows the text. */
type Kind = 'claude-code' | 'test';

function shownBy(kind: Kind, { content, structuredContent }: ToolResult): unknown {
  return kind === 'test' ? content[0]!.text : { content, structuredContent };
}

/** What a model takes in, by kind of message, in tokens. */
function openMeter() {
  const kinds: Record<string, number> = {};
  const seen = { prompts: 0, others: 0, responseMax: 0, requests: 0 };
  const take = (kind: string, result: unknown, promptCharacters = 0): void => {
    const tokens = lengthOf(result) / charactersPerToken;
    const others = tokens - promptCharacters / charactersPerToken;
    kinds[kind] = (kinds[kind] ?? 0) + others;
    seen.requests += 1;
    seen.prompts += promptCharacters / charactersPerToken;
    seen.others += others;
    seen.responseMax = Math.max(seen.responseMax, tokens);
  };
  return { kinds, seen, take };
}

async function evaluate(kind: Kind, mode: 'auto' | undefined, limit: number) {
  await using client = await connectModern(new URL(`${hub.url}/mcp`), agent.bearerToken, mode, kind);
  const { kinds, seen, take } = openMeter();
  take('instructions', client.getInstructions());
  take('tools/list', await client.listTools());
  take('prompts/get', await client.getPrompt({ name: 'get_evaluated' }));
  take('get_me', shownBy(kind, await call(client, 'get_me')));
  const started = await call(client, 'start_run', {
    max_prompt_tokens: 8_000,
    idempotency_key: `${kind} ${mode} ${limit}`,
  });
  take('start_run', shownBy(kind, started));
  const run_id: string = started.structuredContent.run.id;
  seeds.push((await rowOf(hub, 'runs', { id: run_id })).suiteSeed);
  for (let ended = false; !ended;) {
    const fetched = await call(client, 'get_cases', { run_id, limit, wait: 20 });
    const { cases } = fetched.structuredContent as { cases: ToolCase[] };
    expect(cases.length).toBeGreaterThan(0);
    const all = JSON.stringify(shownBy(kind, fetched));
    /** What the model has read in each open case, which it does not get again. */
    const asked = new Map<string, string[]>();
    for (const { case_id, prompt, step = 0, messages } of cases) {
      expect([step, messages]).toEqual([0, undefined]);
      asked.set(case_id, [prompt]);
      // With its quotation marks, because a short prompt may be part of another. In the text of a result, they are escaped.
      const quoted = JSON.stringify(prompt);
      const once = kind === 'test' ? JSON.stringify(quoted).slice(1, -1) : quoted;
      expect(all.split(once)).toHaveLength(2);
    }
    const promptCharacters = cases.reduce((sum, { prompt }) => sum + lengthOf(prompt), 0);
    take('get_cases', shownBy(kind, fetched), promptCharacters);
    for (let open: OpenCase[] = cases.map(({ case_id }) => ({ case_id, step: 0 })); open.length > 0;) {
      const answers = open.map(({ case_id, step }) => ({
        case_id,
        step,
        text: book.find(asked.get(case_id)!)?.best ?? '',
      }));
      const accepted = await call(client, 'answer', { run_id, answers });
      ({ ended, cases: open = [] } = accepted.structuredContent);
      const added = open.flatMap(({ case_id, messages = [] }) => {
        const prompts = messages.map(({ content }) => content);
        asked.set(case_id, [...(asked.get(case_id) ?? []), ...prompts]);
        return prompts;
      });
      const addedCharacters = added.reduce((sum, text) => sum + lengthOf(text), 0);
      take('answer', shownBy(kind, accepted), addedCharacters);
    }
  }
  const card = await call(client, 'get_report', { run_id });
  take('get_report', shownBy(kind, card));
  expect(card.structuredContent.run).toMatchObject({ status: 'completed', score: 100 });
  return { kinds, seen };
}

test.each([
  ['claude-code', 'auto', 1],
  ['claude-code', undefined, 8],
  ['test', 'auto', 1],
  ['test', undefined, 8],
] as const)(
  'a run by %s (%s), limit %d, takes in each prompt once, and little else',
  async (kind, mode, limit) => {
    const { kinds, seen } = await evaluate(kind, mode, limit);
    const rounded = Object.entries({ ...kinds, ...seen }).map(
      ([name, value]) => `${name} ${value.toFixed(0)}`,
    );
    console.log(`${kind}, limit ${limit}, in tokens: ${rounded.join(', ')}`);
    expect(seen.prompts).toBeLessThan(promptTokensMax);
    expect(seen.others).toBeLessThan(otherTokensMax);
    expect(seen.responseMax).toBeLessThan(responseTokensMax);
  },
);

test('an agent that has lost the conversation of a case fetches it again', async () => {
  const forgetful = await createTestAgent(hub.ctx);
  await using client = await connectModern(new URL(`${hub.url}/mcp`), forgetful.bearerToken, 'auto');
  const { run } = (await call(client, 'start_run', { max_prompt_tokens: 8_000 })).structuredContent;
  for (let found = false; !found;) {
    const { cases } = (await call(client, 'get_cases', { run_id: run.id })).structuredContent;
    const [{ case_id, prompt, step = 0, again, messages = [] }] = cases as [ToolCase];
    const answer = { run_id: run.id, answers: [{ case_id, step, text: `To: ${prompt.slice(0, 20)}` }] };
    if (step > 0) {
      expect(again).toBe(true);
      expect(messages).toHaveLength(2 * step);
      expect(messages[1]).toMatchObject({ role: 'assistant', content: expect.stringMatching(/^To: /) });
      found = true;
    }
    await call(client, 'answer', answer);
  }
});
