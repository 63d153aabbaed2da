/** Tracing is harmless when it is off, and when its collector is unavailable, slow, broken or overloaded. */
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'bun:test';
import { isTraceparent } from '#runtime/tracing/log.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { SettingsError } from '#runtime/settings/settings-error.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { watchExports } from '#runtime/tracing/span-exports.ts';
import { openTracing, type Tracing } from '#runtime/tracing/tracing.ts';
import { startCollector } from '#test/harness/collector.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { silentLogger as silent } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const asTest = { name: 'agent-hub-test', version: '0.0.0' };

function tracingSettings(environment: Record<string, string>) {
  return parseSettings({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...environment }).tracing;
}

async function open(environment: Record<string, string>, logger = silent): Promise<Tracing> {
  const settings = tracingSettings({ OTEL_BSP_SCHEDULE_DELAY: '20', ...environment });
  const tracing = await openTracing(settings, asTest, logger);
  if (tracing === null) throw new Error('These settings trace nothing.');
  return tracing;
}

const request = { name: 'GET /', kind: 'server', attributes: {} } as const;
const sampled = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const unsampled = sampled.replace(/01$/, '00');

describe('the settings', () => {
  test('disable tracing when there is no endpoint, and when tracing is switched off', () => {
    expect(tracingSettings({})).toBeNull();
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/';
    expect(tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT })?.tracesUrl).toBe(
      'http://collector:4318/v1/traces',
    );
    expect(tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' })).toBeNull();
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
    ['OTEL_SDK_DISABLED', 'perhaps'],
    ['OTEL_BSP_SCHEDULE_DELAY', '0'],
  ])('reject %s=%s and name the setting', (name, value) => {
    expect(() => parseSettings({ [name]: value })).toThrow(SettingsError);
    expect(() => parseSettings({ [name]: value })).toThrow(name);
  });
});

test.each([
  ['without an endpoint nothing of the SDK is loaded', {}, false],
  ['with an endpoint it is', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
])('%s', async (_, environment, isLoaded) => {
  const script = `
    const loaded = [];
    Bun.plugin({
      name: 'what is loaded',
      setup: (build) =>
        build.onLoad({ filter: /@opentelemetry.(?!api)/ }, async ({ path }) => {
          loaded.push(path);
          return { contents: await Bun.file(path).text(), loader: 'js' };
        }),
    });
    const { parseSettings } = await import('#runtime/settings/settings.ts');
    const { openTracing } = await import('#runtime/tracing/tracing.ts');
    const { createLogger } = await import('#runtime/tracing/log.ts');
    const parts = ['#api/app.ts', '#workers/eval-runner/start-eval-runner.ts', '#actors/actor-worker.ts', '#workers/webhooks/start-webhooks.ts'];
    for (const part of parts) await import(part);
    const logger = createLogger({ name: 'test', level: 'silent' });
    await openTracing(parseSettings(process.env).tracing, { name: 'test', version: '0' }, logger);
    console.log(loaded.length);`;
  const env = { PATH: process.env['PATH'], ...environment };
  const { printed } = await runProgram([process.execPath, '-e', script], { cwd: projectFolder, env });
  expect(Number(printed) > 0).toBe(isLoaded);
});

/** Starts and ends a span, and reads what the collector got of it. */
async function trace(span: Parameters<Tracing['start']>[0], environment: Record<string, string> = {}) {
  const collector = startCollector();
  const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...environment });
  const started = tracing.start(span);
  started.end();
  await tracing.close();
  await collector.stop();
  return { spans: collector.spans, traceparent: started.traceparent };
}

test.each([
  '',
  'x',
  `${sampled}-more`,
  sampled.replace(/^00/, 'ff'),
  sampled.toUpperCase(),
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
  sampled.replace(/-01$/, '-1'),
  `${sampled}\n`,
])('a malformed traceparent is ignored: %p', async (malformed) => {
  expect(isTraceparent(malformed)).toBe(false);
  const { spans } = await trace({ ...request, parent: malformed, links: [malformed] });
  expect(spans).toMatchObject([{ parentSpanId: '', links: [] }]);
});

