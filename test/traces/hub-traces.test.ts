/**
 * A whole hub, as `npm start` runs it, exports its requests, jobs and calls to a collector, each in the right
 * trace.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { didOf } from '#cli/client/agent-key.ts';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { type Collector, startCollector, type ToldSpan } from '#test/harness/collector.ts';
import { type Receiver, startReceiver } from '#test/harness/receiver.ts';
import { startTarget, type TestTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { Visitor } from '#test/harness/visitor.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';
import { hubProgram } from '#test/harness/hub-binary.ts';
import { startProgram } from '#test/harness/run-program.ts';

const serverSpanKind = 2;
const clientSpanKind = 3;
const consumerSpanKind = 5;
let collector: Collector;
let hub: WholeHub;
let target: TestTarget;
let receiver: Receiver;
const maintainer = newKey();

const visitor = new Visitor();
const keep = visitor.keep.bind(visitor);

beforeAll(async () => {
  collector = startCollector();
  const text = keep('reply of a target', 'a-reply-of-the-target');
  target = startTarget(() => Response.json({ text, usage: { input_tokens: 7, output_tokens: 3 } }));
  receiver = startReceiver();
  hub = startHub({
    PORT: '0',
    MAINTAINER_DIDS: didOf(maintainer),
    TRUSTED_PROXIES: '127.0.0.1/32',
    EVAL_ALLOWED_TARGETS: 'loopback',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${keep('key of the collector', 'a-key-for-the-collector')}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  await hub.until(/Agent Hub is ready/);
  visitor.url = await hub.address();
});

afterAll(async () => {
  await hub.stop();
  await target.stop();
  await receiver.stop();
  await collector.stop();
});

function ofTrace(traceId: string | undefined): ToldSpan[] {
  return collector.spans.filter((span) => span.traceId === traceId);
}

function spanOf(requestId: string): ToldSpan | undefined {
  return collector.spans.find(
    ({ kind, attributes }) => kind === serverSpanKind && attributes['hub.request.id'] === requestId,
  );
}

/** As a client sends them. */
const clientTraceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpanId = '00f067aa0ba902b7';

test('one redemption is one trace, from the client’s request over its jobs to the calls of target and webhook', async () => {
  const agent = await visitor.signUp('traced-agent');
  const url = `${receiver.url}?${keep('query of a webhook', 'channel=of-the-agent')}`;
  const webhook = { url, events: ['eval_job.completed'] };
  const { body: registered } = await visitor.post('/v1/webhooks', webhook, agent);
  keep('secret of a webhook', registered.webhook.secret);
  await waitUntil(async () => {
    const shown = await fetch(`${visitor.url}/v1/webhooks`, { headers: agent });
    const { webhooks } = (await shown.json()) as { webhooks: { status: string }[] };
    return webhooks[0]?.status === 'active';
  });
  const query = keep('query', 'access=granted-to-the-hub');
  const order = { product: 'eval-run', target_url: `${target.url}?${query}` };
  const { requestId, body } = await visitor.post('/v1/redemptions', order, {
    ...agent,
    traceparent: `00-${clientTraceId}-${clientSpanId}-01`,
    tracestate: keep('state of a trace', 'vendor=some-text'),
  });
  const isDone = (queue: string): boolean =>
    ofTrace(clientTraceId).some(
      ({ name, attributes }) => name === `process ${queue}` && attributes['hub.job.end'] === 'done',
    );
  await waitUntil(async () => isDone('eval-runs') && isDone('webhooks'));
  const trace = ofTrace(clientTraceId);
  const request = spanOf(requestId);
  expect(request).toMatchObject({
    service: 'agent-hub-api',
    name: 'POST /v1/redemptions',
    traceId: clientTraceId,
    parentSpanId: clientSpanId,
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/redemptions',
      'http.response.status_code': 200,
    },
  });
  const job = trace.find(
    ({ kind, service }) => kind === consumerSpanKind && service === 'agent-hub-eval-runner',
  );
  expect(job).toMatchObject({
    service: 'agent-hub-eval-runner',
    name: 'process eval-runs',
    parentSpanId: request!.spanId,
    attributes: { 'hub.job.kind': 'run', 'hub.request.id': requestId },
  });
  const chats = trace.filter(
    ({ kind, parentSpanId }) => kind === clientSpanKind && parentSpanId === job?.spanId,
  );
  for (const chat of chats) {
    expect(chat).toMatchObject({ name: 'chat', service: 'agent-hub-eval-runner', failed: false });
    expect(chat.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'hub',
      'gen_ai.conversation.id': body.eval_job.id,
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
    });
  }
  const chatIds = new Set(chats.map(({ spanId }) => spanId));
  const calls = trace.filter(({ parentSpanId }) => chatIds.has(parentSpanId ?? ''));
  expect(calls).toHaveLength(chats.length);
  // One call per turn, and at least one per case.
  expect(calls.length).toBeGreaterThanOrEqual(40);
  for (const call of calls) {
    expect(call).toMatchObject({ name: 'POST', service: 'agent-hub-eval-runner' });
    expect(call.attributes).toMatchObject({
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(target.url).port),
    });
  }
  const delivery = trace.find(({ name }) => name === 'process webhooks');
  expect(delivery).toMatchObject({ service: 'agent-hub-mail+sweeper+webhooks', parentSpanId: job!.spanId });
  expect(trace.filter(({ parentSpanId }) => parentSpanId === delivery!.spanId)).toMatchObject([
    { kind: clientSpanKind, attributes: { 'http.response.status_code': 204 } },
  ]);
  // The target belongs to a third party: it receives no trace headers.
  expect(target.calls).toHaveLength(calls.length);
  const sent = [...target.calls.map(({ headers }) => headers), new Headers(receiver.received[0]!.headers)];
  for (const headers of sent) {
    expect([headers.has('traceparent'), headers.has('tracestate')]).toEqual([false, false]);
  }
  // The worker's log lines about the run also contain the request and the trace.
  const [line] = await hub.until(new RegExp(`\\{[^\\n]*"runId":"${body.eval_job.id}"[^\\n]*`));
  const known = { request_id: requestId, trace_id: clientTraceId, job_id: expect.anything() };
  expect(JSON.parse(line)).toMatchObject(known);
});

