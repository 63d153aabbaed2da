/** What a request for each public page costs, in CPU time of an API process, so that nobody can stall it by opening pages. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { fillDemo } from '#domain/demo/fill-demo.ts';
import { systemClock } from '#runtime/clock.ts';
import * as pages from '#site/pages.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { startTransport } from '#test/harness/transport.ts';

const cpuMsMax = 5;
const requests = 60;
const ends: (() => Promise<unknown>)[] = [];
let api: ApiProcess;
const paths: string[] = [];
const lists = Object.values(pages)
  .filter(({ access, path }) => access === 'public' && !path.includes(':'))
  .map(({ path }) => path);

beforeAll(async () => {
  const store = await openScratchStore('sqlite');
  ends.push(() => store.remove());
  await fillDemo(store.db, systemClock.now());
  const transport = await startTransport();
  ends.push(() => transport.stop());
  const settings = { RATE_LIMITS: 'off' };
  api = await startApiProcess({ database: store.setting, redisUrl: transport.redisUrl }, settings);
  ends.push(() => api.end('SIGTERM'));
  const ctx = createTestCtx(store.db);
  const agent = await createTestAgent(ctx, { tokens: 3 });
  const runner = createTestRunner(ctx, transport.redisUrl);
  ends.push(async () => runner.close());
  const runId = await completeRun(runner, agent.id);
  const share = await fetch(`${api.url}/v1/runs/${runId}/share`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agent.bearerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompts: true }),
  });
  const { share: shared } = (await share.json()) as { readonly share: { readonly url: string } };
  const details = ['agents', 'events', 'forum', 'skills', 'work', 'evaluation'];
  const firsts = await Promise.all(
    details.map(async (list) => {
      const page = await (await fetch(`${api.url}/${list}`, { headers: { accept: 'text/html' } })).text();
      return new RegExp(`href="(/${list}/[^"#?]+)"`).exec(page)?.[1];
    }),
  );
  paths.push(...lists, ...firsts.filter((path) => path !== undefined), new URL(shared.url).pathname);
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** CPU time of the API process. Ticks are hundredths of a second on Linux. */
function cpuMs(): number {
  const [, fields = ''] = readFileSync(`/proc/${api.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user! + system!) * 10;
}

async function open(path: string): Promise<void> {
  const response = await fetch(api.url + path, { headers: { accept: 'text/html' } });
  expect([path, response.status]).toEqual([path, 200]);
  await response.arrayBuffer();
}

test('a request for a public page costs at most 5 ms of CPU time', async () => {
  expect(paths.length).toBeGreaterThan(14);
  const dear: (string | number)[][] = [];
  for (const path of paths) {
    for (let request = 0; request < requests; request += 1) await open(path);
    const before = cpuMs();
    // As an attacker would, with addresses that no cache has seen.
    for (let request = 0; request < requests; request += 1) await open(`${path}?again=${request % 2}`);
    const each = (cpuMs() - before) / requests;
    if (each > cpuMsMax) dear.push([path, each]);
  }
  expect(dear).toEqual([]);
});
