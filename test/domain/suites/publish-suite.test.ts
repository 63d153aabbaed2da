/** Publishing: versions by content, limits, judges, and who may run what. */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { findRunnableSuite, readSuiteVersion, recordSuiteRun } from '#domain/suites/find-runnable-suite.ts';
import { publishSuite, reportOnSuite } from '#domain/suites/publish-suite.ts';
import { suitesPerAgentMax } from '#domain/suites/suite-rules.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { register } from '#test/harness/webhooks.ts';
import { tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const aCase = (id: string, answer = 'a') => ({
  id,
  prompt: `Say ${answer}.`,
  tags: ['easy', id],
  expect: [{ equals: answer }],
  accepted: [answer],
  refused: ['no'],
});

/** The code of the error, or `ok`. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const outcome = await call.catch((error: unknown) => error);
  return outcome instanceof DomainError ? outcome.code : 'ok';
}

const documentOf = (name: string, ...cases: object[]) => ({
  suite: 1,
  name,
  title: 'A title',
  defaults: { trials: 3 },
  cases: cases.length === 0 ? [aCase('one'), aCase('two')] : cases,
});

const checked = (document: object) => checkSuite(JSON.stringify(document), 'json');

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ada: TestAgent;
  let bob: TestAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    ada = await createTestAgent(ctx);
    bob = await createTestAgent(ctx);
  });

  test('the same content is the same version, and other content the next one', async () => {
    const as = actingAs(ctx, ada);
    const first = await publishSuite(as, await checked(documentOf('versions')));
    expect(first).toMatchObject({
      created: true,
      suite: { visibility: 'private', newestVersion: 1, title: 'A title' },
      version: { version: 1, caseCount: 2, trials: 3 },
    });
    const second = await publishSuite(as, await checked(documentOf('versions', aCase('one', 'b'))));
    expect(second).toMatchObject({ created: true, version: { version: 2 }, suite: { newestVersion: 2 } });
    expect([first.lacks, second.lacks]).toEqual([null, { version: 1, cases: 1 }]);
    // The order of keys and the layout make no difference.
    const yaml =
      'cases: [{ expect: [{ equals: b }], id: one, prompt: Say b., tags: [easy, one], accepted: [b], refused: ["no"] }]\n';
    const text = `${yaml}name: versions\ntitle: A title\nsuite: 1\ndefaults: { trials: 3 }\n`;
    const again = await publishSuite(as, await checkSuite(text, 'yaml'));
    expect(again).toMatchObject({ created: false, version: { version: 2, id: second.version.id } });
    const old = await publishSuite(as, await checked(documentOf('versions')));
    expect(old).toMatchObject({ created: false, version: { version: 1 }, suite: { newestVersion: 2 } });
    expect([again.lacks, old.lacks]).toEqual([null, null]);
    await publishSuite(
      as,
      await checked(documentOf('versions', ...['two', 'x', 'y'].map((id) => aCase(id)))),
    );
    expect((await publishSuite(as, await checked(documentOf('versions')))).lacks).toEqual({
      version: 3,
      cases: 2,
    });
    const [[one], [changed]] = [first.version.caseIdentities, second.version.caseIdentities];
    expect(one?.[0]).toBe(changed?.[0] ?? '');
    expect(one?.[1]).not.toBe(changed?.[1] ?? '');
  });

  test('a case inserted among cases without ids leaves all others the same, and the check says how many', async () => {
    const unnamed = (answer: string) => ({ ...aCase('own', answer), id: undefined });
    const before = documentOf('unnamed', unnamed('a'), unnamed('b'), unnamed('c'));
    const first = await publishSuite(actingAs(ctx, ada), await checked(before));
    const after = documentOf('unnamed', unnamed('x'), ...before.cases, aCase('own'));
    const report = await reportOnSuite(actingAs(ctx, ada), await checked(after));
    expect(report.warnings).toEqual([expect.stringContaining('missing in 4 of 5 cases')]);
    const second = await publishSuite(actingAs(ctx, ada), await checked(after));
    expect(second.version).toMatchObject({ casesAdded: 2, casesChanged: 0, casesRemoved: 0 });
    expect(second.version.caseIdentities.slice(1, 4)).toEqual([...first.version.caseIdentities]);
    const { document } = await findRunnableSuite(actingAs(ctx, ada), `@${ada.handle}/unnamed`, null);
    expect(document.cases.map(({ id }) => id)).toEqual(second.version.caseIdentities.map(([id]) => id));
    // Four cases without ids may only be edited.
    const edited = await checked(documentOf('unnamed', unnamed('z')));
    expect((await publishSuite(actingAs(ctx, ada), edited)).lacks).toEqual({ version: 2, cases: 1 });
    const named = await checked(documentOf('named'));
    expect((await reportOnSuite(actingAs(ctx, ada), named)).warnings).toEqual([]);
  });

  test('two processes that publish at once number versions without a gap', async () => {
    const texts = await Promise.all(
      Array.from({ length: 6 }, (_, at) => checked(documentOf('raced', aCase('one', `a${at % 3}`)))),
    );
    const calls = race(ctx, 6, (at, i) => publishSuite(actingAs(at, ada), texts[i]!));
    expect(await tally(calls)).toEqual({ ok: 6 });
    const { version } = await findRunnableSuite(actingAs(ctx, ada), `@${ada.handle}/raced`, null);
    expect(version.version).toBe(3);
  });

  test('a document whose own replies disagree is faulty, with their places', async () => {
    const faulty = await checked(documentOf('faulty', { ...aCase('one'), accepted: ['b'] }));
    expect(faulty).toMatchObject({ ok: false, faults: [{ line: 1, path: 'cases[0].accepted[0]' }] });
    expect(await codeOf(publishSuite(actingAs(ctx, ada), faulty))).toBe('invalid_suite');
  });

  test('a judge must be an active webhook of the owner that subscribes to suite.grade', async () => {
    const { webhook } = await register(ctx, ada, 'https://judge.example/a', ['suite.grade']);
    const judgedBy = (id: string) =>
      checked(
        documentOf('judged', { ...aCase('one'), expect: [{ webhook: id }], accepted: [], refused: [] }),
      );
    const good = await judgedBy(webhook.id);
    expect(await reportOnSuite(actingAs(ctx, ada), good)).toMatchObject({
      ok: true,
      size: { cases: 1, replies: 3 },
      priceTokens: 1,
    });
    expect(await reportOnSuite(actingAs(ctx, bob), good)).toMatchObject({
      ok: false,
      faults: [{ path: 'cases[0].expect[0].webhook', message: expect.stringContaining('suite.grade') }],
    });
    expect(await codeOf(publishSuite(actingAs(ctx, bob), good))).toBe('invalid_suite');
    expect(await publishSuite(actingAs(ctx, ada), good)).toMatchObject({ version: { judges: [webhook.id] } });
  });

  test('a private suite does not exist for others, and a retired or hidden one cannot be run', async () => {
    const { suite, version } = await publishSuite(
      actingAs(ctx, ada),
      await checked(documentOf('private-one')),
    );
    const ref = `@${ada.handle}/private-one`;
    const run = (agent: TestAgent, at: number | null = null) =>
      codeOf(findRunnableSuite(actingAs(ctx, agent), ref, at));
    expect([await run(ada), await run(bob), await run(ada, 2)]).toEqual(['ok', 'not_found', 'not_found']);
    const { suites, suiteAgents } = ctx.db.tables;
    const set = (changes: Partial<typeof suite>) =>
      withTransaction(ctx, ({ db }) => db.query.update(suites).set(changes).where(eq(suites.id, suite.id)));
    await withTransaction(ctx, ({ db }) =>
      db.query.insert(suiteAgents).values({ suiteId: suite.id, agentId: bob.id }),
    );
    expect(await findRunnableSuite(actingAs(ctx, bob), ref, null)).toMatchObject({
      isOwn: false,
      mayReadCases: true,
      version: { id: version.id },
      document: { cases: [{ id: 'one' }, { id: 'two' }] },
    });
    await set({ visibility: 'hidden' });
    expect(await findRunnableSuite(actingAs(ctx, bob), ref, 1)).toMatchObject({ mayReadCases: false });
    await set({ retiredAt: ctx.clock.now() });
    expect(await run(bob)).toBe('conflict');
    await set({ retiredAt: null, hiddenAt: ctx.clock.now() });
    expect([await run(bob), await run(ada)]).toEqual(['content_hidden', 'content_hidden']);
    expect(await readSuiteVersion(ctx, version.id)).toMatchObject({ document: { name: 'private-one' } });
  });

  test('the first run, and the first run by another agent, are recorded once', async () => {
    const { suite } = await publishSuite(actingAs(ctx, ada), await checked(documentOf('counted')));
    const record = async (runner: TestAgent) => {
      ctx.clock.advance(1);
      await withTransaction(ctx, (inner) =>
        recordSuiteRun(inner, { suiteId: suite.id, runnerId: runner.id }),
      );
      const { suites } = ctx.db.tables;
      const [row] = await ctx.db.query.select().from(suites).where(eq(suites.id, suite.id));
      return row!;
    };
    const own = await record(ada);
    expect(own).toMatchObject({ ranAt: ctx.clock.now(), ranByOthersAt: null });
    expect(await record(bob)).toMatchObject({ ranAt: own.ranAt, ranByOthersAt: ctx.clock.now() });
    const { ranByOthersAt } = await record(bob);
    expect(ranByOthersAt).not.toEqual(ctx.clock.now());
  });

  test(`an agent has at most ${suitesPerAgentMax} suites`, async () => {
    const many = await createTestAgent(ctx);
    const sound = await checked(documentOf('many', aCase('one')));
    if (!sound.ok) throw new Error('The suite has faults.');
    for (let at = 0; at < suitesPerAgentMax; at += 1)
      await publishSuite(actingAs(ctx, many), {
        ...sound,
        document: { ...sound.document, name: `many-${at}` },
      });
    expect(await codeOf(publishSuite(actingAs(ctx, many), sound))).toBe('limit_reached');
  });
});
