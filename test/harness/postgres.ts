/**
 * A fresh Postgres database for one test file: on the server of `TEST_POSTGRES_URL`, or on a cluster of the test run's
 * own that all files and processes of the run share, as making one takes a second.
 */
import { SQL } from 'bun';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterFolder, FAILED_FILE, isAlive, READY_FILE, type ReadyCluster } from './postgres-run.ts';

export interface TestDatabase {
  /** What `DATABASE_URL` would hold. */
  readonly url: string;
  /** Removes the database, whoever is still connected to it. */
  drop(): Promise<void>;
}

const CLUSTER_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 20;

/** UTF-8 and sorted by code point whatever the server's own locale, as SQLite sorts. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_POSTGRES_URL'] || (await sharedClusterUrl());
  const name = `agent_hub_test_${randomBytes(8).toString('hex')}`;
  await administer(
    serverUrl,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** `statement` is made of constants and the name above, so nothing in it needs quoting. */
async function administer(serverUrl: string, statement: string): Promise<void> {
  const sql = new SQL({ url: serverUrl, max: 1 });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}

/**
 * Whoever needs the cluster starts a keeper; the first keeper wins its lock and the others leave. So no process of the
 * run depends on another one's staying alive.
 */
async function sharedClusterUrl(): Promise<string> {
  const owner = runOwner();
  const folder = clusterFolder(owner);
  const known = await readReady(folder);
  if (known !== null) return known.url;
  // The runner kills what a test file has started when the file ends. A shell in between, gone at once, cuts the tie.
  const keeper = [process.execPath, join(import.meta.dir, 'postgres-keeper.ts'), String(owner), folder];
  await Bun.spawn(['sh', '-c', '"$@" &', 'keeper', ...keeper], {
    detached: true,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  }).exited;
  const deadline = performance.now() + CLUSTER_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const ready = await readReady(folder);
    if (ready !== null) return ready.url;
    const failure = await readFile(join(folder, FAILED_FILE), 'utf8').catch(() => null);
    if (failure !== null) throw new Error(`The Postgres for tests did not start: ${failure}`);
    await Bun.sleep(POLL_INTERVAL_MS);
  }
  throw new Error(`The Postgres for tests did not start within ${CLUSTER_TIMEOUT_MS} ms. See ${folder}.`);
}

/** The process that lives as long as the run: with `--parallel` the parent of the process that runs this file. */
function runOwner(): number {
  return process.env['BUN_TEST_WORKER_ID'] === undefined ? process.pid : process.ppid;
}

async function readReady(folder: string): Promise<ReadyCluster | null> {
  const text = await readFile(join(folder, READY_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  // Written whole by the keeper, under this very type.
  const ready = JSON.parse(text) as ReadyCluster;
  return isAlive(ready.keeperPid) ? ready : null;
}
