/** A process that grows too large is stopped and restarted before it takes memory from the others. */
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hubProcess } from '#cli/supervisor/hub-process.ts';
import { keepRunning } from '#cli/supervisor/keep-running.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** An idle process uses about a quarter of this. */
const memoryMaxMb = 200;

function keep(name: string, behaviour: string, mb: number) {
  const journal = join(scratch, name);
  const warnings: string[] = [];
  const placeholder = join(import.meta.dir, 'children', 'placeholder.ts');
  const kept = keepRunning(
    hubProcess({
      name,
      command: [placeholder, name, journal, behaviour, String(mb)],
      env: {},
      readyTimeoutMs: 20_000,
      stopTimeoutMs: 20_000,
      // Too long to matter here.
      silenceMaxMs: 60_000,
      memoryMaxMb,
    }),
    {
      log: {
        info: () => undefined,
        warn: (fields) => void warnings.push((fields as { how: string }).how),
        error: () => undefined,
      },
      pauses: { firstMs: 20, mostMs: 100, stableAfterMs: 60_000 },
    },
  );
  const lines = (): string[] => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []);
  return { kept, warnings, lines, starts: () => lines().filter((line) => line.includes('started')).length };
}

test('a process that grows too large stops in order and is restarted, the log says why, and the others keep running', async () => {
  const neighbour = keep('neighbour', 'serve', 0);
  const large = keep('large', 'grow-once', 220);
  await Promise.all([neighbour.kept.firstReady, large.kept.firstReady]);
  await waitUntil(async () => large.starts() === 2);
  expect(large.lines()[1]).toBe('large stopped in order');
  expect(large.warnings).toEqual([
    expect.stringMatching(/^exit code 0, stopped by the supervisor because it used \d{3} MB of memory$/),
  ]);
  expect([neighbour.starts(), neighbour.warnings]).toEqual([1, []]);
  await Promise.all([neighbour.kept.stop(), large.kept.stop()]);
});

test.skipIf(process.platform !== 'linux')(
  'a process that is far too large is killed, even if it no longer responds',
  async () => {
    const large = keep('huge', 'grow-and-spin-once', 450);
    await large.kept.firstReady;
    await waitUntil(async () => large.starts() === 2);
    expect(large.warnings).toEqual([
      expect.stringMatching(/^signal SIGKILL, stopped by the supervisor because it used \d{3} MB of memory$/),
    ]);
    await large.kept.stop();
  },
);
