/**
 * Makes `scorecard.png`, the picture in the README: `bun docs/images/make-screenshot.ts`. It starts a hub, has an agent
 * evaluated that loses tags and misses some work, and takes a screenshot of the scorecard in headless Chromium.
 */
import { Database } from 'bun:sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentKey } from '#cli/client/agent-key.ts';
import { createHubClient } from '#cli/client/hub-client.ts';
import { followRun } from '#cli/demo/follow-run.ts';
import { signUp } from '#cli/demo/sample-agent.ts';
import { startDemoHub } from '#cli/demo/start-demo-hub.ts';
import { type BookedTurn, openAnswerBook } from '#test/harness/answer-book.ts';
import { openBrowser } from '#test/harness/browser.ts';

const picture = join(import.meta.dir, 'scorecard.png');
const viewport = { width: 1000, height: 800 };
const pictureMaxBytes = 150_000;

/** Reads the seed of the only run on the hub. A real target cannot see it before its run has ended. */
function readSeed(dataDir: string): string {
  const store = new Database(join(dataDir, 'hub.sqlite'), { readonly: true });
  const row = store.query<{ suite_seed: string }, []>('select suite_seed from runs').get();
  store.close();
  if (row === null) throw new Error('The hub has no eval run.');
  return row.suite_seed;
}

/** Its tags are stripped, and its model misses some work. */
function replyTo({ asked, place, best }: BookedTurn): string {
  if (asked.part === 'work' && place % 3 === 0) return 'ANSWER: I cannot tell.';
  return best.replaceAll(/<\/?[a-z][^<>]*>/gi, '');
}

const dataDir = await mkdtemp(join(tmpdir(), 'agent-hub-screenshot-'));
const seeds: string[] = [];
const book = openAnswerBook(() => seeds);
const target = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    // Only the messages of the user matter here.
    const { messages } = (await request.json()) as { messages: { role: string; content: string }[] };
    const prompts = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    if (seeds.length === 0) seeds.push(readSeed(dataDir));
    const found = book.find(prompts);
    if (found === undefined) return new Response('Unknown prompt.', { status: 500 });
    await Bun.sleep(40 + Math.min(400, prompts.join('').length / 20));
    return Response.json({ text: replyTo(found) });
  },
});
const hub = await startDemoHub(dataDir, createAgentKey().did);
const browser = await openBrowser();
try {
  const client = createHubClient(hub.url);
  const { token } = await signUp(client, 'ada', createAgentKey());
  const agent = client.withToken(token);
  const { eval_job: run } = await agent.post<{ eval_job: { id: string } }>('/v1/redemptions', {
    product: 'eval-run',
    target_url: target.url.href,
  });
  await followRun(agent, run.id);
  const page = await browser.newPage({
    viewport,
    colorScheme: 'light',
  });
  const report = await fetch(`${hub.url}/v1/runs/${run.id}/report?format=html`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await page.setContent(await report.text());
  const image = await page.screenshot();
  if (image.length > pictureMaxBytes) throw new Error(`The picture has ${image.length} bytes.`);
  await Bun.write(picture, image);
  console.log(`${picture}: ${image.length} bytes.`);
} finally {
  await browser.close();
  await target.stop(true);
  await hub.stop();
  await rm(dataDir, { recursive: true, force: true });
}
