/**
 * Shares what is expensive to create among all files and processes of a test run. Each user starts a keeper,
 * a program that creates it, waits for the run to end and cleans up. The first keeper gets the lock and the
 * others exit, so no test process depends on another one.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '#runtime/process/folder-lock.ts';
import { isAlive } from '#runtime/process/is-alive.ts';

/** The result of a keeper. */
export interface Kept {
  /** A URL or a path. */
  readonly place: string;
  /** Releases everything outside the folder. */
  end(): Promise<void>;
}

/** Written when the share is ready or cannot be created. */
const outcomeFile = 'outcome.json';

interface Outcome {
  readonly keeperPid: number;
  /** Why there is no share; null if there is one. */
  readonly failure: string | null;
  readonly place: string;
}

/** Building or filling takes a while on a busy machine; a test may take as long. */
const makingMaxMs = 180_000;
const pollIntervalMs = 20;
const ownerPollIntervalMs = 100;

/**
 * @param name part of the folder's name
 * @param keeper the path of a program that calls `keepForRun`
 * @returns the place of the share
 */
export async function shareOfRun(name: string, keeper: string): Promise<string> {
  const owner = runOwner();
  const folder = join(tmpdir(), `agent-hub-${name}-${owner}`);
  const known = await placeIn(folder, name);
  if (known !== null) return known;
  // The runner kills the children of a test file when it ends. A shell that exits at once detaches the
  // keeper.
  await Bun.spawn(['sh', '-c', '"$@" &', 'keeper', process.execPath, keeper, String(owner), folder], {
    detached: true,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  }).exited;
  const deadline = performance.now() + makingMaxMs;
  while (performance.now() < deadline) {
    const place = await placeIn(folder, name);
    if (place !== null) return place;
    await Bun.sleep(pollIntervalMs);
  }
  throw new Error(`There is no ${name} for the tests after ${makingMaxMs} ms. See ${folder}.`);
}

/** The main function of a keeper. Its arguments are the process id of the run and the folder. */
export async function keepForRun(make: (folder: string) => Promise<Kept>): Promise<void> {
  const owner = Number(process.argv[2]);
  const folder = process.argv[3];
  if (!Number.isInteger(owner) || folder === undefined) throw new Error('usage: <pid of the run> <folder>');

  await mkdir(folder, { recursive: true });
  const lock = lockFolder(folder);
  // Another keeper of this run was faster.
  if (lock === null) process.exit(0);

  // Left by an earlier run with the same process id that was killed together with its keeper.
  await rm(join(folder, outcomeFile), { force: true });
  try {
    const kept = await make(folder);
    await publish(folder, { keeperPid: process.pid, failure: null, place: kept.place });
    await untilEnded(owner);
    await kept.end();
  } catch (error) {
    await publish(folder, { keeperPid: process.pid, failure: String(error), place: '' });
    await untilEnded(owner);
  }
  await rm(folder, { recursive: true, force: true });
  lock.release();
}

/** The process that lives as long as the run: with `--parallel` the parent of the current one. */
function runOwner(): number {
  return process.env['BUN_TEST_WORKER_ID'] === undefined ? process.pid : process.ppid;
}

/** @returns null if it is not there yet @throws if it cannot be created */
async function placeIn(folder: string, name: string): Promise<string | null> {
  const text = await readFile(join(folder, outcomeFile), 'utf8').catch(() => null);
  if (text === null) return null;
  // The keeper publishes the whole file with this type.
  const { keeperPid, failure, place } = JSON.parse(text) as Outcome;
  if (!isAlive(keeperPid)) return null;
  if (failure !== null) throw new Error(`There is no ${name} for the tests: ${failure}`);
  return place;
}

/** Atomic for readers. */
async function publish(folder: string, outcome: Outcome): Promise<void> {
  const file = join(folder, outcomeFile);
  await writeFile(`${file}.draft`, JSON.stringify(outcome));
  await rename(`${file}.draft`, file);
}

async function untilEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await Bun.sleep(ownerPollIntervalMs);
}
