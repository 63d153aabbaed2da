/** The numbers at the desk. */
import { expect, test } from 'bun:test';
import { countWaiting, waitingCountedMax } from '#domain/admin/hub-state.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { listReports, reportSubject } from '#domain/moderation/report-subject.ts';
import { requestTokens } from '#domain/tokens/requests/request-tokens.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';

forEachStore((store) => {
  test('what waits for a maintainer is counted in one statement, up to a limit', async () => {
    const ctx = createTestCtx(store.db);
    const maintainer = await createTestAgent(ctx);
    ctx.maintainerDids.add(maintainer.did);
    const asMaintainer = actingAs(ctx, maintainer);
    const ada = actingAs(ctx, await createTestAgent(ctx));
    const before = await countWaiting(asMaintainer);
    const { id } = await startThread(ada, { title: 'Watches', body: 'Cheap' });
    const helper = actingAs(ctx, await createTestAgent(ctx));
    await reportSubject(helper, { subject: { kind: 'thread', id }, reason: 'Spam' });
    await requestTokens(ada, { amount: 1, reason: 'A run' });
    for (let n = 0; n <= waitingCountedMax; n += 1) await receiveTestEmail(ctx, `Question ${n}`);
    expect(await countWaiting(asMaintainer)).toEqual({
      reports: before.reports + 1,
      verifications: before.verifications,
      tokenRequests: before.tokenRequests + 1,
      emails: waitingCountedMax,
    });
    const [report] = (await listReports(asMaintainer, { limit: 1, cursor: null, status: 'open' })).items;
    await decideReport(asMaintainer, { reportId: report!.id, decision: 'upheld', note: null });
    expect((await countWaiting(asMaintainer)).reports).toBe(before.reports);
    expect(await codeOf(countWaiting(ada))).toBe('maintainer_only');
  });
});
