/** Publishing: versions by content, limits, judges, and who may run what. */
import { expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { findRunnableSuite, readSuiteVersion, holdSuite } from '#domain/suites/find-runnable-suite.ts';
import { publishSuite, reportOnSuite } from '#domain/suites/publish-suite.ts';
import { suitesPerAgentMax } from '#domain/suites/suite-rules.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { changeRows, rowOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { register } from '#test/harness/webhooks.ts';
import { tally, codeOf } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const aCase = (id: string, answer = 'a') => ({
  id,
  prompt: `Say ${answer}.`,
  tags: ['easy', id],
  expect: [{ equals: answer }],
  accepted: [answer],
  refused: ['no'],
});

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
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx);
  const ada = as.agent;
  const { agent: bob } = useAgentCtx(ctx);
  const publish = async (document: object) => publishSuite(as, await checked(document));

  test('the same content is the same version, and other content the next one', async () => {
    const first = await publish(documentOf('versions'));
    const made = { visibility: 'private', newestVersion: 1, title: 'A title' };
    const version = { version: 1, caseCount: 2, trials: 3 };
    expect(first).toMatchObject({ created: true, suite: made, version });
    const second = await publish(documentOf('versions', aCase('one', 'b')));
    expect(second).toMatchObject({ created: true, version: { version: 2 }, suite: { newestVersion: 2 } });
    expect([first.lacks, second.lacks]).toEqual([null, { version: 1, cases: 1 }]);
    // The order of keys and the layout make no difference.
    const yaml =
      'cases: [{ expect: [{ equals: b }], id: one, prompt: Say b., tags: [easy, one], accepted: [b], refused: ["no"] }]\n';
    const text = `${yaml}name: versions\ntitle: A title\nsuite: 1\ndefaults: { trials: 3 }\n`;
    const again = await publishSuite(as, await checkSuite(text, 'yaml'));
    expect(again).toMatchObject({ created: false, version: { version: 2, id: second.version.id } });
    const old = await publish(documentOf('versions'));
    expect(old).toMatchObject({ created: false, version: { version: 1 }, suite: { newestVersion: 2 } });
    expect([again.lacks, old.lacks]).toEqual([null, null]);
    await publish(documentOf('versions', ...['two', 'x', 'y'].map((id) => aCase(id))));
    expect((await publish(documentOf('versions'))).lacks).toEqual({ version: 3, cases: 2 });
    const [[one], [changed]] = [first.version.caseIdentities, second.version.caseIdentities];
    expect(one?.[0]).toBe(changed?.[0] ?? '');
    expect(one?.[1]).not.toBe(changed?.[1] ?? '');
  });

  test('a case inserted among cases without ids leaves all others the same, and the check says how many', async () => {
    const unnamed = (answer: string) => ({ ...aCase('own', answer), id: undefined });
    const before = documentOf('unnamed', unnamed('a'), unnamed('b'), unnamed('c'));
    const first = await publish(before);
    const after = documentOf('unnamed', unnamed('x'), ...before.cases, aCase('own'));
    const report = await reportOnSuite(as, await checked(after));
    expect(report.warnings).toEqual([expect.stringContaining('missing in 4 of 5 cases')]);
    const second = await publish(after);
    expect(second.version).toMatchObject({ casesAdded: 2, casesChanged: 0, casesRemoved: 0 });
    expect(second.version.caseIdentities.slice(1, 4)).toEqual([...first.version.caseIdentities]);
    const { document } = await findRunnableSuite(as, `@${ada.handle}/unnamed`, null);
    expect(document.cases.map(({ id }) => id)).toEqual(second.version.caseIdentities.map(([id]) => id));
    // Four cases without ids may only be edited.
    const edited = await checked(documentOf('unnamed', unnamed('z')));
    expect((await publishSuite(as, edited)).lacks).toEqual({ version: 2, cases: 1 });
    const named = await checked(documentOf('named'));
    expect((await reportOnSuite(as, named)).warnings).toEqual([]);
  });

  test('two processes that publish at once number versions without a gap', async () => {
    const answers = [0, 1, 2, 0, 1, 2].map((at) => documentOf('raced', aCase('one', `a${at}`)));
    const texts = await Promise.all(answers.map(checked));
    const calls = race(ctx, 6, (at, i) => publishSuite(actingAs(at, ada), texts[i]!));
    expect(await tally(calls)).toEqual({ ok: 6 });
    const { version } = await findRunnableSuite(as, `@${ada.handle}/raced`, null);
    expect(version.version).toBe(3);
  });

  test('a judge must be an active webhook of the owner that subscribes to suite.grade', async () => {
    const { webhook } = await register(ctx, ada, 'https://judge.example/a', ['suite.grade']);
    const judged = { ...aCase('one'), expect: [{ webhook: webhook.id }], accepted: [], refused: [] };
    const good = await checked(documentOf('judged', judged));
    const report = { ok: true, size: { cases: 1, replies: 3 }, priceTokens: 1 };
    expect(await reportOnSuite(as, good)).toMatchObject(report);
    expect(await reportOnSuite(actingAs(ctx, bob), good)).toMatchObject({
      ok: false,
      faults: [{ path: 'cases[0].expect[0].webhook', message: expect.stringContaining('suite.grade') }],
    });
    expect(await codeOf(publishSuite(actingAs(ctx, bob), good))).toBe('invalid_suite');
    expect(await publishSuite(as, good)).toMatchObject({ version: { judges: [webhook.id] } });
  });

  test('a private suite does not exist for others, and a retired or hidden one cannot be run', async () => {
    const { suite, version } = await publish(documentOf('private-one'));
    const ref = `@${ada.handle}/private-one`;
    const run = (agent: TestAgent, at: number | null = null) =>
      findRunnableSuite(actingAs(ctx, agent), ref, at);
    expect(await run(ada)).toMatchObject({ isOwn: true });
    expect(await tally([run(bob), run(ada, 2)])).toEqual({ not_found: 2 });
    const set = (changes: Partial<typeof suite>) => changeRows(ctx, 'suites', { id: suite.id }, changes);
    await updateSuite(as, { owner: ada.handle, name: 'private-one', agents: [bob.handle] });
    const document = { cases: [{ id: 'one' }, { id: 'two' }] };
    const runnable = { isOwn: false, mayReadCases: true, version: { id: version.id }, document };
    expect(await run(bob)).toMatchObject(runnable);
    await set({ visibility: 'hidden' });
    expect(await run(bob, 1)).toMatchObject({ mayReadCases: false });
    await set({ retiredAt: ctx.clock.now() });
    expect(await codeOf(run(bob))).toBe('conflict');
    await set({ retiredAt: null, hiddenAt: ctx.clock.now() });
    expect(await tally([run(bob), run(ada)])).toEqual({ content_hidden: 2 });
    expect(await readSuiteVersion(ctx, version.id)).toMatchObject({ document: { name: 'private-one' } });
  });

  test('the first run, and the first run by another agent, are recorded once', async () => {
    const { suite } = await publish(documentOf('counted'));
    const record = async (runner: TestAgent) => {
      ctx.clock.advance(1);
      await withTransaction(ctx, async (inner) =>
        (await holdSuite(inner, { suiteId: suite.id, runnerId: runner.id }))(),
      );
      return rowOf(ctx, 'suites', { id: suite.id });
    };
    const own = await record(ada);
    expect(own).toMatchObject({ ranAt: ctx.clock.now(), ranByOthersAt: null });
    expect(await record(bob)).toMatchObject({ ranAt: own.ranAt, ranByOthersAt: ctx.clock.now() });
    const { ranByOthersAt } = await record(bob);
    expect(ranByOthersAt).not.toEqual(ctx.clock.now());
  });

  test(`an agent has at most ${suitesPerAgentMax} suites`, async () => {
    const many = actingAs(ctx, await createTestAgent(ctx));
    const publishAs = async (name: string) =>
      publishSuite(many, await checked(documentOf(name, aCase('one'))));
    for (let at = 0; at < suitesPerAgentMax; at += 1) await publishAs(`many-${at}`);
    expect(await codeOf(publishAs('one-more'))).toBe('limit_reached');
  });
});
