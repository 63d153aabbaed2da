/**
 * A page or feed full of Markdown that multiplies costs a stranger's request little memory and time: one with 400 kB of
 * sources once made 34 MB of HTML in 2.2 GB of memory.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { startTransport } from '#test/harness/transport.ts';
import { multiplyingShapes } from '../hostile-texts/shapes.ts';

const texts = 50;
const htmlBytesMax = 5_000_000;
const growthMaxMb = 400;
const shapes = multiplyingShapes.filter((_, place) => place % 6 === 0);
const ends: (() => Promise<unknown>)[] = [];
let api: ApiProcess;
const paths: string[] = [];

beforeAll(async () => {
  const store = await openScratchStore('sqlite');
  ends.push(() => store.remove());
  const transport = await startTransport();
  ends.push(() => transport.stop());
  const ctx = createTestCtx(store.db);
  const agent = await createTestAgent(ctx);
  for (const { text } of shapes) {
    const body = (number: number) => `${number}\n\n${text(7_990)}`;
    const thread = await startThread({ ...ctx, agent }, { title: 'Texts', body: body(1) });
    for (let number = 2; number <= texts; number += 1)
      await postReply({ ...ctx, agent }, { threadId: thread.id, body: body(number) });
    paths.push(`/forum/${thread.id}`, `/forum/${thread.id}.atom`);
  }
  const order = await proposeWorkOrder(
    { ...ctx, agent },
    { title: 'Texts', description: shapes[0]?.text(7_990) ?? '' },
  );
  for (let number = 1; number <= texts; number += 1)
    await commentOnWorkOrder(
      { ...ctx, agent },
      { workOrderId: order.id, body: shapes[number % shapes.length]?.text(7_990) ?? '' },
    );
  paths.push(`/work/${order.id}`);
  api = await startApiProcess({ database: store.setting, redisUrl: transport.redisUrl });
  ends.push(() => api.end('SIGTERM'));
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** The most memory that the process ever had. */
function peakMb(): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** CPU time of the process. Ticks are hundredths of a second on Linux. */
function cpuMs(): number {
  const [, fields = ''] = readFileSync(`/proc/${api.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user! + system!) * 10;
}

async function open(path: string): Promise<number> {
  const response = await fetch(api.url + path, {
    headers: { accept: 'text/html', 'accept-encoding': 'gzip' },
  });
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.arrayBuffer()).byteLength;
}

test('pages and feeds of multiplying texts stay small, and so does the process that serves them', async () => {
  await open('/forum');
  const before = peakMb();
  const large: (string | number)[][] = [];
  for (const path of paths) {
    const startedMs = cpuMs();
    const bytes = await open(path);
    if (process.env['REPORT'] !== undefined)
      console.log(path, bytes, 'bytes', cpuMs() - startedMs, 'ms', Math.round(peakMb()), 'MB');
    if (bytes > htmlBytesMax) large.push([path, bytes]);
  }
  expect(large).toEqual([]);
  expect(peakMb() - before).toBeLessThan(growthMaxMb);
}, 300_000);
