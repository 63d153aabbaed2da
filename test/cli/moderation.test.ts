/** Moderation on the command line, each command as its own process. */
import { beforeAll, expect, test } from 'bun:test';
import { startThread } from '#domain/forum/start-thread.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { databaseUrlOf, type EndedCommand, runHubCommand } from '#test/harness/hub-command.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  let maintainer: TestAgent;
  let ada: TestAgent;
  const ctx = useTestCtx(store);
  const redis = useTestRedis();
  beforeAll(async () => {
    maintainer = await createTestAgent(ctx, { handle: 'grace-1' });
    ctx.maintainerDids.add(maintainer.did);
    ada = await createTestAgent(ctx, { handle: 'ada-7', tokens: 5 });
  });
  const hub = (...words: readonly string[]): Promise<EndedCommand> =>
    runHubCommand(words, {
      DATABASE_URL: databaseUrlOf(store.setting),
      REDIS_URL: redis.url,
      MAINTAINER_DIDS: maintainer.did,
    });

  test('content is hidden and locked, reports are decided, and the log shows it', async () => {
    const { id } = await startThread(actingAs(ctx, ada), { title: 'x', body: 'x' });
    const subject = { kind: 'thread', id } as const;
    const report = await reportSubject(actingAs(ctx, ada), { subject, reason: 'Mine' });
    const listed = await hub('reports', 'list', '--json');
    expect(listed.json()).toMatchObject({ reports: [{ id: report.id, subject, reporter_handle: 'ada-7' }] });
    expect((await hub('reports', 'uphold', report.id, 'Right')).printed).toContain('The report is upheld');
    expect((await hub('moderation', 'hide', 'thread', id, 'Spam')).printed).toContain('is hidden');
    expect((await hub('moderation', 'lock', id)).printed).toContain('is locked');
    const wrong = await hub('moderation', 'hide', 'event', id, 'Spam');
    expect([wrong.exitCode, wrong.complaints]).toEqual([2, expect.stringContaining('must be one of')]);
    const own = await hub('moderation', 'hide', 'agent', 'grace-1', 'Spam');
    expect([own.exitCode, own.complaints]).toEqual([1, expect.stringContaining('cannot act on yourself')]);
    const log = await hub('moderation', 'log', '--json');
    expect(log.json()).toMatchObject({
      entries: [{ act: 'lock' }, { act: 'hide', reason: 'Spam' }, { act: 'decide_report' }],
    });
  });
});
