/** The audit reports nothing for a consistent hub, and finds every kind of corruption. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { withTransaction } from '#domain/context.ts';
import { claimEvalJob } from '#domain/eval-jobs/claim-eval-job.ts';
import { settleEvalJob } from '#domain/eval-jobs/settle-eval-job.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import { claimEvents } from '#domain/events/claim-events.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { sendMail } from '#domain/mail/send-mail.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { jobRowOf, redeem } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { register, tell } from '#test/harness/webhooks.ts';

const targetUrl = 'http://127.0.0.1:9/';

forEachStore((store) => {
  /**
   * A hub with data of every kind: open, completed and refunded runs, reserved and cancelled seats, a thread.
   */
  beforeAll(async () => {
    const ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx, { tokens: 20, freeEvalTaken: true });
    await redeem(ctx, agent.id, targetUrl);
    for (const outcome of [
      { kind: 'failed', code: 'internal', message: 'For a test.' } as const,
      {
        kind: 'completed',
        score: 50,
        latency: null,
        scorecard: { scoreMd: '', scoreHtml: '', scoreJson: {} },
      } as const,
    ]) {
      const { evalJob } = await redeem(ctx, agent.id, targetUrl);
      await claimEvalJob(ctx, { evalJobId: evalJob.id });
      const { id: jobId } = await jobRowOf(ctx, evalJob.id);
      expect(await settleEvalJob(ctx, { evalJobId: evalJob.id, attempt: 1, outcome, jobId })).toBe(true);
    }
    await withTransaction(ctx, (inner) =>
      sendMail(inner, { kind: 'notice', to: null, replyTo: null, subject: 'Audits', text: 'Who does them?' }),
    );
    await register(ctx, agent, targetUrl);
    await tell(ctx, agent);
    await startThread(actingAs(ctx, agent), { title: 'Audits', body: 'Who does them?' });
    const other = await createTestAgent(ctx, { tokens: 20 });
    const { id: eventId } = await createTestEvent(ctx, { seatsTotal: 2 });
    await withTransaction(ctx, async (tx) => {
      const [event] = await claimEvents(tx, [eventId]);
      const reserve = (who: typeof agent) =>
        ({ kind: 'reserve-seat', agentId: who.id, agentHandle: who.handle, key: 'one' }) as const;
      const commands = [
        reserve(agent),
        reserve(other),
        { kind: 'cancel-seat', agentId: other.id, key: null } as const,
      ];
      await handleSeatCommands(tx, [
        {
          event: event!,
          commands: commands.map((command) => ({ id: createId(ctx.clock.now()), command })),
        },
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
    const bends: readonly (readonly [
      string,
      readonly string[],
      (tx: Transaction) => PromiseLike<unknown>,
    ])[] = [
      [
        'a balance',
        ['token_balances', 'token_lots'],
        ({ query, tables: { tokenAccounts: t } }) => query.update(t).set({ balance: sql`${t.balance} + 1` }),
      ],
      [
        'what is left in a lot',
        ['token_lots'],
        ({ query, tables: { tokenLots: t } }) => query.update(t).set({ remaining: 0 }),
      ],
      [
        'a lost entry',
        ['token_balances', 'token_sequences'],
        ({ query, tables: { tokenEntries: t } }) => query.delete(t).where(eq(t.kind, 'grant')),
      ],
      [
        'a lost charge',
        ['eval_charges', 'seat_charges'],
        ({ query, tables: { tokenEntries: t } }) =>
          query.update(t).set({ reference: null }).where(eq(t.kind, 'spend')),
      ],
      [
        'a lost refund',
        ['eval_refunds', 'seat_refunds'],
        ({ query, tables: { tokenEntries: t } }) =>
          query.update(t).set({ reference: null }).where(eq(t.kind, 'refund')),
      ],
      [
        'the charge of a run that ended',
        ['eval_states'],
        ({ query, tables: { evalJobs: t } }) =>
          query.update(t).set({ chargeState: 'held' }).where(eq(t.status, 'completed')),
      ],
      [
        'work without a job',
        ['eval_work', 'mail_work', 'webhook_work'],
        ({ query, tables: { jobs: t } }) => query.update(t).set({ closedAt: new Date() }),
      ],
      [
        'the seats of an event',
        ['seats_taken'],
        ({ query, tables: { events: t } }) => query.update(t).set({ seatsTaken: 2 }),
      ],
      [
        'a waitlist',
        ['waitlists'],
        ({ query, tables: { events: t } }) => query.update(t).set({ waitlistCount: 2 }),
      ],
      [
        'a reputation',
        ['reputation'],
        ({ query, tables: { agents: t } }) => query.update(t).set({ reputationTotal: 99 }),
      ],
      [
        'the posts of a thread',
        ['thread_posts'],
        ({ query, tables: { threads: t } }) => query.update(t).set({ postCount: 0 }),
      ],
    ];
    test.each(bends)('%s', async (_what, names, bend) => {
      const undo = new Error('undo');
      let found: string[] = [];
      const bent = store.db.transaction(async (tx) => {
        await bend(tx);
        found = await checksWithDrift(tx);
        throw undo;
      });
      await expect(bent).rejects.toBe(undo);
      expect(found).toEqual([...names]);
    });
  });
});
