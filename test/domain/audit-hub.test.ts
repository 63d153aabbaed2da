/** The audit reports nothing for a consistent hub, and finds every kind of corruption. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq, type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { withTransaction } from '#domain/context.ts';
import { claimRun } from '#domain/runs/hold-run.ts';
import { settleLockedRun, settleRun } from '#domain/runs/settle-run.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { sendMail } from '#domain/mail/send-mail.ts';
import { createId } from '#runtime/create-id.ts';
import { completeAgentRun, playNextTask, startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { jobRowOf, redeem, completedWith } from '#test/harness/eval-runs.ts';
import { claimTestEvents, createTestEvent } from '#test/harness/events.ts';
import { changeRowsIn, type Row, type TableName } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { targetAt } from '#test/harness/target.ts';
import { register, tell } from '#test/harness/webhooks.ts';
import { proposeAndEnd } from './work-orders/propose-and-end.ts';

const targetUrl = 'http://127.0.0.1:9/';

function runOnSqlite({ query }: Transaction, statement: SQL): void {
  (query as unknown as { run(statement: SQL): void }).run(statement);
}

/** A run in its second task, two ranked ones, and one that was refunded. */
async function leaveAgentRuns(ctx: TestCtx, agent: TestAgent): Promise<void> {
  const as = actingAs(ctx, agent);
  await playNextTask(as, await startAgentRun(as));
  for (let count = 0; count < 2; count += 1) {
    await completeAgentRun(as, { ranked: true });
  }
  await startAgentRun(as, { target: targetAt('https://agent.example/', { protocol: 'openai-chat' }) });
  const refunded = await startAgentRun(as);
  const why = { kind: 'failed', code: 'deadline_exceeded', message: 'For a test.' } as const;
  await withTransaction(ctx, (inner) => settleLockedRun(inner, refunded, why));
}

