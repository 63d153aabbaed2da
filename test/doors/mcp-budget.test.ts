/** How much of a model's context an eval run takes over MCP, from connection to scorecard, in characters of JSON. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { type AnyClient, connectModern, type ToolResult } from './mcp-clients.ts';

/** As models count roughly. */
const charactersPerToken = 4;
const promptTokensMax = 85_000;
const otherTokensMax = 16_000;
const responseTokensMax = 20_000;

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
const seeds: string[] = [];
const book = openAnswerBook(() => seeds);
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, rules: { baseUrl: 'http://127.0.0.1' } });
  agent = await createTestAgent(hub.ctx, { tokens: 10 });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

interface ToolCase {
  readonly case_id: string;
  readonly index: number;
  readonly prompt: string;
  readonly turn: number;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

/** Models do not see `_meta`. */
const lengthOf = (value: unknown): number =>
  JSON.stringify(value, (key, inner: unknown) => (key === '_meta' ? undefined : inner)).length;

/** Calls a tool as the model sees it: the text and the structured content. */
async function call(client: AnyClient, name: string, args: object = {}): Promise<ToolResult> {
  const result = (await client.callTool({ name, arguments: { ...args } })) as ToolResult;
  expect([name, result.isError ?? false]).toEqual([name, false]);
  return result;
}

/** @returns the body, from wherever it is */
function bodyOf({ structuredContent, content }: ToolResult): ToolResult['structuredContent'] {
  return structuredContent ?? JSON.parse(content[0]!.text);
}

async function evaluate(path: string, limit: number) {
  const client = await connectModern(new URL(hub.url + path), agent.bearerToken, 'auto');
  const seen = { characters: 0, tokensOfOthers: 0, prompts: 0, responseMax: 0, requests: 0 };
  const take = (result: unknown, prompts = 0): void => {
    seen.requests += 1;
    seen.prompts += prompts;
    seen.characters += lengthOf(result);
    seen.tokensOfOthers += (lengthOf(result) - prompts) / charactersPerToken;
    seen.responseMax = Math.max(seen.responseMax, lengthOf(result) / charactersPerToken);
  };
  take(await client.listTools());
  take(await client.getPrompt({ name: 'get_evaluated' }));
  take(await call(client, 'get_me'));
  const started = await call(client, 'start_evaluation', { max_prompt_tokens: 8_000 });
  take(started);
  const eval_job_id: string = bodyOf(started).eval_job.id;
  const { runs } = hub.ctx.db.tables;
  const [row] = await hub.ctx.db.query.select().from(runs).where(eq(runs.id, eval_job_id));
  seeds.push(row!.suiteSeed);
  for (let ended = false; !ended;) {
    const fetched = await call(client, 'get_cases', { eval_job_id, limit, wait: 20 });
    const { cases } = bodyOf(fetched) as { cases: ToolCase[] };
    expect(cases.length).toBeGreaterThan(0);
    const all = JSON.stringify(fetched);
    for (const { prompt, turn, messages } of cases) {
      expect([turn, messages !== undefined]).toEqual([turn, turn > 1]);
      // In the text of a result, quotation marks are escaped twice.
      const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
      const once = path === '/mcp' ? inJson(prompt) : inJson(inJson(prompt));
      expect(all.split(once)).toHaveLength(2);
    }
    take(
      fetched,
      cases.reduce((sum, { prompt }) => sum + lengthOf(prompt), 0),
    );
    const answers = cases.map(({ case_id, prompt, messages = [] }) => {
      const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
      return { case_id, text: book.find([...asked, prompt])?.best ?? '' };
    });
    const accepted = await call(client, 'submit_answers', { eval_job_id, answers });
    take(accepted);
    ({ ended } = bodyOf(accepted));
  }
  const card = await call(client, 'get_scorecard', { eval_job_id });
  take(card);
  expect(bodyOf(card).eval_job).toMatchObject({ status: 'completed', score: 100 });
  await client.close();
  return { ...seen, promptTokens: seen.prompts / charactersPerToken };
}

test.each([
  ['/mcp', 1],
  ['/mcp', 8],
  ['/mcp?content=full', 8],
])('a run over %s with limit %d takes in each prompt once, and little else', async (path, limit) => {
  const seen = await evaluate(path, limit);
  console.log(`${path}, limit ${limit}: ${JSON.stringify(seen)}`);
  expect(seen.promptTokens).toBeLessThan(promptTokensMax);
  expect(seen.tokensOfOthers).toBeLessThan(otherTokensMax);
  expect(seen.responseMax).toBeLessThan(responseTokensMax);
});
