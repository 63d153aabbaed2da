/**
 * Whoever runs a hidden suite reads verdicts and its own replies, and no prompt or expected value, through any door: every
 * GET of the API, the events, every export, every tool that only reads and every resource of MCP, the pages, and the log.
 */
import { beforeAll, expect, test } from 'bun:test';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { connectModern } from '../doors/mcp-clients.ts';
import { signInByForm } from '../site/tour/sign-in.ts';

/** Begins every text that the owner hides. */
const mark = 'zq-';
const document = {
  suite: 1,
  name: 'secret',
  title: 'A secret suite',
  system: `${mark}system`,
  tools: [{ name: 'look', description: `${mark}tool`, parameters: { type: 'object' } }],
  cases: [
    {
      id: 'first',
      prompt: `${mark}prompt`,
      tags: ['odd'],
      expect: [{ equals: `${mark}equals` }, { length: 'words', max: 1 }],
      accepted: [`${mark}equals`],
      refused: [`${mark}refused`],
    },
    {
      id: 'second',
      messages: [
        { role: 'system', content: `${mark}message` },
        { role: 'user', content: `${mark}question` },
      ],
      expect: [
        { matches: `^${mark}matches` },
        { json: { schema: { const: `${mark}schema` } } },
        { tool_calls: [{ name: 'look', arguments: { at: `${mark}argument` } }] },
      ],
    },
  ],
};
const reply = 'own words';
const exportFormats = ['jsonl', 'csv', 'junit', 'inspect', 'every-eval-ever', 'otlp'];

interface DescribedTool {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
}

const log = createRecordingLogger();
const hub = useTestHub({ ownBaseUrl: true, logger: log.logger });
const ada = useTestAgent(hub, { handle: 'ada', tokens: 50 });
const bob = useTestAgent(hub, { handle: 'bob', tokens: 50 });
beforeAll(async () => {
  await publishTestSuite(actingAs(hub.ctx, ada), document);
  const more = { ...document, cases: [...document.cases, { ...document.cases[0], id: 'third' }] };
  await publishTestSuite(actingAs(hub.ctx, ada), more);
  await updateSuite(actingAs(hub.ctx, ada), { owner: 'ada', name: 'secret', visibility: 'hidden' });
});

async function run(agent: TestAgent, version: number): Promise<string> {
  // Ids of one millisecond have no order.
  hub.clock.advance(1_000);
  const as = actingAs(hub.ctx, agent);
  const { id } = await orderSuiteRun(as, '@ada/secret', { version, ranked: true });
  const { cases } = await handOutCases(as, { runId: id, limit: 8 });
  await answerPulled(
    as,
    id,
    cases.map(({ caseId }) => ({ caseId, text: reply, toolCalls: [{ name: 'look', arguments: {} }] })),
  );
  return id;
}

interface Doors {
  /** Each with what it said. */
  readonly said: ReadonlyMap<string, string>;
  /** Those that said something hidden. */
  readonly leaks: readonly string[];
}

/** What an agent reads, about two of its runs and the suite. */
async function open(agent: TestAgent, [first, second]: readonly [string, string]): Promise<Doors> {
  const said = new Map<string, string>();
  const values: Readonly<Record<string, string>> = {
    id: first,
    run_id: first,
    other_id: second,
    other_run_id: second,
    owner: '@ada',
    name: 'secret',
    suite: '@ada/secret',
    n: '1',
    version: '1',
    number: '1',
    handle: agent.handle,
  };
  const filled = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
  const { paths } = (await hub.fetch('/openapi.json')).body;
  const gets = Object.entries<{ get?: object }>(paths).filter(([, { get }]) => get !== undefined);
  const reads = gets.map(([path]) => path);
  const streams = gets
    .filter(([, { get }]) => JSON.stringify(get).includes('text/event-stream'))
    .map(([path]) => filled(path));
  const asked = [
    ...reads.map(filled),
    ...[first, second].map((id) => `/v1/runs/${id}?include=cases`),
    ...exportFormats.map((format) => `/v1/runs/${first}/report?format=${format}`),
    '/v1/suites/@ada/secret/versions/2',
    '/v1/suites?q=secret',
    `/v1/search?q=${mark}prompt`,
    '/v1/leaderboard?product=suite-run&suite=@ada/secret&version=1',
  ];
  const headers = { 'x-test': '1' };
  const left = [...asked];
  const lane = async (): Promise<void> => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      // Streams go on for ever; everything else may take long on a busy machine.
      const signal = AbortSignal.timeout(streams.includes(path) ? 4_000 : 60_000);
      const answer = await hub.fetch(path, { token: agent.bearerToken, headers, signal }).catch(() => null);
      if (answer !== null) said.set(`GET ${path}`, answer.text);
    }
  };
  await Promise.all(Array.from({ length: 6 }, lane));
  await askTools(agent, values, said);
  const ofRun = ['', '?case=first', `?q=${mark.slice(0, -1)}`].map((query) => `/me/runs/${first}${query}`);
  await readPages(agent, [...ofRun, `/me/compare?before=${first}&after=${second}`], said);
  // The request itself is quoted in some answers.
  const leaks = [...said].filter(([, text]) => text.replaceAll(`${mark}prompt"`, '').includes(mark));
  return { said, leaks: leaks.map(([door]) => door) };
}

