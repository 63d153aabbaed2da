/**
 * Keeps the Postgres cluster of one test run: starts it, waits for the run to end, however it ends, and removes all
 * traces. Run as `bun postgres-keeper.ts <pid of the run> <folder>`.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '#runtime/folder-lock.ts';
import { startCluster } from './postgres-cluster.ts';
import { FAILED_FILE, isAlive, READY_FILE, type ReadyCluster } from './postgres-run.ts';

const OWNER_POLL_INTERVAL_MS = 100;
const STOP_TIMEOUT_MS = 5000;

const owner = Number(process.argv[2]);
const folder = process.argv[3];
if (!Number.isInteger(owner) || folder === undefined)
  throw new Error('usage: postgres-keeper.ts <pid> <folder>');

await mkdir(folder, { recursive: true });
const lock = lockFolder(folder);
// Another keeper of the same run was faster.
if (lock === null) process.exit(0);

// Left by an earlier run under the same process id that was killed together with its keeper.
await rm(join(folder, READY_FILE), { force: true });
await rm(join(folder, FAILED_FILE), { force: true });

try {
  const cluster = await startCluster(join(folder, 'cluster'));
  const ready: ReadyCluster = { url: cluster.url, keeperPid: process.pid };
  await publish(READY_FILE, JSON.stringify(ready));
  while (isAlive(owner)) await Bun.sleep(OWNER_POLL_INTERVAL_MS);
  await cluster.stop(STOP_TIMEOUT_MS);
} catch (error) {
  await publish(FAILED_FILE, String(error));
  while (isAlive(owner)) await Bun.sleep(OWNER_POLL_INTERVAL_MS);
}
await rm(folder, { recursive: true, force: true });
lock.release();

/** Readers never see half a file. */
async function publish(name: string, text: string): Promise<void> {
  const file = join(folder ?? '', name);
  await writeFile(`${file}.draft`, text);
  await rename(`${file}.draft`, file);
}
