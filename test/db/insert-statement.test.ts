/**
 * Inserted rows arrive exactly as they would in a `values` list of the query builder, whatever their fields hold, and rows
 * selected by a list are those that it selects.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { asc, inArray } from 'drizzle-orm';
import fc from 'fast-check';
import { isFenceLost, isUniqueViolation } from '#db/errors.ts';
import { inList, selectStatement } from '#db/conditions.ts';
import { insertStatement } from '#db/prepared.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { jobRow } from './job-rows.ts';

const newId = () => createId(new Date());
const insertRuns = insertStatement('runs');
const insertJobs = insertStatement('jobs');
const upsertJobs = insertStatement('jobs', { target: 'id', update: ['payload', 'closedAt'] });

const upsertJobsOfKind = insertStatement('jobs', { target: 'id', fence: 'kind', update: ['payload'] });
const selectRuns = selectStatement((db, list) => {
  const { runs } = db.tables;
  return db.query
    .select()
    .from(runs)
    .where(inList(db, runs.id, list))
    .orderBy(asc(runs.id));
});

/** Neither store accepts NUL; everything else is allowed, including lone surrogates. */
const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));
const trickyText = fc.oneof(
  text,
  fc.constantFrom(`'"\\,{}[]()$1?`, '', ' ', ...'NULL null \\u0000 \\ud800 \ud800x é€😀 \u2028'.split(' ')),
);
const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
const runFields = fc.record({
  product: trickyText,
  targetUrl: trickyText,
  chargeTokens: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  chargeFree: fc.boolean(),
  // Rows travel to Postgres as JSON, which has no -0; no score, rate or price of the hub is -0.
  score: fc.option(
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((score) => !Object.is(score, -0)),
  ),
  failureMessage: fc.option(trickyText),
  latency: fc.option(
    fc.record({ p50_ms: fc.nat(), p90_ms: fc.nat(), max_ms: fc.nat() }, { noNullPrototype: true }),
  ),
  createdAt: instant,
  finishedAt: fc.option(instant),
});

forEachStore((store) => {
  let template: RunRow;
  beforeAll(async () => {
    const ctx = createTestCtx(store.db);
    template = (await redeem(ctx, (await createTestAgent(ctx)).id, null)).evalRun;
  });

  const runRow = (fields: Partial<RunRow>): RunRow => ({
    ...template,
    id: newId(),
    redemptionId: newId(),
    ...fields,
  });

  /** Stores each row both ways, with the statement and in a `values` list, and returns both results. */
  async function storeBothWays(all: readonly Partial<RunRow>[]) {
    const { runs } = store.db.tables;
    const ways = await store.db.transaction(async (tx) => {
      const packed = all.map(runRow);
      const listed = all.map(runRow);
      await insertRuns(tx, packed);
      await tx.query.insert(runs).values(listed);
      return [packed, listed];
    });
    return Promise.all(
      ways.map(async (rows) => {
        const ids = rows.map(({ id }) => id);
        const found = await store.db.query
          .select()
          .from(runs)
          .where(inArray(runs.id, ids))
          .orderBy(asc(runs.id));
        expect(await store.db.transaction((tx) => selectRuns(tx, ids))).toEqual(found);
        return found.map((row) => ({ ...row, id: '', redemptionId: '' }));
      }),
    );
  }

  test('fields of every type arrive as in a values list, and reals keep every bit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(runFields, { minLength: 1, maxLength: 5 }), async (all) => {
        const [packed, listed] = await storeBothWays(all);
        expect(packed).toHaveLength(all.length);
        expect(packed).toEqual(listed);
        expect(packed?.map(({ score }) => score)).toEqual(all.map(({ score }) => score));
      }),
      { numRuns: 60 },
    );
  });

  const findJob = async (id: string) => (await rowsOf(store, 'jobs', { id }))[0];

  test('thousands of rows are inserted in one call, and none in another', async () => {
    const ids = Array.from({ length: 5_000 }, () => newId());
    const rows = ids.map((id, n) => jobRow(id, { n }));
    for (const some of [rows, []]) await store.db.transaction((tx) => insertJobs(tx, some));
    expect((await findJob(ids.at(-1)!))?.payload).toEqual({ n: 4_999 });
  });

  describe('a row that already exists', () => {
    test('is a unique violation, and nothing is inserted', async () => {
      const [there, beside] = [newId(), newId()];
      await store.db.transaction((tx) => insertJobs(tx, [jobRow(there, 'first')]));
      const again = store.db.transaction((tx) =>
        insertJobs(tx, [jobRow(beside, ''), jobRow(there, 'second')]),
      );
      expect(isUniqueViolation(await failureOf(again))).toBe(true);
      expect(await findJob(beside)).toBeUndefined();
    });

    test('fails a fenced upsert if its fence differs, now or at the commit', async () => {
      const [same, fenced, added] = [newId(), newId(), newId()];
      await store.db.transaction((tx) => insertJobs(tx, [jobRow(same, 'old'), jobRow(fenced, 'old')]));
      const rows = [jobRow(same, 'new'), { ...jobRow(fenced, 'new'), kind: 'other' }, jobRow(added, 'new')];
      const kept = async () =>
        (await Promise.all([same, fenced, added].map(findJob))).map((job) => job?.payload);
      const now = store.db.transaction((tx) => upsertJobsOfKind(tx, rows));
      expect(isFenceLost(await failureOf(now))).toBe(true);
      const atCommit = store.db.transaction(async (tx) => {
        upsertJobsOfKind.atCommit(tx, rows);
        insertJobs.atCommit(tx, [jobRow(newId(), 'beside')]);
      });
      expect(isFenceLost(await failureOf(atCommit))).toBe(true);
      expect(await kept()).toEqual(['old', 'old', undefined]);
      await store.db.transaction(async (tx) => upsertJobsOfKind.atCommit(tx, rows.toSpliced(1, 1)));
      expect(await kept()).toEqual(['new', 'old', 'new']);
    });

    test('updates the columns the upsert names and keeps the others', async () => {
      const [there, beside] = [newId(), newId()];
      const first = jobRow(there, 'first');
      await store.db.transaction((tx) => insertJobs(tx, [first]));
      const closedAt = new Date('2026-01-02T03:04:05.678Z');
      const changed = { ...jobRow(there, 'second', closedAt), kind: 'other', createdAt: new Date(0) };
      await store.db.transaction((tx) => upsertJobs(tx, [changed, jobRow(beside, 'new')]));
      expect(await findJob(there)).toEqual({ ...first, payload: 'second', closedAt } as never);
      expect((await findJob(beside))?.payload).toBe('new');
    });
  });
});
