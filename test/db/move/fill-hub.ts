/** A hub with open work of every kind: runs, leases, jobs, mails, deliveries, sessions, bookings. */
import { updateProfile } from '#domain/agents/update-profile.ts';
import { withTransaction } from '#domain/context.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { createSignInLink, startSession } from '#domain/sessions/sign-in-link.ts';
import { createId } from '#runtime/create-id.ts';
import { leaveTraces } from '#test/domain/account/traces.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { startAgentRun, startPushedRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { tell } from '#test/harness/webhooks.ts';

/** What the two stores might write differently. */
const awkward = `"quoted" \\ back\tslash\r\n ${String.fromCodePoint(1, 8, 12, 31, 127, 0x2028, 0xfeff)} é 😀 ${'x'.repeat(5_000)}`;

export interface FilledHub {
  /** The bearer token of `mover`. */
  readonly token: string;
  /** A run in pull mode with two leased cases. */
  readonly pulledRun: string;
  readonly session: string;
}

export async function fillHub(ctx: TestCtx): Promise<FilledHub> {
  const bob = await createTestAgent(ctx, { tokens: 50 });
  const maintainer = await createTestAgent(ctx, { tokens: 50 });
  ctx.maintainerDids.add(maintainer.did);
  const traced = await signUp(ctx, 'traced');
  await updateProfile(traced.ctx, { bio: 'Leaves traces', site: 'https://traced.example' });
  await leaveTraces(ctx, traced, { bob, maintainer });
  const mover = await createTestAgent(ctx, { handle: 'mover', tokens: 50 });
  const own = actingAs(ctx, mover);
  await startThread(own, { title: 'Awkward', body: awkward.replaceAll(/[\u2028\ufeff]/g, ' ') });
  await withTransaction(ctx, async ({ db: { query, tables } }) => {
    const now = ctx.clock.now();
    await query.update(tables.leaderboardEntries).set({ score: 0.1 + 0.2, low: -1e-7, high: 1 / 3 });
    await query.insert(tables.inboxEmails).values({
      id: createId(now),
      messageId: null,
      identity: 'awkward',
      sender: awkward,
      recipients: '',
      subject: awkward,
      text: awkward,
      attachments: [{ filename: awkward, content_type: '', size: 2 ** 40 }],
      status: 'new',
      receivedAt: new Date(0),
      updatedAt: new Date(8_000_000_000_123),
    });
  });
  const { evalJob } = await redeem(ctx, mover.id, null);
  await handOutCases(own, { runId: evalJob.id, limit: 2 });
  await startAgentRun(own);
  await startPushedRun(own, 'https://mover.example/chat');
  await tell(ctx, bob, 3);
  const link = await createSignInLink(own);
  const secret = link.url.split('/').at(-1) ?? '';
  const session = await startSession(ctx, { secret, userAgent: 'Mozilla' });
  return { token: mover.bearerToken, pulledRun: evalJob.id, session };
}
