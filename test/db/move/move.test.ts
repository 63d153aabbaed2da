/** A move copies a hub with open work of every kind to the other store and back, whatever kills it on its way. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { DatabaseSetting, OpenDatabase } from '#db/database.ts';
import { moveStore, moveSteps } from '#db/move/move-store.ts';
import { MoveRefusal } from '#db/move/move-target.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { claimKey } from '#domain/idempotency/claim-key.ts';
import { findSession } from '#domain/sessions/sessions.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { readStore } from '#test/harness/read-store.ts';
import { startProgram } from '#test/harness/run-program.ts';
import { openDatabase } from '#db/open-database.ts';
import type { FatalMove } from './children/move-and-die.ts';
import { runStatements } from '../raw-store.ts';
import { usePlaces } from '../use-places.ts';
import { type FilledHub, fillHub } from './fill-hub.ts';

const place = usePlaces();
let source: DatabaseSetting;
let filled: FilledHub;
let contents: Awaited<ReturnType<typeof readStore>>;

beforeAll(async () => {
  source = await place('sqlite');
  const db = await openDatabase(source);
  // Its runs are not carried out here.
  filled = await fillHub(createTestCtx(db), 'http://127.0.0.1:9/');
  contents = await readStore(db);
  await db.close();
});

let onPostgres: Promise<DatabaseSetting> | undefined;

/** The same hub on Postgres. No test changes it. */
function movedToPostgres(): Promise<DatabaseSetting> {
  onPostgres ??= place('postgres').then((to) => move(source, to).then(() => to));
  return onPostgres;
}

async function using<T>(setting: DatabaseSetting, work: (db: OpenDatabase) => Promise<T>): Promise<T> {
  const db = await openExistingDatabase(setting);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

async function requireSound(db: OpenDatabase): Promise<void> {
  const drifting = (await auditHub({ db })).filter(({ drifts }) => drifts.length > 0);
  // `leaveTraces` plants an entry that stands for no run.
  expect(drifting.filter(({ name }) => name !== 'leaderboard_entries')).toEqual([]);
}

function move(from: DatabaseSetting, to: DatabaseSetting, check = requireSound) {
  const progress: number[] = [];
  const moved = moveStore({ from, to, check, onProgress: (done, total) => progress.push(done / total) });
  return moved.then((outcome) => ({ ...outcome, progress }));
}

/** The move ends with what `filled` describes, and the hub goes on there. */
async function requireGoesOn(setting: DatabaseSetting): Promise<void> {
  await using(setting, async (db) => {
    const ctx = createTestCtx(db);
    const hash = hashBearerToken(filled.token);
    const bearer = (await findActingAgents(db, [hash])).get(hash);
    expect(bearer?.agent.handle).toBe('mover');
    expect((await findSession(ctx, { secret: filled.session }))?.agent.handle).toBe('mover');
    const own = { ...ctx, agent: bearer!.agent };
    const again = await handOutCases(own, { runId: filled.runs.pulledEval, limit: 2 });
    expect(again.cases.map((one) => one.again)).toEqual([true, true]);
    const granted = hashBearerToken(filled.grantedToken);
    expect((await findActingAgents(db, [granted])).get(granted)?.agent.handle).toBe('mover');
    const publish = { route: 'POST /v1/threads', key: 'done', requestHash: 'hash' };
    expect(await claimKey(own, publish)).toMatchObject({ stored: { status: 201 } });
    // The numbers of rows go on, or this would collide.
    await startThread(own, { title: 'After the move', body: 'All here' });
  });
}

test('every table of the hub that moves has rows', () => {
  const empty = Object.keys(contents).filter((table) => contents[table]?.length === 0);
  expect(empty).toEqual([]);
});

test('a hub with open work of every kind moves from SQLite to Postgres and back without a difference, and goes on', async () => {
  const middle = await place('postgres');
  const { rows, tables, progress } = await move(source, middle);
  expect([rows, tables]).toEqual([
    Object.entries(contents).reduce((sum, [, { length }]) => sum + length, 0),
    Object.keys(contents).length,
  ]);
  expect(progress.at(-1)).toBe(1);
  expect(await using(middle, readStore)).toEqual(contents);
  const back = await place('sqlite');
  await move(middle, back);
  expect(await using(back, readStore)).toEqual(contents);
  await requireGoesOn(back);
  await requireGoesOn(middle);
  expect(await using(source, readStore)).toEqual(contents);
});

describe('a move is refused, and changes nothing,', () => {
  test('while a process uses the hub', async () => {
    for (const from of [source, await movedToPostgres()]) {
      const db = await openDatabase(from);
      await db.transaction((tx) => tx.query.select().from(tx.tables.agents).limit(1));
      const to = await place('sqlite');
      const outcome = await failureOf(move(from, to));
      await db.close();
      expect(String(outcome)).toContain('Stop all of them, or run `hub freeze` first');
      await move(from, to);
    }
  });

  test('if the target is not empty, or the copy fails the check', async () => {
    const full = await movedToPostgres();
    const foreign = await place('postgres');
    await runStatements(foreign, 'create table accounts (id int)');
    await expect(move(source, source)).rejects.toBeInstanceOf(MoveRefusal);
    await expect(move(source, full)).rejects.toThrow('its table agents has rows');
    await expect(move(source, foreign)).rejects.toThrow('it has a table accounts');
    expect(await using(full, readStore)).toEqual(contents);

    const empty = await place('postgres');
    const unsound = () => Promise.reject(new MoveRefusal('Unsound.'));
    await expect(move(source, empty, unsound)).rejects.toThrow('Unsound');
    await expect(openDatabase(empty)).rejects.toThrow('unfinished');
    await move(source, empty);
    expect(await using(empty, readStore)).toEqual(contents);
  });
});

describe.each(['postgres', 'sqlite'] as const)('a move to %s that is killed', (dialect) => {
  test('at any step leaves the source whole, and the next one starts again by itself', async () => {
    const from = dialect === 'sqlite' ? await movedToPostgres() : source;
    const to = await place(dialect);
    for (const diesAt of moveSteps.slice(0, -1)) {
      const task: FatalMove = { from, to, diesAt };
      const program = join(import.meta.dir, 'children', 'move-and-die.ts');
      const { child, ended } = startProgram([process.execPath, program, JSON.stringify(task)]);
      await ended;
      expect([diesAt, child.signalCode]).toEqual([diesAt, 'SIGKILL']);
    }
    expect(await using(from, readStore)).toEqual(contents);
    await move(from, to);
    expect(await using(to, readStore)).toEqual(contents);
    await requireGoesOn(to);
  });
});
