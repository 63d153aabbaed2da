/** A hub leaves no process behind, whichever way it ends: told to by a terminal, or robbed of its supervisor. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { startHub } from '#test/harness/whole-hub.ts';

const waitMaxMs = 20_000;
const lookEveryMs = 25;

/** Every process that was started with this data folder in its environment, whoever is its parent by now. */
function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (!environment.includes(`DATA_DIR=${dataDir}`)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return []; // It has ended in this moment, or is another user's.
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

/** In the order in which they said that they end. */
function endings(output: string): string[] {
  return [...output.matchAll(/"name":"([\w-]+)"[^\n]*"msg":"shutting down"/g)].map((match) => match[1]!);
}

const starts = [{ runner: 'bun' }, { runner: 'npm' }];

describe.skipIf(process.platform !== 'linux')('a hub', () => {
  test.each(starts)(
    'that `$runner start` runs ends in order at a Ctrl-C in its terminal',
    async ({ runner }) => {
      const { hub, dataDir, until, ended } = startHub({ PORT: '0' }, [runner, 'start']);
      await until(/Agent Hub is ready/);
      // The supervisor, the API, the pools and Redis with the shell that holds it, at least.
      expect(processesOf(dataDir).length).toBeGreaterThan(6);
      process.kill(-hub.pid, 'SIGINT');
      const { exitCode, output } = await ended();
      expect([0, 130]).toContain(exitCode);
      expect(endings(output).slice(0, 2)).toEqual(['supervisor', 'api']);
      expect(endings(output)).toEqual(expect.arrayContaining(['eval-runner', 'seats', 'sweeper']));
      await expectAllGone(dataDir);
    },
  );

  test('whose supervisor is killed ends in order all the same, Redis with it', async () => {
    const { hub, dataDir, until, ended } = startHub({ PORT: '0' });
    await until(/Agent Hub is ready/);
    expect(processesOf(dataDir).length).toBeGreaterThan(5);
    hub.kill('SIGKILL');
    await expectAllGone(dataDir);
    const { output } = await ended();
    expect(endings(output).toSorted()).toEqual(
      expect.arrayContaining(['api', 'eval-runner', 'seats', 'sweeper']),
    );
    expect(output).toContain('the supervisor is gone');
  });

  test('whose supervisor is killed in the midst of its start leaves nothing either', async () => {
    for (const afterMs of [0, 50, 150, 300, 600]) {
      const { hub, dataDir, ended } = startHub({ PORT: '0' });
      await Bun.sleep(afterMs);
      hub.kill('SIGKILL');
      await expectAllGone(dataDir);
      await ended();
    }
  });
});
