/**
 * What takes long to make and all files and processes of a test run share. Whoever needs it starts a keeper, a program that
 * makes it, waits for the run to end, however it ends, and removes all traces; the first keeper wins its lock and the others
 * leave. So no process of the run depends on another one's staying alive.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '#runtime/process/folder-lock.ts';

/** What a keeper has made. */
export interface Kept {
  /** Where to find it: a URL, or a path. */
  readonly place: string;
  /** Lets go of what is not in the folder. */
  end(): Promise<void>;
}

/** Written in the folder once it is there. */
const readyFile = 'ready.json';
/** Written instead when it cannot be made; holds the reason. */
const failedFile = 'failed.txt';

interface Ready {
  readonly place: string;
  readonly keeperPid: number;
}

const makingTimeoutMs = 60_000;
const pollIntervalMs = 20;
const ownerPollIntervalMs = 100;

/**
 * @param name a word for the folder
 * @param keeper the path of a program that calls `keepForRun`
 * @returns the place of what the run shares under this name
 */
export async function shareOfRun(name: string, keeper: string): Promise<string> {
  const owner = runOwner();
  const folder = join(tmpdir(), `agent-hub-${name}-${owner}`);
  const known = await readReady(folder);
  if (known !== null) return known.place;
  // The runner kills what a test file has started when the file ends. A shell in between, gone at once, cuts the tie.
  await Bun.spawn(['sh', '-c', '"$@" &', 'keeper', process.execPath, keeper, String(owner), folder], {
    detached: true,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  }).exited;
  const deadline = performance.now() + makingTimeoutMs;
  while (performance.now() < deadline) {
    const ready = await readReady(folder);
    if (ready !== null) return ready.place;
    const failure = await readFile(join(folder, failedFile), 'utf8').catch(() => null);
    if (failure !== null) throw new Error(`There is no ${name} for the tests: ${failure}`);
    await Bun.sleep(pollIntervalMs);
  }
  throw new Error(`There is no ${name} for the tests after ${makingTimeoutMs} ms. See ${folder}.`);
}

/** The whole of a keeper, whose command line is the process id of the run and the folder. */
export async function keepForRun(make: (folder: string) => Promise<Kept>): Promise<void> {
  const owner = Number(process.argv[2]);
  const folder = process.argv[3];
  if (!Number.isInteger(owner) || folder === undefined) throw new Error('usage: <pid of the run> <folder>');

  await mkdir(folder, { recursive: true });
  const lock = lockFolder(folder);
  // Another keeper of the same run was faster.
  if (lock === null) process.exit(0);

  // Left by an earlier run under the same process id that was killed together with its keeper.
  await rm(join(folder, readyFile), { force: true });
  await rm(join(folder, failedFile), { force: true });

  try {
    const kept = await make(folder);
    const ready: Ready = { place: kept.place, keeperPid: process.pid };
    await publish(join(folder, readyFile), JSON.stringify(ready));
    await untilEnded(owner);
    await kept.end();
  } catch (error) {
    await publish(join(folder, failedFile), String(error));
    await untilEnded(owner);
  }
  await rm(folder, { recursive: true, force: true });
  lock.release();
}

/** The process that lives as long as the run: with `--parallel` the parent of the process that runs this file. */
function runOwner(): number {
  return process.env['BUN_TEST_WORKER_ID'] === undefined ? process.pid : process.ppid;
}

async function readReady(folder: string): Promise<Ready | null> {
  const text = await readFile(join(folder, readyFile), 'utf8').catch(() => null);
  if (text === null) return null;
  // Written whole by the keeper, under this very type.
  const ready = JSON.parse(text) as Ready;
  return isAlive(ready.keeperPid) ? ready : null;
}

/** Readers never see half a file. */
async function publish(file: string, text: string): Promise<void> {
  await writeFile(`${file}.draft`, text);
  await rename(`${file}.draft`, file);
}

async function untilEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await Bun.sleep(ownerPollIntervalMs);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