test('the command of a reservation is part of the request’s trace, and linked to the transaction that it shared', async () => {
  const eventId = await visitor.createEvent(await visitor.signUp('the-maintainer', maintainer));
  const key = keep('idempotency key', 'the-key-of-one-seat');
  const { requestId, body } = await visitor.post(
    `/v1/events/${eventId}/reserve`,
    { idempotency_key: key },
    await visitor.signUp('seated-agent'),
  );
  keep('address of a calendar', new URL(body.ics_url).pathname);
  await waitUntil(async () => collector.spans.some(({ name }) => name === 'commit seat'));
  await waitUntil(async () => ofTrace(spanOf(requestId)?.traceId).length >= 2);
  const request = spanOf(requestId)!;
  expect(request).toMatchObject({ name: 'POST /v1/events/:event_id/reserve', parentSpanId: '' });
  const command = ofTrace(request.traceId).find(({ kind }) => kind === consumerSpanKind)!;
  expect(command).toMatchObject({
    service: 'agent-hub-seats',
    name: 'handle seat',
    parentSpanId: request.spanId,
  });
  const batch = collector.spans.find(({ spanId }) => command.links.includes(spanId));
  const attributes = { 'messaging.batch.message_count': 1 };
  const alone = { name: 'commit seat', parentSpanId: '', links: [command.spanId], attributes };
  expect(batch).toMatchObject(alone);
  expect(batch?.traceId).not.toBe(request.traceId);
});

test('a rejected request reports its error code, and operator endpoints are not traced', async () => {
  await fetch(`${visitor.url}/readyz`);
  await fetch(`${visitor.url}/metrics`);
  const refused = await fetch(`${visitor.url}/v1/agents/${keep('handle in a path', 'nobody-of-that-name')}`);
  const requestId = refused.headers.get('x-request-id') ?? '';
  await waitUntil(async () => spanOf(requestId) !== undefined);
  expect(spanOf(requestId)).toMatchObject({
    name: 'GET /v1/agents/:handle',
    // A client error does not mark the span as failed.
    failed: false,
    attributes: { 'http.response.status_code': 404, 'hub.error.code': 'unknown_handle' },
  });
  expect(collector.spans.filter(({ name }) => /readyz|metrics/.test(name))).toEqual([]);
});

test('no export contains a token, key, signature, body, query or address, and each has the operator’s headers', async () => {
  const exported = collector.texts.join('\n');
  expect(exported.length).toBeGreaterThan(10_000);
  for (const [name, secret] of Object.entries(visitor.secrets)) {
    expect([name, secret.length > 8, exported.includes(secret)]).toEqual([name, true, false]);
  }
  expect(exported).toContain('deployment.environment.name');
  for (const request of collector.requests) {
    expect(new URL(request.url).pathname).toBe('/v1/traces');
    expect(request.headers.get('x-collector-key')).toBe('a-key-for-the-collector');
  }
});

/** The collector has two seconds; the rest is slack for a busy machine. */
const endsWithinMs = 30_000;

/** Sends an API process one request, stops it, and returns how it exited. */
async function answerAndEnd(collectorUrl: string) {
  const { child, until, ended } = startProgram(hubProgram('api'), {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DATABASE_URL: 'none',
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // Spans are not sent before the shutdown.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    },
  });
  const [, url] = await until(/"url":"([^"]+)"/);
  expect((await fetch(`${url}/v1/threads`)).status).toBe(200);
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  const { exitCode, printed: log } = await ended;
  clearTimeout(killer);
  return { exitCode, log };
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
