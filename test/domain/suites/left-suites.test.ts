/** Suites under moderation, and what becomes of them when their owner leaves. */
import { expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { withTransaction } from '#domain/context.ts';
import { describeSubjects } from '#domain/moderation/describe-subjects.ts';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { summarizeModeration } from '#domain/moderation/moderation-log.ts';
import { listReports, reportSubject } from '#domain/moderation/report-subject.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { findRunnableSuite, holdSuite } from '#domain/suites/find-runnable-suite.ts';
import { listSuites } from '#domain/suites/list-suites.ts';
import { showSuite, showSuiteVersion } from '#domain/suites/show-suite.ts';
import { signUp, type SignedUpAgent, closeWithKey } from '#test/domain/agents/sign-up.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { eraseAll } from '#test/harness/erase-all.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, tally } from '../outcomes.ts';
import { exportOf } from '#test/domain/account/traces.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const { agent: bob } = useAgentCtx(ctx);
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });

  async function publish({ ctx: as, agent }: SignedUpAgent, name: string, visibility: 'open' | 'private') {
    const document = {
      suite: 1,
      name,
      title: `Duty of ${agent.handle}`,
      cases: [{ id: 'one', prompt: `Greet ${agent.handle}.`, tags: ['duty'], expect: [{ contains: 'a' }] }],
    };
    const { suite } = await publishTestSuite(as, document);
    await updateSuite(as, { owner: agent.handle, name, visibility });
    return suite;
  }
  const driftsOf = async () =>
    (await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0).map(({ name }) => name);

  test('a maintainer hides a reported suite: nobody runs it, and only its owner and maintainers see it', async () => {
    const ada = await signUp(ctx, `quokka-${store.dialect}`);
    await publish(ada, 'shown', 'open');
    await publish(ada, 'secret', 'private');
    const ref = `@${ada.agent.handle}/shown`;
    const subject = { kind: 'suite', id: ref } as const;
    const report = (id: string) =>
      reportSubject(actingAs(ctx, bob), { subject: { kind: 'suite', id }, reason: 'Spam' });
    await report(ref);
    for (const id of [`@${ada.agent.handle}/secret`, 'shown', '@nobody/shown'])
      expect(await codeOf(report(id))).toBe('subject_not_found');
    const desk = actingAs(ctx, maintainer);
    const { items } = await listReports(desk, { status: 'open', cursor: null, limit: 20 });
    expect(items[0]?.subject).toEqual(subject);
    expect([...(await describeSubjects(desk, items)).values()]).toMatchObject([
      { title: ref, text: `Duty of ${ada.agent.handle}: `, isHidden: false, reports: 1 },
    ]);
    await hideContent(desk, { subject, reason: 'Spam' });
    const key = { owner: ada.agent.handle, name: 'shown' };
    const see = (viewer: TestAgent | SignedUpAgent['agent'] | null) => showSuite(ctx, { ...key, viewer });
    expect(await tally([see(null), see(bob)])).toEqual({ content_hidden: 2 });
    expect(await tally([see(ada.agent), see(maintainer)])).toEqual({ ok: 2 });
    expect(await codeOf(findRunnableSuite(actingAs(ctx, bob), ref, null))).toBe('content_hidden');
    const listed = async () =>
      (await listSuites(ctx, { owner: null, tag: 'duty', viewer: bob, cursor: null, limit: 9 })).items.length;
    const named = async () => (await summarizeModeration(ctx)).latest[0]?.subject.id;
    expect([await listed(), await named()]).toEqual([0, 'private']);
    expect(await driftsOf()).toEqual([]);
    await restoreContent(desk, { subject, reason: 'No spam' });
    expect([await tally([see(bob)]), await listed(), await named()]).toEqual([{ ok: 1 }, 1, ref]);
    await updateSuite(ada.ctx, { ...key, visibility: 'private' });
    expect(await named()).toBe('private');
  });

  test('of a closed account, only suites that others ran stay: retired, and without its name', async () => {
    const ada = await signUp(ctx, `numbat-${store.dialect}`);
    const { handle } = ada.agent;
    const kept = await publish(ada, 'kept', 'open');
    const own = await publish(ada, 'own', 'open');
    // The name that the suite that stays will get.
    await publish(ada, `kept-${kept.id.slice(24)}`, 'open');
    const run = (suiteId: string, runnerId: string) =>
      withTransaction(ctx, async (inner) => (await holdSuite(inner, { suiteId, runnerId }))());
    await run(kept.id, bob.id);
    await run(own.id, ada.agent.id);
    expect((await exportOf(ada.ctx)).json).toMatchObject({
      suites: [{ name: 'kept', agents: [] }, { name: 'own' }, {}],
      suite_versions: [{ version: 1, document: { name: 'kept' } }, { version: 1 }, {}],
    });
    expect(await closeWithKey(ada.ctx, ada.key)).toBeNull();
    expect(await driftsOf()).toEqual([]);
    const rows = await rowsOf(ctx, 'suites', { ownerId: ada.agent.id });
    expect(rows).toMatchObject([{ id: kept.id, title: `Duty of ${handle}`, retiredAt: expect.any(Date) }]);
    const key = { owner: 'closed-agent', name: rows[0]?.name ?? '', viewer: bob };
    const left = await showSuite(ctx, key);
    expect(left).toMatchObject({ ownerHandle: 'closed-agent', tags: [] });
    expect(await showSuiteVersion(ctx, left, 1)).toMatchObject({
      document: { cases: [{ id: 'one', prompt: `Greet ${handle}.` }] },
    });
    expect(await codeOf(findRunnableSuite(actingAs(ctx, bob), `@closed-agent/${key.name}`, null))).toBe(
      'conflict',
    );
    // What the audit promises of them, once the account is erased.
    for (const afterMs of [60_000, 60 * 60_000]) {
      ctx.clock.advance(afterMs);
      await eraseAll(ctx);
    }
    const set = (changes: Partial<typeof kept>) => changeRows(ctx, 'suites', { id: kept.id }, changes);
    await set({ retiredAt: null, newestVersion: 2 });
    expect((await driftsOf()).toSorted()).toEqual(['left_suites', 'suite_versions']);
    await set({ retiredAt: ctx.clock.now(), newestVersion: 1 });
  });
});
