import { describe, expect, test } from 'bun:test';
import { boardRoutes } from '#api/operation/bull-board.ts';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestHub } from '#test/harness/hub.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';

const board = '/admin/queues';

const hub = useTestHub({ settings: { operatorKey: 'the-key' } });

function operate(method: string, path: string, headers: Record<string, string> = {}, json?: unknown) {
  return hub.fetch(board + path, {
    method,
    headers: { authorization: `Basic ${btoa('operator:the-key')}`, ...headers },
    json,
  });
}

async function isPaused(): Promise<boolean> {
  const { body } = await operate('GET', '/api/queues');
  return body.queues.find(({ name }: { name: string }) => name === 'eval-runs').isPaused;
}

describe('the page', () => {
  test('and everything it loads come from the hub itself', async () => {
    const page = await operate('GET', '');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
    expect(page.text).not.toMatch(/https?:|<%/);
    expect(page.text).toContain(`<base href="${board}/" />`);
    const links = [...page.text.matchAll(/(?:src|href)="(static[^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(4);
    for (const link of [...links, 'static/locales/en-US/messages.json']) {
      const part = await operate('GET', `/${link}`);
      expect([link, part.status, part.text.length > 0]).toEqual([link, 200, true]);
      expect(part.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('can be opened at the address of a queue, a job and the schedulers', async () => {
    for (const path of ['/', '/queue/eval-runs', '/queue/eval-runs/1', '/job-schedulers'])
      expect((await operate('GET', path)).text).toMatch(
        /<base href="\/admin\/queues\/" \/>[^]*__UI_CONFIG__/,
      );
  });

  test('serves no other file', async () => {
    for (const path of ['static/../index.ejs', 'static/..%2findex.ejs', 'static/js', 'static/constructor'])
      expect((await operate('GET', `/${path}`)).status).toBe(404);
  });
});

describe('the routes of the page', () => {
  test('show every queue of the hub and its jobs', async () => {
    const evalRuns = openQueue(hub.deps.redis, 'eval-runs', hub.deps.logger);
    await evalRuns.add('run', { runId: 'an-id' }, { jobId: 'a-job', delay: 3_600_000 });
    const delayed = 'activeQueue=eval-runs&status=delayed&page=1&jobsPerPage=10';
    const { body } = await operate('GET', `/api/queues?${delayed}`);
    expect(body.queues.map(({ name }: { name: string }) => name)).toEqual([...queueNames]);
    const shown = body.queues.find(({ name }: { name: string }) => name === 'eval-runs');
    expect(shown.jobs[0]).toMatchObject({ id: 'a-job', name: 'run', data: { runId: 'an-id' } });
    expect((await operate('GET', '/api/queues/eval-runs/a-job')).body.status).toBe('delayed');
  });

  test('change queues and jobs: pause, resume, promote, remove', async () => {
    const evalRuns = openQueue(hub.deps.redis, 'eval-runs', hub.deps.logger);
    await evalRuns.add('run', { runId: 'an-id' }, { jobId: 'changed', delay: 3_600_000 });
    expect((await operate('PUT', '/api/queues/eval-runs/pause')).status).toBe(200);
    expect(await isPaused()).toBe(true);
    expect((await operate('PUT', '/api/queues/eval-runs/resume')).status).toBe(200);
    expect(await isPaused()).toBe(false);
    await operate('PATCH', '/api/queues/eval-runs/changed/update-data', {}, { jobData: { runId: 'other' } });
    expect((await evalRuns.getJob('changed'))?.data).toEqual({ runId: 'other' });
    await operate('PUT', '/api/queues/eval-runs/changed/promote');
    expect(await evalRuns.getJobState('changed')).toBe('waiting');
    expect((await operate('PUT', '/api/queues/eval-runs/changed/clean')).status).toBe(204);
    expect(await evalRuns.getJobState('changed')).toBe('unknown');
  });

  test('return errors in the hub’s own form', async () => {
    const unknown = await operate('PUT', '/api/queues/nothing/pause');
    expectError(unknown, 404, 'not_found');
    expect(unknown.headers.get('x-request-id')).toBe(unknown.body.request_id);
    expectError(await operate('PUT', '/api/queues/eval-runs/a-job/retry'), 400, 'invalid_parameter');
    const text = { 'content-type': 'text/plain' };
    const form = await operate('PUT', '/api/queues/eval-runs/concurrency', text, {});
    expectError(form, 415, 'unsupported_media_type');
    const method = await operate('DELETE', '/api/queues/eval-runs/pause');
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, PUT, OPTIONS']);
  });

  test('are all served', async () => {
    expect(boardRoutes.api.length).toBeGreaterThan(20);
    for (const { method, route } of boardRoutes.api) {
      const path = String(route).replaceAll(/:\w+/g, 'nothing');
      const { status, body } = await operate(String(method).toUpperCase(), path);
      const isServed =
        status !== 405 && (status !== 404 || body.message === 'There is no such queue or job.');
      expect([method, path, status, isServed]).toEqual([method, path, status, true]);
    }
  });

  test('return 503 while Redis is down', async () => {
    const redis = await startTestRedis();
    await using other = await startTestHub({ store: hub, redisUrl: redis.url });
    await redis.stop();
    const response = await other.fetch(`${board}/api/queues`, { token: testOperatorKey });
    expectError(response, 503, 'queue_unavailable');
  });
});

describe('changes', () => {
  // The headers that browsers add to cross-site requests, with the stored password.
  test.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'null' },
    { origin: '' },
  ])('are denied to other sites in an operator’s browser: %p', async (headers) => {
    for (const [method, path] of [
      ['PUT', '/api/queues/eval-runs/pause'],
      ['POST', '/api/queues/eval-runs/add'],
      ['PATCH', '/api/queues/eval-runs/a-job/priority'],
    ] as const)
      expectError(await operate(method, path, headers), 403, 'not_allowed');
    expect(await isPaused()).toBe(false);
  });

  test('are allowed to the dashboard’s own page', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: hub.url }])
      expect((await operate('PUT', '/api/queues/eval-runs/resume', headers)).status).toBe(200);
  });
});
