/** A hub leaves no process behind, whether it is stopped from a terminal or its supervisor is killed. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { startHub } from '#test/harness/whole-hub.ts';

const waitMaxMs = 20_000;
const lookEveryMs = 25;

/** Finds every process with this data folder in its environment, whatever its parent is by now. */
function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (!environment.includes(`DATA_DIR=${dataDir}`)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return []; // It has just ended, or belongs to another user.
      }
    });
}

async function expectAllGone(dataDir: string): Promise<void> {
  let left = processesOf(dataDir);
  for (let waitedMs = 0; left.length > 0 && waitedMs < waitMaxMs; waitedMs += lookEveryMs) {
    await Bun.sleep(lookEveryMs);
    left = processesOf(dataDir);
  }
  expect(left).toEqual([]);
}

/** In the order in which they logged their end. */
function endings(output: string): string[] {
  return [...output.matchAll(/"name":"([\w+-]+)"[^\n]*"msg":"shutting down"/g)].map((match) => match[1]!);
}

const starts = [{ runner: 'bun' }, { runner: 'npm' }];

describe.skipIf(process.platform !== 'linux')('a hub', () => {
  test.each(starts)('started with `$runner start` stops in order on Ctrl-C', async ({ runner }) => {
    const { hub, dataDir, until, ended } = startHub({ PORT: '0' }, [runner, 'start']);
    await until(/Agent Hub is ready/);
    // At least the supervisor, the API, the pools, and Redis with the shell that holds it.
    expect(processesOf(dataDir).length).toBeGreaterThan(5);
    process.kill(-hub.pid, 'SIGINT');
    const { exitCode, output } = await ended();
    expect([0, 130]).toContain(exitCode);
    expect(endings(output).slice(0, 2)).toEqual(['supervisor', 'api']);
    expect(endings(output)).toEqual(
      expect.arrayContaining(['eval-runner', 'seats', 'mail+sweeper+webhooks']),
    );
    await expectAllGone(dataDir);
  });

  test('leaves nothing behind when its supervisor is killed during the start', async () => {
    for (const afterMs of [0, 50, 150, 300, 600]) {
      const { hub, dataDir, ended } = startHub({ PORT: '0' });
      await Bun.sleep(afterMs);
      hub.kill('SIGKILL');
      await expectAllGone(dataDir);
      await ended();
    }
  });
});
