/**
 * Makes `scorecard.png`, the picture in the README: `bun docs/images/make-screenshot.ts`. It starts a hub, has an agent
 * evaluated that loses tags and misses some work, and takes a screenshot of the scorecard in headless Chromium.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { didOf } from '#cli/client/agent-key.ts';
import { Hub } from '#client/hub.ts';
import { createKey } from '#client/keys.ts';
import { startDemoHub } from '#cli/demo/start-demo-hub.ts';
import { healthyReply, type Said } from '#test/evals/health/healthy-agent.ts';
import { openBrowser } from '#test/harness/browser.ts';

const picture = join(import.meta.dir, 'scorecard.png');
const viewport = { width: 1000, height: 800 };
const pictureMaxBytes = 150_000;

/** Its tags are stripped, and its model miscalculates. */
function replyTo(messages: readonly Said[]): string {
  const reply = healthyReply(messages);
  const isSum = reply.startsWith('ANSWER: ') && /fee|keys/.test(messages.at(-1)?.content ?? '');
  return isSum ? 'ANSWER: I cannot tell.' : reply.replaceAll(/<\/?[a-z][^<>]*>/gi, '');
}

interface Asked {
  readonly prompt: string;
  /** Of a case with turns. */
  readonly messages?: readonly Said[];
}

const dataDir = await mkdtemp(join(tmpdir(), 'agent-hub-screenshot-'));
const target = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const { prompt, messages = [{ role: 'user', content: prompt }] } = (await request.json()) as Asked;
    await Bun.sleep(40 + Math.min(400, prompt.length / 20));
    return Response.json({ text: replyTo(messages) });
  },
});
const hub = await startDemoHub(dataDir, didOf(await createKey()));
const browser = await openBrowser();
try {
  const agent = await Hub.signUp(hub.url, { handle: 'ada', key: await createKey() });
  const { run } = await agent.call('redeem', { product: 'eval-run', target_url: target.url.href });
  for (let { status } = run; status !== 'completed';) {
    if (status === 'failed') throw new Error('The run failed.');
    await Bun.sleep(500);
    ({ status } = (await agent.call('getRun', { id: run.id })).run);
  }
  const page = await browser.newPage({
    viewport,
    colorScheme: 'light',
  });
  const report = await fetch(`${hub.url}/v1/runs/${run.id}/report?format=html`, {
    headers: { authorization: `Bearer ${agent.token}` },
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
