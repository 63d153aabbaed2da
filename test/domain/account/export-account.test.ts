/**
 * The export contains every row about the agent, but no secrets and no verdicts that nobody has paid for. However large
 * an account is, little of it is in memory at once.
 */
import { beforeAll, expect, test } from 'bun:test';
import type { Column } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { exportAccount } from '#domain/account/export-account.ts';
import { exportSections } from '#domain/account/export-sections.ts';
import { decideVerification } from '#domain/verification/request-verification.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';
import { recordItems } from '#domain/runs/store-items.ts';
import { recordSupportIntent } from '#domain/supporters/find-support.ts';
import { createId } from '#runtime/create-id.ts';
import { signUp, type SignedUpAgent } from '#test/domain/agents/sign-up.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { plansOf } from '#test/harness/query-plans.ts';
import { readStore } from '#test/harness/read-store.ts';
import { redeem, claimTestRun } from '#test/harness/eval-runs.ts';
import { rowOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { exportOf, leaveTraces } from './traces.ts';

const mebibyte = 1024 * 1024;

/** Columns with the agent itself, or with those who take part in public. Others name who decided about it. */
const mayName = /^(agent|author|owner|reporter|proposer|implementer|reviewer)_id$/;

/** Copies, totals and markers that follow from exported rows, and the fields of the profile. */
const derived = new Set([
  'agents',
  'searchWords',
  'suiteTags',
  'tokenAccounts',
  'notificationFeeds',
  'bookingNotices',
  'mails',
  'jobs',
  'challenges',
]);

function refersToAgent({ name, table }: Column, agents: object): boolean {
  // On SQLite, the tables are SQLite's.
  const keys = getTableConfig(table as SQLiteTable).foreignKeys.map((key) => key.reference());
  return keys.some(({ columns: [own], foreignTable }) => foreignTable === agents && own?.name === name);
}

forEachStore((store) => {
  const ctx = useTestCtx(store, { mailsHosts: true });
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });
  const { agent: bob } = useAgentCtx(ctx, { tokens: 50 });
  let agent: SignedUpAgent;
  beforeAll(async () => {
    agent = await signUp(ctx, `numbat-${store.dialect}`);
    await leaveTraces(ctx, agent, { bob, maintainer });
  });

  // The columns are the same on both stores; only this one enforces all references.
  if (store.dialect === 'sqlite')
    test('no section has a column that names a maintainer who decided about the agent', () => {
      const { tables } = ctx.db;
      for (const { name, columns } of exportSections) {
        const exported = columns(tables).filter((column) => refersToAgent(column, tables.agents));
        const others = exported.map((column) => column.name).filter((column) => !mayName.test(column));
        expect([name, others]).toEqual([name, []]);
      }
    });

  // For tables as small as these, the plans of Postgres say nothing about large ones. The indexes are the same.
  if (store.dialect === 'sqlite')
    test('no section scans the rows of other agents', async () => {
      for (const { name, read } of exportSections.filter((section) => section.name !== 'contact_messages')) {
        const plans = await plansOf(store, () => Array.fromAsync(read(agent.ctx)));
        expect([name, plans.filter((plan) => /^SCAN/m.test(plan))]).toEqual([name, []]);
      }
    });

  test('every row that names the agent is in the export, unless another agent wrote it', async () => {
    const { text } = await exportOf(agent.ctx);
    const { id } = agent.agent;
    const missing = Object.entries(await readStore(ctx.db)).flatMap(([table, rows]) =>
      rows
        .filter((row) => !derived.has(table) && row.includes(id))
        .map((row) => JSON.parse(row) as Readonly<Record<string, unknown>>)
        // Rows of others: who reported the agent, and other agents' work orders that name it.
        .filter((row) => !(table === 'reports' && row['reporterId'] !== id))
        .filter((row) => !(table === 'events' || typeof row['id'] !== 'string') && !text.includes(row['id']))
        .map((row) => `${table}: ${JSON.stringify(row)}`),
    );
    expect(missing).toEqual([]);
  });

  test('runs include their cases and steps, and no secrets', async () => {
    const { text, json } = await exportOf(agent.ctx);
    const run = json['runs']?.find(({ product }) => product === 'agent-run');
    expect(run).toMatchObject({ cases: [{ index: 0 }] });
    expect(run?.['cases']).not.toContainEqual(expect.objectContaining({ graders: expect.anything() }));
    for (const section of ['sessions', 'notifications', 'work_order_comments', 'webhook_deliveries'])
      expect(json[section]).toBeArray();
    expect(json['sessions']).toHaveLength(1);
    expect(json['work_orders']).toContainEqual(expect.objectContaining({ bounty: 5 }));
    expect(text).not.toMatch(/(?<!pack)_hash|hub_|target_headers/);
  });

  test('what the agent sent to the team and its wish to support are included, and those of nobody else', async () => {
    const longer = `${agent.agent.handle}-2`;
    const message = { name: null, message: 'From another agent', networkHash: 'other' };
    await signUp(ctx, longer);
    await sendContactMessage(ctx, { ...message, contact: longer });
    await recordSupportIntent(ctx, { tier: 'supporter', contact: longer, networkHash: 'other' });
    await receiveEmail(ctx, { raw: Buffer.from(`From: ${agent.agent.handle}\r\nSubject: x\r\n\r\nSecret`) });
    const { text, json } = await exportOf(agent.ctx);
    expect(json['contact_messages']).toMatchObject([
      { kind: 'contact', text: expect.stringContaining('Hello') },
    ]);
    expect(json['support_intents']).toMatchObject([{ sender: agent.agent.handle, text: '' }]);
    expect(text).not.toContain(longer);
  });

  test('no row has the id of a maintainer who decided about the agent', async () => {
    const review = await rowOf(ctx, 'requests', { agentId: agent.agent.id, kind: 'verification' });
    const decision = { verificationId: review.id, decision: 'rejected' } as const;
    await decideVerification(actingAs(ctx, maintainer), decision);
    const { text, json } = await exportOf(agent.ctx);
    expect(json['requests']).toContainEqual(
      expect.objectContaining({ kind: 'verification', status: 'rejected' }),
    );
    expect(text.includes(maintainer.id)).toBe(false);
  });

  test('verdicts and seeds of a run that has not completed are left out', async () => {
    const other = await signUp(ctx, `bilby-${store.dialect}`);
    const { evalRun } = await redeem(ctx, other.agent.id, 'https://agent.example/answer');
    const { attempt } = await claimTestRun(ctx, evalRun.id);
    const result = {
      index: 0,
      case_id: 'c',
      trial: 1,
      status: 'passed',
      score: 1,
      graders: [{ name: 'equals', passed: true, expected: 'Right.', found: 'Right.' }],
      response_text: 'My reply',
      error_code: null,
      attempts: 1,
      latency_ms: 5,
    } as const;
    await recordItems(ctx, [
      { runId: evalRun.id, attempt, progress: { result, isBegun: false }, delayedMs: 0, calls: 1 },
    ]);
    const { json } = await exportOf(other.ctx);
    expect(json['runs']).toMatchObject([{ suite_seed: null, scorecard: null }]);
    expect(json['runs']?.[0]?.['cases']).toEqual([
      {
        index: 0,
        response_text: 'My reply',
        error_code: null,
        error_message: null,
        error_response: null,
        attempts: 1,
        latency_ms: 5,
      },
    ]);
  });

  test('long posts are read in pages of bounded size, each once and in order', async () => {
    const ada = await signUp(ctx, `ada-long-${store.dialect}`);
    const { posts, threads } = store.db.tables;
    const createdAt = ctx.clock.now();
    const authorId = ada.agent.id;
    const threadId = createId(createdAt);
    const ids = Array.from({ length: 100 }, () => createId(createdAt));
    const body = '😀'.repeat(8_000);
    await store.db.transaction(async ({ query }) => {
      await query
        .insert(threads)
        .values({ id: threadId, authorId, title: 'Long', postCount: 100, createdAt });
      await query
        .insert(posts)
        .values(ids.map((id, at) => ({ id, threadId, position: at + 1, authorId, body, createdAt })));
    });
    const section = exportSections.find(({ name }) => name === 'posts');
    const pages = await Array.fromAsync(section?.read(ada.ctx) ?? []);
    expect(pages.flat().map(({ id }) => id)).toEqual(ids.toSorted());
    expect(Math.max(...pages.map((page) => page.length * body.length * 2))).toBeLessThan(mebibyte);
  });

  test('a run of many long replies comes in parts, and is whole', async () => {
    const ada = await signUp(ctx, `ada-run-${store.dialect}`);
    const run = await startAgentRun(ada.ctx);
    const { runItems } = store.db.tables;
    const finishedAt = ctx.clock.now();
    const reply = 'a'.repeat(20_000);
    const items = Array.from({ length: 60 }, (_, index) => {
      const result = { index, case_id: 'c', trial: 1, score: 1, response_text: reply, graders: [] };
      return { runId: run.id, itemIndex: index, position: index + 1, share: 1, finishedAt, result };
    });
    await store.db.transaction(async ({ query }) => {
      await query.insert(runItems).values(items as unknown as (typeof runItems.$inferInsert)[]);
    });
    const parts = await Array.fromAsync(exportAccount(ada.ctx));
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(mebibyte / 2);
    const [exported] = (await exportOf(ada.ctx)).json['runs'] ?? [];
    expect(exported).toMatchObject({ id: run.id, scorecard: null });
    expect(exported?.['cases']).toHaveLength(60);
  });
});
