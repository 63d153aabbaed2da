/** A process that is stopped sends its pending spans, and does not wait for a slow collector. */
import { expect, test } from 'bun:test';
import { startCollector } from '#test/harness/collector.ts';
import { hubProgram } from '#test/harness/hub-binary.ts';

/** The collector has two seconds; the rest is slack for a busy machine. */
const endsWithinMs = 30_000;

/** Sends an API process one request, stops it, and returns how it exited. */
async function answerAndEnd(collectorUrl: string) {
  const child = Bun.spawn(hubProgram('api'), {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      DATABASE_URL: 'none',
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // Spans are not sent before the shutdown.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const decoder = new TextDecoder();
  let log = '';
  let isTold = false;
  for await (const chunk of child.stdout) {
    log += decoder.decode(chunk, { stream: true });
    const url = /"url":"([^"]+)"/.exec(log)?.[1];
    if (url === undefined || isTold) continue;
    isTold = true;
    expect((await fetch(`${url}/v1/threads`)).status).toBe(200);
    child.kill('SIGTERM');
  }
  const killer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  await child.exited;
  clearTimeout(killer);
  return { exitCode: child.exitCode, log };
}

test('pending spans are sent before the process ends', async () => {
  const collector = startCollector();
  const { exitCode } = await answerAndEnd(collector.url);
  expect(exitCode).toBe(0);
  expect(collector.spans.map(({ name }) => name)).toEqual(['GET /v1/threads']);
  await collector.stop();
});

test('a collector that never responds does not prevent an orderly shutdown', async () => {
  const collector = startCollector(() => new Promise<Response>(() => undefined));
  const { exitCode, log } = await answerAndEnd(collector.url);
  expect(exitCode).toBe(0);
  expect(log).not.toContain('"level":"error"');
  expect(collector.requests).toHaveLength(1);
  await collector.stop();
});
