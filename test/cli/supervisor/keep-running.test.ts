import { beforeEach, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hubProcess } from '#cli/supervisor/hub-process.ts';
import { keepRunning, restartPausesOf } from '#cli/supervisor/keep-running.ts';
import type { Service } from '#cli/supervisor/service.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const scratch = useTestFolder();

const warnings: object[] = [];
beforeEach(() => void (warnings.length = 0));
const log = { info: () => {}, warn: (fields: object) => void warnings.push(fields), error: () => {} };
const quick = { log, pauses: { firstMs: 20, mostMs: 100, stableAfterMs: 60_000 }, firstStartAttempts: 3 };

let count = 0;
function placeholder(behaviour: string, number = '0', stopTimeoutMs = 20_000) {
  count += 1;
  const journal = join(scratch, `journal-${count}`);
  const command = [join(import.meta.dir, 'children', 'placeholder.ts'), 'it', journal, behaviour, number];
  return {
    service: hubProcess({ name: 'it', command, env: {}, readyTimeoutMs: 20_000, stopTimeoutMs }),
    lines: () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []),
  };
}

test('a process that dies is restarted, and the log says how it ended', async () => {
  const { service, lines } = placeholder('crash-once');
  const kept = keepRunning(service, quick);
  await kept.firstReady;
  await waitUntil(() => lines().filter((line) => line.startsWith('it started')).length === 2);
  expect(warnings).toEqual([{ service: 'it', how: 'exit code 3', pauseMs: expect.any(Number) }]);
  await kept.stop();
});

test('a process that reports a wrong configuration is not restarted', async () => {
  const { service, lines } = placeholder('exit-before-ready', '78');
  const kept = keepRunning(service, quick);
  await expect(kept.firstReady).rejects.toBeInstanceOf(StartError);
  expect(lines()).toHaveLength(1);
  await kept.stop();
});

test('a process that never becomes ready is given up after a few attempts', async () => {
  const { service, lines } = placeholder('exit-before-ready', '1');
  const kept = keepRunning(service, quick);
  await expect(kept.firstReady).rejects.toThrow('did not start in 3 attempts: it ended with exit code 1');
  expect(lines()).toHaveLength(3);
  await kept.stop();
});

test('a process that ignores SIGTERM is killed after its deadline, and the log says so', async () => {
  const { service, lines } = placeholder('ignore-sigterm', '0', 300);
  const kept = keepRunning(service, quick);
  await kept.firstReady;
  const startedAt = performance.now();
  await kept.stop();
  expect(performance.now() - startedAt).toBeWithin(290, 20_000);
  expect(lines()).toContain('it ignored SIGTERM');
  expect(warnings).toEqual([{ service: 'it' }]);
});

test('stopping during a start leaves nothing behind', async () => {
  const { service, lines } = placeholder('serve');
  const kept = keepRunning(service, quick);
  const stopped = kept.stop();
  await expect(kept.firstReady).rejects.toThrow();
  await stopped;
  for (const line of lines()) {
    const pid = Number(/^it started (\d+)$/.exec(line)?.[1] ?? 0);
    if (pid > 0) expect(() => process.kill(pid, 0)).toThrow();
  }
});

test('a service that becomes ready while it is being stopped counts as stopped', async () => {
  const up = Promise.withResolvers<void>();
  const over = Promise.withResolvers<string>();
  const service: Service = {
    name: 'it',
    start: async () => ({
      ready: up.promise,
      ended: over.promise,
      stop: async () => {
        up.resolve();
        over.resolve('exit code 0');
        return 'in order';
      },
      kill: () => over.resolve('signal SIGKILL'),
    }),
  };
  const kept = keepRunning(service, quick);
  await kept.stop();
  await expect(kept.firstReady).rejects.toThrow('it was stopped before it was ready');
});

const policy = { firstMs: 100, mostMs: 1000, stableAfterMs: 5000 };

test('pauses double up to the maximum, also after a thousand failures, and start over after a stable run', () => {
  const pauses = restartPausesOf({ ...policy, random: () => 0 });
  expect([0, 0, 0, 4999, 0, 0].map((ranForMs) => pauses(ranForMs))).toEqual([100, 200, 400, 800, 1000, 1000]);
  for (let failure = 0; failure < 1000; failure += 1) pauses(0);
  expect([0, 5000, 0].map((ranForMs) => pauses(ranForMs))).toEqual([1000, 100, 200]);
});

test('jitter shortens a pause by at most a quarter', () => {
  const pauses = restartPausesOf({ ...policy, random: () => 0.999 });
  expect(pauses(0)).toBe(75);
});