describe('sampling', () => {
  const off = { OTEL_TRACES_SAMPLER: 'always_off' };
  const none = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };

  test.each([
    ['takes a new trace', {}, {}, 1],
    ['takes a trace whose parent is taken', {}, { parent: sampled }, 1],
    ['leaves a trace whose parent is left', {}, { parent: unsampled }, 0],
    ['leaves every trace if it is off', off, { parent: sampled }, 0],
    ['leaves a new trace if its share is none', none, {}, 0],
    ['takes a trace whose parent is taken, even if its share is none', none, { parent: sampled }, 1],
    ['takes a new trace with a link that is taken', none, { links: [unsampled, sampled] }, 1],
    ['leaves a new trace whose only link is left', {}, { links: [unsampled] }, 0],
  ])('%s', async (_, environment, from, taken) => {
    expect((await trace({ ...request, ...from }, environment)).spans).toHaveLength(taken);
  });

  test('passes its decision on', async () => {
    const { traceparent } = await trace({ ...request, parent: unsampled });
    expect(traceparent).toStartWith(unsampled.slice(0, 35));
    expect(traceparent).toEndWith('-00');
  });
});

test('spans are sent as protobuf unless configured otherwise', async () => {
  const types: (string | null)[] = [];
  const bodies: Uint8Array[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (sent) => {
      types.push(sent.headers.get('content-type'));
      bodies.push(await sent.bytes());
      return new Response();
    },
  });
  const { tracing: settings } = parseSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url.href });
  const tracing = await openTracing(settings, asTest, silent);
  const span = tracing!.start({ ...request, parent: sampled });
  span.end({ attributes: { 'hub.request.id': 'an-id-of-a-request' } });
  await tracing!.close();
  expect(types).toEqual(['application/x-protobuf']);
  const body = Buffer.from(bodies[0]!);
  // A trace id is a field of 16 bytes, and texts are UTF-8.
  expect(body.includes(Buffer.from(sampled.slice(3, 35), 'hex'))).toBe(true);
  expect(body.includes('agent-hub-test')).toBe(true);
  expect(body.includes('an-id-of-a-request')).toBe(true);
  await server.stop(true);
});

describe('a collector', () => {
  const answers: Record<string, () => Response | Promise<Response>> = {
    'that answers 500': () => new Response('no', { status: 500 }),
    'that asks to come back later': () =>
      new Response('busy', { status: 503, headers: { 'retry-after': '3600' } }),
    'that never answers': () => new Promise<Response>(() => undefined),
    'that redirects': () => Response.redirect('http://127.0.0.1:9/'),
  };
  test.each(Object.keys(answers))('%s delays neither a span nor the end of the process', async (how) => {
    const collector = startCollector(answers[how]);
    const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    // Ten times the queue limit.
    for (let index = 0; index < 20_480; index += 1) tracing.start(request).end();
    await waitUntil(() => Promise.resolve(collector.requests.length > 0));
    await tracing.close();
    tracing.start(request).end();
    await collector.stop();
  });

  test('that is unavailable is logged, without the data that was to be sent', async () => {
    const { lines, logger } = createRecordingLogger();
    const away = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '200' };
    const tracing = await open(away, logger);
    tracing.start(request).end();
    await tracing.close();
    await waitUntil(() => Promise.resolve(lines.length > 0));
    expect(lines).toMatchObject([{ level: 'warn', msg: 'could not export spans to the collector', lost: 1 }]);
    expect(String(lines[0]!['reason'])).not.toBe('');
  });

  test('is reported at most once a minute, with the number of lost spans, and once more when it recovers', () => {
    const { lines, logger } = createRecordingLogger();
    let nowMs = 0;
    let error: Error | null = new Error('refused');
    const { SUCCESS, FAILED } = ExportResultCode;
    const sender: SpanExporter = {
      export: (_spans, done) => done(error === null ? { code: SUCCESS } : { code: FAILED, error }),
      shutdown: () => Promise.resolve(),
    };
    const exporter = watchExports(sender, logger, () => nowMs);
    const send = (spans: number): void =>
      exporter.export(Array.from({ length: spans }) as never, () => undefined);
    for (; nowMs < 180_000; nowMs += 1_000) send(2);
    expect(lines.map(({ lost }) => lost)).toEqual([2, 120, 120]);
    error = null;
    send(1);
    send(1);
    expect(lines.slice(3).map(({ msg }) => msg)).toEqual(['the collector accepts spans again']);
  });
});
