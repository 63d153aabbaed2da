/** A process that hangs is killed and restarted, and the others keep running. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchHeartbeat } from '#cli/supervisor/heartbeat.ts';
import { hubProcess } from '#cli/supervisor/hub-process.ts';
import { keepRunning } from '#cli/supervisor/keep-running.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { isAlive } from '#runtime/process/is-alive.ts';

const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Long for a process with one heartbeat per second, even on a busy machine. */
const silenceMaxMs = 4_000;

function keep(name: string, behaviour: string, silence = { silenceMaxMs }) {
  const journal = join(scratch, name);
  const warnings: { how: string }[] = [];
  const command = [join(import.meta.dir, 'children', 'placeholder.ts'), name, journal, behaviour, '0'];
  const kept = keepRunning(
    hubProcess({ name, command, env: {}, readyTimeoutMs: 20_000, stopTimeoutMs: 5_000, ...silence }),
    {
      log: {
        info: () => undefined,
        warn: (fields) => void warnings.push(fields as { how: string }),
        error: () => undefined,
      },
      pauses: { firstMs: 20, mostMs: 100, stableAfterMs: 60_000 },
    },
  );
  const starts = (): number[] =>
    existsSync(journal)
      ? [...readFileSync(journal, 'utf8').matchAll(/started (\d+)/g)].map(([, pid]) => Number(pid))
      : [];
  return { kept, warnings, starts, journal };
}

test.concurrent.each(['spin-once', 'stop-once'])(
  'a process without a heartbeat (%s) is killed and restarted, the log says why, and the others keep running',
  async (behaviour) => {
    const neighbour = keep(`neighbour-of-${behaviour}`, 'serve', { silenceMaxMs: 20_000 });
    const troubled = keep(behaviour, behaviour);
    await Promise.all([neighbour.kept.firstReady, troubled.kept.firstReady]);
    await waitUntil(async () => troubled.starts().length === 2);
    expect(troubled.warnings.map(({ how }) => how)).toEqual([
      'signal SIGKILL, sent by the supervisor after 4 s without a heartbeat',
    ]);
    expect(isAlive(troubled.starts()[0] ?? 0)).toBe(false);
    expect(neighbour.starts()).toHaveLength(1);
    expect(neighbour.warnings).toEqual([]);
    await Promise.all([neighbour.kept.stop(), troubled.kept.stop()]);
  },
);

test.concurrent("a process that hangs while it holds SQLite's write lock releases it", async () => {
  const { kept, starts, journal } = keep('locked', 'stop-with-lock-once');
  await kept.firstReady;
  const file = `${journal}.locked.sqlite`;
  await waitUntil(async () => starts().length === 2);
  expect(readFileSync(journal, 'utf8')).toContain('locked holds the lock');
  expect(canWrite(file)).toBe(true);
  await kept.stop();
});

function canWrite(file: string): boolean {
  const other = new Database(file);
  try {
    other.run('BEGIN IMMEDIATE');
    other.run('ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    other.close();
  }
}

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