forEachStore((store) => {
  const ctx = useTestCtx(store);
  /**
   * A hub with data of every kind: open, completed and refunded runs, reserved and cancelled seats, a thread.
   */
  beforeAll(async () => {
    const agent = await createTestAgent(ctx, { tokens: 20, freeEvalTaken: true });
    await redeem(ctx, agent.id, targetUrl);
    // In pull mode: a run without a job.
    await redeem(ctx, agent.id, null);
    for (const outcome of [
      { kind: 'failed', code: 'internal', message: 'For a test.' } as const,
      completedWith(50),
    ]) {
      const { evalRun } = await redeem(ctx, agent.id, targetUrl);
      await claimRun(ctx, { runId: evalRun.id });
      const { id: jobId } = await jobRowOf(ctx, evalRun.id);
      expect(await settleRun(ctx, { runId: evalRun.id, attempt: 1, outcome, jobId })).toBe(true);
    }
    await withTransaction(ctx, (inner) =>
      sendMail(inner, { kind: 'notice', to: null, replyTo: null, subject: 'Audits', text: 'Who does them?' }),
    );
    await register(ctx, agent, targetUrl);
    await tell(ctx, agent);
    await startThread(actingAs(ctx, agent), { title: 'Audits', body: 'Who does them?' });
    for (const end of ['rejected', 'merged'] as const) {
      const [implementer, reviewer] = [await createTestAgent(ctx), await createTestAgent(ctx)];
      await proposeAndEnd(ctx, { proposer: agent, implementer, reviewer, bounty: 5, end });
    }
    const other = await createTestAgent(ctx, { tokens: 20 });
    await leaveAgentRuns(ctx, other);
    const { id: eventId } = await createTestEvent(ctx, { seatsTotal: 2 });
    await withTransaction(ctx, async (tx) => {
      const [event] = await claimTestEvents(tx, [eventId]);
      const reserve = (who: typeof agent) =>
        ({ kind: 'reserve-seat', agentId: who.id, agentHandle: who.handle, key: 'one' }) as const;
      const commands = [
        reserve(agent),
        reserve(other),
        { kind: 'cancel-seat', agentId: other.id, key: null } as const,
      ];
      await handleSeatCommands(tx, [
        { state: event!, messages: commands.map((command) => ({ id: createId(ctx.clock.now()), command })) },
      ]);
    });
  });

  async function checksWithDrift(db: Pick<Transaction, 'dialect' | 'tables' | 'query'>): Promise<string[]> {
    const results = await auditHub({ db: db as Transaction });
    return results.filter(({ drifts }) => drifts.length > 0).map(({ name }) => name);
  }

  test('a consistent hub has no drift in any check', async () => {
    expect(await checksWithDrift(store.db)).toEqual([]);
  });

  describe('finds corrupted', () => {
    type Bend = (tx: Transaction) => PromiseLike<unknown>;
    const set =
      <Name extends TableName>(
        name: Name,
        changes: Partial<Row<Name>>,
        values: Partial<Row<Name>> = {},
      ): Bend =>
      (tx) =>
        changeRowsIn(tx, name, values, changes);
    const bends: readonly (readonly [string, readonly string[], Bend])[] = [
      [
        'a balance',
        ['token_balances', 'token_lots'],
        ({ query, tables: { tokenAccounts: t } }) => query.update(t).set({ balance: sql`${t.balance} + 1` }),
      ],
      ['what is left in a lot', ['token_lots'], set('tokenLots', { remaining: 0 })],
      [
        'a lost entry',
        ['token_balances', 'token_sequences', 'bounty_payouts'],
        ({ query, tables: { tokenEntries: t } }) => query.delete(t).where(eq(t.kind, 'grant')),
      ],
      [
        'a lost charge',
        ['run_charges', 'seat_charges', 'bounty_charges'],
        set('tokenEntries', { reference: null }, { kind: 'spend' }),
      ],
      [
        'a lost refund',
        ['run_refunds', 'seat_refunds', 'bounty_refunds'],
        set('tokenEntries', { reference: null }, { kind: 'refund' }),
      ],
      [
        'a lost payout',
        ['bounty_payouts'],
        set('tokenEntries', { reference: null }, { source: 'implementer' }),
      ],
      [
        'the charge of a run that ended',
        ['run_states'],
        set('runs', { chargeState: 'held' }, { status: 'completed' }),
      ],
      [
        'the charge of an agent run',
        ['run_states'],
        set('runs', { chargeState: 'held' }, { status: 'failed' }),
      ],
      ['a score on the leaderboard', ['leaderboard_entries'], set('leaderboardEntries', { score: 50 })],
      [
        'a ranked run that the leaderboard does not count',
        ['leaderboard_entries'],
        set('leaderboardEntries', { runs: 1 }),
      ],
      [
        'a lost entry of the leaderboard',
        ['leaderboard_entries'],
        ({ query, tables: { leaderboardEntries: t } }) => query.delete(t),
      ],
      [
        'work without a job',
        ['run_work', 'mail_work', 'webhook_work'],
        set('jobs', { closedAt: new Date() }),
      ],
      ['the seats of an event', ['seats_taken'], set('events', { seatsTaken: 2 })],
      ['a waitlist', ['waitlists'], set('events', { waitlistCount: 2 })],
      ['a reputation', ['reputation'], set('agents', { reputationTotal: 99 })],
      [
        'a hidden thread',
        ['hidden_threads', 'moderated_reputation'],
        set('threads', { hiddenAt: new Date() }),
      ],
      ['a locked thread', ['locked_threads'], set('threads', { lockedAt: new Date() })],
      [
        'a suspension that left runs and seats',
        ['absent_agents'],
        set('agents', { suspendedAt: new Date('2100-01-01') }),
      ],
      [
        'a closed account with tokens',
        ['leaderboard_entries', 'closed_accounts'],
        set('agents', { closedAt: new Date(0) }),
      ],
      ['the posts of a thread', ['thread_posts'], set('threads', { postCount: 0 })],
      [
        'a seat at an unknown event',
        ['seats_taken', 'seat_events'],
        set('seats', { eventId: createId(new Date()) }, { status: 'reserved' }),
      ],
      [
        'a seat of an unknown agent',
        ['seat_agents'],
        set('seats', { agentId: createId(new Date()) }, { status: 'reserved' }),
      ],
      [
        'a ledger entry of an unknown agent',
        ['token_balances', 'token_sequences', 'token_entry_agents'],
        set('tokenEntries', { agentId: createId(new Date()) }, { source: 'implementer' }),
      ],
      [
        'an eval run of an unknown agent',
        ['leaderboard_entries', 'run_agents'],
        set('runs', { agentId: createId(new Date()) }),
      ],
      [
        'an eval run with the charge of another',
        ['run_charges', 'run_refunds'],
        ({ query, tables: { runs: t } }) => query.update(t).set({ redemptionId: sql`${t.id}` }),
      ],
    ];
    test.each(bends)('%s', async (_what, names, bend) => {
      const undo = new Error('undo');
      let found: string[] = [];
      const bent = store.db.transaction(async (tx) => {
        // Foreign keys are checked at the commit, which does not come.
        if (store.dialect === 'sqlite') runOnSqlite(tx, sql`pragma defer_foreign_keys = on`);
        await bend(tx);
        found = await checksWithDrift(tx);
        throw undo;
      });
      await expect(bent).rejects.toBe(undo);
      expect(found).toEqual([...names]);
    });
  });
});
