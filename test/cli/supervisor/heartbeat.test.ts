/** A process that hangs, or grows too large, is ended and restarted, and the others keep running. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchHeartbeat } from '#cli/supervisor/heartbeat.ts';
import { hubProcess } from '#cli/supervisor/hub-process.ts';
import { keepRunning } from '#cli/supervisor/keep-running.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { isAlive } from '#runtime/process/is-alive.ts';

const scratch = useTestFolder();

/** Long for a process with one heartbeat per second, even on a busy machine. */
const silenceMaxMs = 4_000;
/** An idle process uses about a quarter of this. */
const memoryMaxMb = 200;

/** @param mb how much memory its behaviour takes */
function keep(
  name: string,
  behaviour: string,
  { mb = 0, ...limits }: { mb?: number; silenceMaxMs?: number; memoryMaxMb?: number },
) {
  const journal = join(scratch, name);
  const warnings: string[] = [];
  const placeholder = join(import.meta.dir, 'children', 'placeholder.ts');
  const command = [placeholder, name, journal, behaviour, String(mb)];
  const warn = (fields: object) => void warnings.push((fields as { how: string }).how);
  const kept = keepRunning(
    hubProcess({ name, command, env: {}, readyTimeoutMs: 20_000, stopTimeoutMs: 20_000, ...limits }),
    {
      log: { info: () => {}, warn, error: () => {} },
      pauses: { firstMs: 20, mostMs: 100, stableAfterMs: 60_000 },
    },
  );
  const lines = (): string[] => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []);
  const starts = () => lines().flatMap((line) => /started (\d+)/.exec(line)?.[1] ?? []);
  return { kept, warnings, lines, starts, journal };
}

test.concurrent.each(['spin-once', 'stop-once'])(
  'a process without a heartbeat (%s) is killed and restarted, the log says why, and the others keep running',
  async (behaviour) => {
    const neighbour = keep(`neighbour-of-${behaviour}`, 'serve', { silenceMaxMs: 20_000 });
    const troubled = keep(behaviour, behaviour, { silenceMaxMs });
    await Promise.all([neighbour.kept.firstReady, troubled.kept.firstReady]);
    await waitUntil(async () => troubled.starts().length === 2);
    expect(troubled.warnings).toEqual([
      'signal SIGKILL, sent by the supervisor after 4 s without a heartbeat',
    ]);
    expect(isAlive(Number(troubled.starts()[0]))).toBe(false);
    expect(neighbour.starts()).toHaveLength(1);
    expect(neighbour.warnings).toEqual([]);
    await Promise.all([neighbour.kept.stop(), troubled.kept.stop()]);
  },
);

test.concurrent("a process that hangs while it holds SQLite's write lock releases it", async () => {
  const { kept, starts, journal } = keep('locked', 'stop-with-lock-once', { silenceMaxMs });
  await kept.firstReady;
  const file = `${journal}.locked.sqlite`;
  await waitUntil(async () => starts().length === 2);
  expect(readFileSync(journal, 'utf8')).toContain('locked holds the lock');
  using other = new Database(file);
  other.run('BEGIN IMMEDIATE');
  await kept.stop();
});

test.concurrent('a process that grows too large stops in order and is restarted, the log says why, and the others keep running', async () => {
  const neighbour = keep('neighbour', 'serve', { silenceMaxMs: 60_000, memoryMaxMb });
  const large = keep('large', 'grow-once', { mb: 220, silenceMaxMs: 60_000, memoryMaxMb });
  await Promise.all([neighbour.kept.firstReady, large.kept.firstReady]);
  await waitUntil(async () => large.starts().length === 2);
  expect(large.lines()[1]).toBe('large stopped in order');
  expect(large.warnings).toEqual([
    expect.stringMatching(/^exit code 0, stopped by the supervisor because it used \d{3} MB of memory$/),
  ]);
  expect([neighbour.starts().length, neighbour.warnings]).toEqual([1, []]);
  await Promise.all([neighbour.kept.stop(), large.kept.stop()]);
});

test.skipIf(process.platform !== 'linux')(
  'a process that is far too large is killed, even if it no longer responds',
  async () => {
    const large = keep('huge', 'grow-and-spin-once', { mb: 450, silenceMaxMs: 60_000, memoryMaxMb });
    await large.kept.firstReady;
    await waitUntil(async () => large.starts().length === 2);
    expect(large.warnings).toEqual([
      expect.stringMatching(/^signal SIGKILL, stopped by the supervisor because it used \d{3} MB of memory$/),
    ]);
    await large.kept.stop();
  },
);

test('time during which the supervisor itself was suspended does not count as silence', async () => {
  let killed = 0;
  const heartbeat = watchHeartbeat(400, () => void (killed += 1));
  heartbeat.start();
  // Like a laptop that sleeps: nothing runs, and much time passes.
  Bun.sleepSync(1_000);
  await Bun.sleep(1);
  expect(killed).toBe(0);
  await waitUntil(async () => killed === 1);
  expect(heartbeat.isLost()).toBe(true);
  await Bun.sleep(100);
  expect(killed).toBe(1);
  heartbeat.stop();
});
