/** The operator's day: runs by hour, what failed and why, and what to type about it. */
import { expect, test } from 'bun:test';
import { type RunFailureCode } from '#db/schema/run-tables.ts';
import { readOperatorDay } from '#domain/admin/operator-day.ts';
import { createReadiness } from '#domain/check-readiness.ts';
import { withTransaction } from '#domain/context.ts';
import { freezeHub } from '#domain/freeze/freeze-hub.ts';
import { claimBackup, endBackup } from '#domain/backups/claim-backup.ts';
import { sendMail } from '#domain/mail/send-mail.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { countWaiting, waitingCountedMax } from '#domain/admin/hub-state.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { listReports, reportSubject } from '#domain/moderation/report-subject.ts';
import { requestTokens } from '#domain/tokens/requests/request-tokens.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { changeRows } from '#test/harness/rows.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

const hourMs = 3_600_000;

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const maintainer = useAgentCtx(ctx, { isMaintainer: true });

  async function endRun(agoMs: number, failureCode: RunFailureCode | null): Promise<void> {
    const { id } = await createTestAgent(ctx, { tokens: 1 });
    const { evalRun } = await redeem(ctx, id, null);
    const status = failureCode === null ? 'completed' : 'failed';
    const finishedAt = new Date(ctx.clock.now().getTime() - agoMs);
    const ended = { status, finishedAt, failureCode, dueAt: null } as const;
    await changeRows(ctx, 'runs', { id: evalRun.id }, ended);
  }

  test('runs are counted by hour, and failures by reason', async () => {
    expect(await codeOf(readOperatorDay(actingAs(ctx, await createTestAgent(ctx))))).toBe('maintainer_only');
    for (const [hoursAgo, code] of [
      [0, null],
      [0, 'target_timeout'],
      [3, 'internal'],
      [3, 'target_timeout'],
      [3, 'cancelled'],
      [25, null],
      // The clock was ahead.
      [-2, 'internal'],
    ] as const)
      await endRun(hoursAgo * hourMs, code);
    // The first and the last millisecond of an hour.
    const intoHourMs = ctx.clock.now().getTime() % hourMs;
    await endRun(intoHourMs + 10 * hourMs, null);
    await endRun(intoHourMs + 9 * hourMs + 1, null);
    const { hours, failures, queues, alerts, store: kept } = await readOperatorDay(maintainer);
    expect(hours).toHaveLength(24);
    const busy = hours.filter(({ completed, failed }) => completed + failed > 0);
    expect(busy).toMatchObject([
      { completed: 2, failed: 0 },
      { completed: 1, failed: 2 },
      { completed: 1, failed: 1 },
    ]);
    expect(hours.at(-1)).toEqual(busy.at(-1));
    expect(failures).toEqual([
      { code: 'target_timeout', runs: 2 },
      { code: 'internal', runs: 1 },
    ]);
    expect(queues.find(({ name }) => name === 'eval-runs')).toMatchObject({ failed: 3 });
    expect(queues.find(({ name }) => name === 'mail')).toMatchObject({ failed: 0 });
    expect(kept.bytes).toBeGreaterThan(10_000);
    expect(alerts.map(({ what }) => what)).toEqual([
      '1 run failed because of an internal error, and was refunded.',
    ]);
  });

  test('each alert says what to type', async () => {
    const typed = async () => (await readOperatorDay(maintainer)).alerts.map(({ commands }) => commands[0]);
    const claimed = await claimBackup(ctx, { everyMs: hourMs, machine: 'here' });
    if (!('id' in claimed)) throw new Error('No backup is due.');
    const failure = { step: 'check', message: 'it lacks rows' } as const;
    await endBackup(ctx, { id: claimed.id, file: null, bytes: null, failure });
    expect(await typed()).toContain('hub audit');
    const warned = () => createReadiness(store.db, null, async () => null).warnings(ctx.clock.now());
    expect(await warned()).toEqual([expect.stringContaining('did not pass its check: it lacks rows.')]);
    ctx.clock.advance(hourMs);
    const good = await claimBackup(ctx, { everyMs: hourMs, machine: 'here' });
    if (!('id' in good)) throw new Error('No backup is due.');
    await endBackup(ctx, { id: good.id, file: '/backups/1.sqlite', bytes: 1, failure: null });
    expect(await typed()).not.toContain('hub audit');
    expect(await warned()).toEqual([]);
    const mail = { kind: 'notice', to: null, replyTo: null, subject: 'Hello', text: 'Hello' } as const;
    await withTransaction(ctx, (inner) => sendMail(inner, mail));
    ctx.clock.advance(49 * hourMs);
    const late = await typed();
    expect(late).toContain('hub health');
    expect(late).toContain('hub queues status');
    expect(await warned()).toEqual([expect.stringContaining('The last good backup is from')]);
    // The process can still serve, so a store that fails for a moment makes no error of it.
    const closed = { ...store.db, query: null } as unknown as typeof store.db;
    expect(await createReadiness(closed, null, async () => null).warnings(ctx.clock.now())).toEqual([]);
    await freezeHub(ctx, { reason: 'Moving' });
    const frozen = await typed();
    expect(frozen[0]).toBe('hub unfreeze');
    expect(frozen).not.toContain('hub queues status');
  });
});

/** The numbers at the desk. */
forEachStore((store) => {
  const ctx = useTestCtx(store);
  const asMaintainer = useAgentCtx(ctx, { isMaintainer: true });

  test('what waits for a maintainer is counted in one statement, up to a limit', async () => {
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
