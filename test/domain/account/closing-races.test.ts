/**
 * An agent closes its account while two processes serve its other requests. Whatever comes first, nothing of its own is
 * left once the sweeper has run, and the totals add up.
 */
import { beforeAll, expect, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import { closeAccount, expireClosedBalances, startClosing } from '#domain/account/close-account.ts';
import { renameLeftSeats } from '#domain/account/leave-events.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { requestVerification } from '#domain/verification/request-verification.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { handle as handleSeats, handleInRace } from '#test/domain/events/run-commands.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { register } from '#test/harness/webhooks.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { bio, ownRowsWith } from './traces.ts';

const rounds = 6;
/** The possible outcomes of a request during or after the closing. */
const refusals =
  /^(ok|invalid_token|unknown_handle|challenge_expired|challenge_used|invalid_signature|insufficient_tokens|not_eligible)$/;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let bob: TestAgent;
  let order: { readonly id: string };
  beforeAll(async () => {
    const plain = createTestCtx(store.db);
    ctx = { ...plain, rules: { ...plain.rules, mailsHosts: true } };
    bob = await createTestAgent(ctx, { tokens: 50 });
    await register(ctx, bob, 'https://bob.example/hook');
    order = await proposeWorkOrder(actingAs(ctx, bob), { title: 'Of Bob', description: 'x' });
  });

  test('nothing of its own is left, whichever request comes first', async () => {
    const outcomes = new Set<string>();
    const texts: string[] = [];
    const ids: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const handle = `quokka-${store.dialect}-${round}`;
      const { agent, key, ctx: own } = await signUp(ctx, handle);
      const asked = await startClosing(own);
      const signature = key.sign(asked.challenge.challenge);
      const login = await startLogin(ctx, { handle });
      const bobs = await startThread(actingAs(ctx, bob), { title: 'Of Bob', body: 'Hello' });
      const event = await createTestEvent(ctx, { kind: 'office_hours', tokenPrice: 0 });
      const site = `https://${handle}.example`;
      const seat = { kind: 'reserve-seat', agentId: agent.id, agentHandle: handle, key: 'k' } as const;
      const acts: readonly ((at: TestCtx) => Promise<unknown>)[] = [
        (at) => updateProfile({ ...own, db: at.db }, { bio, site }),
        (at) => register(at, { ...agent, tokenId: own.agent.tokenId, bearerToken: '' }, `${site}/hook`),
        (at) => closeAccount({ ...own, db: at.db }, signature),
        (at) => postReply({ ...own, db: at.db }, { threadId: bobs.id, body: 'A reply' }),
        (at) => redeem(at, agent.id, `${site}/answer`),
        (at) => startAgentRun({ ...own, db: at.db }),
        (at) => startThread({ ...own, db: at.db }, { title: 'Own', body: 'Opening' }),
        (at) => verifyChallenge(at, { handle, signature: key.sign(login.challenge) }),
        (at) => createSignInLink({ ...own, db: at.db }),
        (at) => commentOnWorkOrder({ ...own, db: at.db }, { workOrderId: order.id, body: 'A comment' }),
        (at) => handleInRace(at, event.id, seat),
        (at) => requestVerification({ ...own, db: at.db }, { statement: `I am ${handle}` }),
      ];
      // Each round begins with another request.
      const turned = [...acts.slice(round * 2), ...acts.slice(0, round * 2)];
      const started = race<unknown>(ctx, turned.length, (at, index) => turned[index]!(at).then(() => 'ok'));
      for (const outcome of await Promise.allSettled(started)) {
        const { code, message } =
          outcome.status === 'fulfilled' ? { code: 'ok', message: '' } : outcome.reason;
        outcomes.add(String(code ?? message));
      }
      ids.push(agent.id);
      texts.push(handle, agent.did, key.publicKey, bio);
    }
    expect([...outcomes].filter((outcome) => !refusals.test(outcome))).toEqual([]);
    await endRunsOfAbsentAgents(ctx);
    for (const { eventId, agentId } of await findSeatsToGiveBack(ctx, null))
      await handleSeats(ctx, eventId, { kind: 'withdraw-agent', agentId });
    await renameLeftSeats(ctx);
    await expireClosedBalances(ctx);
    expect(await ownRowsWith(ctx, ids, texts)).toEqual([]);
    const { seats } = ctx.db.tables;
    const held = await ctx.db.query.select().from(seats).where(inArray(seats.agentId, ids));
    expect(new Set(held.map(({ agentHandle }) => agentHandle))).toEqual(new Set(['closed-agent']));
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });
});