async function askTools(
  agent: TestAgent,
  values: Readonly<Record<string, string>>,
  said: Map<string, string>,
): Promise<void> {
  await using client = await connectModern(new URL(`${hub.url}/mcp`), agent.bearerToken, 'auto');
  // The SDK gives tools as the hub describes them.
  const tools = (await client.listTools()).tools as unknown as readonly DescribedTool[];
  for (const { name, annotations, inputSchema } of tools) {
    if (annotations?.readOnlyHint !== true) continue;
    const fields = Object.keys(inputSchema.properties ?? {});
    // Unlike the path, the filter of a list names the owner without the sign.
    const known = { ...values, owner: 'ada', include: 'cases' };
    const args = Object.fromEntries(Object.entries(known).filter(([field]) => fields.includes(field)));
    for (const format of fields.includes('format') ? exportFormats : [null]) {
      const call = { name, arguments: format === null ? args : { ...args, format } };
      const result = await client.callTool(call).catch((error: unknown) => ({ error: String(error) }));
      said.set(`tool ${name} ${format ?? ''}`, JSON.stringify(result));
    }
  }
  for (const path of [`/v1/runs/${values['id']}`, '/v1/suites/@ada/secret', '/v1/suites/%40ada%2Fsecret']) {
    const result = await client
      .readResource({ uri: hub.ctx.rules.baseUrl + path })
      .catch((error: unknown) => ({ error: String(error) }));
    said.set(`resource ${path}`, JSON.stringify(result));
  }
}

/** Follows links from page to page, as far as they are about suites and runs. */
async function readPages(agent: TestAgent, starts: readonly string[], said: Map<string, string>) {
  const cookie = await signInByForm(hub, agent);
  const left = [...starts, '/suites', '/suites/@ada/secret', '/me', '/leaderboard'];
  const seen = new Set(left);
  for (let path = left.shift(); path !== undefined && seen.size < 80; path = left.shift()) {
    const page = await fetch(hub.url + path, { headers: { cookie, accept: 'text/html' } });
    const html = await page.text();
    said.set(`page ${path} ${page.status}`, html);
    for (const [, href = ''] of html.matchAll(/href="(\/[^"#]*)"/g)) {
      const link = href.replaceAll('&amp;', '&');
      if (!/suite|runs|leaderboard/.test(link) || seen.has(link)) continue;
      seen.add(link);
      left.push(link);
    }
  }
}

test('a runner of a hidden suite reads nothing that its owner hides, through any door', async () => {
  const runs = [await run(bob, 1), await run(bob, 2)] as const;
  const { said, leaks } = await open(bob, runs);
  expect(leaks).toEqual([]);
  // The doors were open: they show the replies.
  const [first, second] = runs;
  for (const [door, shown] of [
    [`GET /v1/runs/${first}?include=cases`, reply],
    [`GET /v1/runs/${first}/report?format=inspect`, reply],
    [`page /me/runs/${first} 200`, reply],
    [`page /me/runs/${first}?case=first 200`, reply],
    ['GET /v1/agents/me/export', reply],
    ['tool compare_runs ', 'verdict'],
    ['tool list_suites ', 'A secret suite'],
    [`resource /v1/runs/${first}`, 'pass_rate'],
    [`GET /v1/runs/${first}/credential`, '@ada/secret'],
    [`GET /v1/runs/${first}/events`, 'event: completed'],
    [`GET /v1/runs/${first}/compare/${second}`, 'still_failing'],
  ] as const)
    expect(said.get(door), door).toContain(shown);
  expect(JSON.stringify(log.lines)).not.toContain(mark);
  // Owning the suite opens no run of somebody else.
  const foreign = new Map<string, string>();
  await readPages(ada, [`/me/runs/${first}`], foreign);
  expect([...foreign.keys()]).toContain(`page /me/runs/${first} 404`);
});

test('the owner of the suite finds it through the same doors', async () => {
  const runs = [await run(ada, 1), await run(ada, 2)] as const;
  const { leaks } = await open(ada, runs);
  expect(leaks).toContain('GET /v1/suites/@ada/secret/versions/1');
  expect(leaks).toContain(`GET /v1/runs/${runs[0]}?include=cases`);
  expect(leaks).toContain('GET /v1/agents/me/export');
  expect(leaks).toContain(`page /me/runs/${runs[0]} 200`);
  for (const format of exportFormats.filter((one) => one !== 'every-eval-ever'))
    expect(leaks).toContain(`GET /v1/runs/${runs[0]}/report?format=${format}`);
});

test('a runner that fetches hidden cases and gives up is charged, and the owner sees how many it has seen', async () => {
  const as = actingAs(hub.ctx, bob);
  hub.clock.advance(1_000);
  const { id, chargeTokens } = await orderSuiteRun(as, '@ada/secret', { version: 2, ranked: true });
  expect(chargeTokens).toBe(1);
  await handOutCases(as, { runId: id, limit: 2 });
  const cancelled = await hub.fetch(`/v1/runs/${id}/cancel`, { token: bob.bearerToken, json: {} });
  expect(cancelled.body.run).toMatchObject({ status: 'completed', cancelled: true, score: 0 });
  const { runs } = (await hub.fetch('/v1/suites/@ada/secret/runs', { token: ada.bearerToken })).body;
  expect(runs[0]).toMatchObject({ run_id: id, agent_handle: 'bob', cases_seen: 2, status: 'completed' });
  const { body } = await hub.fetch('/v1/tokens/history', { token: bob.bearerToken });
  expect(JSON.stringify(body)).not.toContain('refund');
});
