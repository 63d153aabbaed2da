import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '#runtime/process/is-alive.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const scratch = useTestFolder();

/** A supervisor in its own process group, as a shell would start it in a terminal. */
async function startSmallHub(name: string, apiWorkMs = 200) {
  const journal = join(scratch, `${name}.journal`);
  const hub = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, 'children', 'small-hub.ts'),
      journal,
      join(scratch, name),
      String(apiWorkMs),
    ],
    { detached: true, stdout: 'ignore', stderr: 'inherit' },
  );
  const lines = (): string[] => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []);
  await waitUntil(() => lines().includes('hub ready'));
  const pids = lines()
    .flatMap((line) => /started (\d+)$/.exec(line)?.[1] ?? [])
    .map(Number);
  const socket = lines()[0]?.slice('redis '.length) ?? '';
  return { hub, lines, pids, socket };
}

test('Ctrl-C for the whole terminal group stops the API, then the workers, then Redis, and exits with 0', async () => {
  const { hub, lines, pids, socket } = await startSmallHub('ctrl-c');
  expect(pids).toHaveLength(3);
  process.kill(-hub.pid, 'SIGINT');
  expect(await hub.exited).toBe(0);
  const order = lines().slice(lines().indexOf('hub ready') + 1);
  expect(order.slice(0, 2)).toEqual(['api stopping', 'api stopped']);
  expect(order.slice(2).toSorted()).toEqual([
    'mail stopped',
    'mail stopping',
    'sweeper stopped',
    'sweeper stopping',
  ]);
  expect(pids.filter(isAlive)).toEqual([]);
  // The server removes its socket last.
  expect(existsSync(socket)).toBe(false);
});

test('a second signal, too late to be one repeated by npm, kills everything at once', async () => {
  const { hub, lines, pids } = await startSmallHub('twice', 30_000);
  hub.kill('SIGTERM');
  await waitUntil(() => lines().includes('api stopping'));
  await Bun.sleep(600);
  hub.kill('SIGTERM');
  expect(await hub.exited).toBe(130);
  await waitUntil(() => !pids.some(isAlive));
  expect(lines()).not.toContain('mail stopped');
});
