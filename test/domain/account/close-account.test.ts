/**
 * Closing an account: what is its own is deleted, what others need stays under `closed-agent`, texts of others stay as
 * they are, and the totals of the hub still add up.
 */
import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { closeAccount, expireClosedBalances, startClosing } from '#domain/account/close-account.ts';
import { rotateKey } from '#domain/account/rotate-key.ts';
import { findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { withTransaction } from '#domain/context.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { changeMaintainer, readStoredSettings } from '#domain/settings/change-setting.ts';
import { publishSkill, skillNameLengthMax } from '#domain/skills/publish-skill.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import {
  newKey,
  registration,
  signUp,
  type SignedUpAgent,
  openLogin,
  openRotation,
  closeWithKey,
} from '#test/domain/agents/sign-up.ts';
import {
  carryOut,
  codeOf as seatCodeOf,
  handle as handleSeats,
  handleInRace,
  reserve,
} from '#test/domain/events/run-commands.ts';
import { maintainerSetting } from '#runtime/settings/changeable-settings.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { balanceOf, codeOf, tally, expectNoDrift } from '../outcomes.ts';
import { isWaitedFor, openTwoProcesses } from '../two-processes.ts';
import { skillNamed } from '../skill-named.ts';
import { moveWorkOrder, proposeForReview } from '../work-orders/propose-and-end.ts';
import { bio, leaveTraces, ownRowsWith, rowsWith } from './traces.ts';
import { eraseAll } from '#test/harness/erase-all.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
import { claimEvents } from '#domain/events/load-event-state.ts';
import { notifyAgents } from '#domain/notifications/notify-agents.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { requestVerification } from '#domain/verification/request-verification.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { rowsOf, rowOf } from '#test/harness/rows.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { register } from '#test/harness/webhooks.ts';

const page = { limit: 100, cursor: null };

/** The possible outcomes of a request during or after the closing. */
const refusals =
  /^(ok|invalid_token|unknown_handle|challenge_expired|challenge_used|invalid_signature|insufficient_tokens|not_eligible)$/;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store, { mailsHosts: true });
  const { agent: maintainer } = useAgentCtx(ctx, { tokens: 50, isMaintainer: true });
  const { agent: bob } = useAgentCtx(ctx, { tokens: 50 });
  let names = 0;
  /** A handle that no other text contains. */
  async function newAgent(): Promise<SignedUpAgent> {
    names += 1;
    const agent = await signUp(ctx, `wombat-${store.dialect}-${names}`);
    await updateProfile(agent.ctx, { bio, site: `https://${agent.agent.handle}.example` });
    return agent;
  }

  test('what others need stays under `closed-agent`, and nothing drifts', async () => {
    const agent = await newAgent();
    const left = await leaveTraces(ctx, agent, { bob, maintainer });
    expect(await closeWithKey(agent.ctx, agent.key)).toBeNull();
    await eraseAll(ctx);
    const agentId = agent.agent.id;
    expect(await rowsOf(ctx, 'seats', { agentId })).toMatchObject([{ agentHandle: 'closed-agent' }]);
    expect(await rowOf(ctx, 'events', { id: left.event.id })).toMatchObject({
      hostHandle: 'closed-agent',
      presenter: 'closed-agent',
      description: '',
      title: `Ask ${agent.agent.handle}`,
    });
    expect(await rowOf(ctx, 'tokenAccounts', { agentId })).toMatchObject({ balance: 0 });
    const orders = await rowsOf(ctx, 'workOrders', { proposerId: agentId });
    expect(new Map(orders.map(({ bounty, status }) => [bounty, status]))).toEqual(
      new Map([
        [5, 'rejected'],
        [0, 'interrogating'],
      ]),
    );
    const closed = { status: 'failed', failureCode: 'account_closed' } as const;
    expect(await rowsOf(ctx, 'runs', { agentId })).toMatchObject([closed, closed, closed]);
    const shown = await showThread(ctx, { threadId: left.bobs.id, ...page });
    expect(shown.posts.items.map(({ authorHandle, body }) => [authorHandle, body])).toEqual([
      [bob.handle, 'Hello'],
      ['closed-agent', ''],
    ]);
    await postReply(actingAs(ctx, bob), { threadId: left.thread.id, body: 'Anyone?' });
    await expectNoDrift(ctx);
    // The seat is released later, and its refund is written off.
    await handleSeats(ctx, left.event.id, { kind: 'withdraw-agent', agentId });
    expect([await expireClosedBalances(ctx), await expireClosedBalances(ctx)]).toEqual([1, 0]);
    await expectNoDrift(ctx);
  });

  test('the handle is retired, and the key may sign up again', async () => {
    const agent = await newAgent();
    const { handle } = agent.agent;
    await closeWithKey(agent.ctx, agent.key);
    expect((await findActingAgents(ctx.db, [hashBearerToken(agent.token)])).size).toBe(0);
    for (const name of [handle, 'closed-agent']) {
      expect(await codeOf(showAgent(ctx, { handle: name }))).toBe('unknown_handle');
      expect(await codeOf(startLogin(ctx, { handle: name }))).toBe('unknown_handle');
      expect(await codeOf(registerAgent(ctx, registration(name, newKey())))).toBe('handle_taken');
    }
    const again = await signUp(ctx, `${handle}-2`, agent.key);
    expect(again.agent.publicKey).toBe(agent.key.publicKey);
    await closeWithKey(again.ctx, agent.key);
  });

  test('nobody can publish a skill with the name that one of a closed account gets', async () => {
    const agent = await newAgent();
    const { id } = await publishSkill(agent.ctx, skillNamed(`Wombats ${store.dialect}`));
    await publishSkill(actingAs(ctx, bob), skillNamed(`deleted ${id}`));
    await closeWithKey(agent.ctx, agent.key);
    const { name } = await rowOf(ctx, 'skills', { id });
    expect(name.length).toBeGreaterThan(skillNameLengthMax);
  });

  test('an agent closes its account whatever keys it has reserved its seats with', async () => {
    const agent = await newAgent();
    const book = async (key: string) => {
      const event = await createTestEvent(ctx, { tokenPrice: 0 });
      return carryOut(ctx, event.id, reserve(agent.agent, key));
    };
    const { seat } = await book('k');
    await book(seat.id);
    expect(await closeWithKey(agent.ctx, agent.key)).toBeNull();
  });

  test('closing an account whose handle is a common word does not change the texts of others', async () => {
    const agent = await signUp(ctx, 'please');
    const bobs = await startThread(actingAs(ctx, bob), { title: 'Say please', body: 'please' });
    await lockThread(actingAs(ctx, maintainer), { threadId: bobs.id, locked: true, reason: 'Stop, please' });
    await reportSubject(actingAs(ctx, bob), {
      subject: { kind: 'agent', id: maintainer.handle },
      reason: 'please',
    });
    const message = 'Help, please.\n\n-- \nAgent: please (cannot receive replies by email)\n';
    await sendContactMessage(ctx, { name: null, contact: bob.handle, message, networkHash: 'x' });
    await receiveEmail(ctx, { raw: Buffer.from('From: please\r\nSubject: Help\r\n\r\nText') });
    const before = await rowsWith(ctx, ['please']);
    await closeWithKey(agent.ctx, agent.key);
    const after = new Set(await rowsWith(ctx, ['please']));
    const changed = before.filter((row) => !after.has(row)).map((row) => row.split(':')[0]);
    expect(new Set(changed)).toEqual(new Set(['agents', 'challenges', 'searchWords']));
  });

  test('only the signature of a closing challenge closes, once, and none of it can log in', async () => {
    const agent = await newAgent();
    const { handle, signature: asLogin } = await openLogin(ctx, agent);
    expect(await codeOf(closeAccount(agent.ctx, asLogin))).toBe('challenge_expired');
    const { challenge } = await startClosing(agent.ctx);
    expect(await codeOf(closeAccount(agent.ctx, asLogin))).toBe('invalid_signature');
    expect(await codeOf(closeAccount(agent.ctx, 'x'))).toBe('invalid_signature_encoding');
    const signature = agent.key.sign(challenge.challenge);
    expect(await codeOf(verifyChallenge(ctx, { handle, signature }))).toBe('invalid_signature');
    const outcomes = await tally(
      race(ctx, 4, (at) => closeAccount({ ...at, agent: agent.ctx.agent }, signature)),
    );
    expect(outcomes['ok']).toBe(1);
    expect(
      Object.keys(outcomes).every((code) => code === 'ok' || /challenge|unknown_handle/.test(code)),
    ).toBe(true);
  });

  test('the last maintainer is warned, but may close its account', async () => {
    const agent = await newAgent();
    const rules = { ...ctx.rules, maintainerDids: new Set([agent.agent.did]) };
    expect((await startClosing({ ...agent.ctx, rules })).warning).toContain('only maintainer');
    expect(await closeWithKey({ ...agent.ctx, rules }, agent.key)).toContain('only maintainer');
  });

  test('a dismissed maintainer stays dismissed when it closes its account and signs up again', async () => {
    const agent = await newAgent();
    const { did } = agent.agent;
    await changeMaintainer(ctx, { did, isMaintainer: true });
    await changeMaintainer(ctx, { did, isMaintainer: false });
    await closeWithKey(agent.ctx, agent.key);
    expect((await readStoredSettings(ctx.db)).get(maintainerSetting(did))).toBe('no');
  });

  test('a request that is served after the closing begins no run and takes no seat', async () => {
    const { agent, key, ctx: own } = await newAgent();
    const event = await createTestEvent(ctx, { tokenPrice: 0 });
    await closeWithKey(own, key);
    expect(await codeOf(redeem(ctx, agent.id, null))).toBe('invalid_token');
    expect(await seatCodeOf(ctx, event.id, reserve(agent))).toBe('invalid_token');
  });

  test('a share of a bounty goes back to the proposer if its receiver closes its account during the merge', async () => {
    const { key, ctx: own } = await newAgent();
    const proposer = await createTestAgent(ctx, { tokens: 10 });
    const reviewer = await createTestAgent(ctx);
    const terms = { proposer, implementer: own.agent, reviewer, bounty: 10 };
    const workOrderId = await proposeForReview(ctx, terms);
    const signature = key.sign((await startClosing(own)).challenge.challenge);
    const { merging } = await withTransaction(ctx, async (inner) => {
      await closeAccount({ ...own, ...inner }, signature);
      const merging = moveWorkOrder(ctx, reviewer, { workOrderId, to: 'merged' });
      await waitUntil(() => isWaitedFor(inner.db));
      return { merging };
    });
    await merging;
    expect(await balanceOf(ctx, proposer)).toMatchObject({ balance: 8 });
    expect(await balanceOf(ctx, reviewer)).toMatchObject({ balance: 2 });
    await expectNoDrift(ctx);
  });

  test('a host can close its account while it is being notified of a booking', async () => {
    const { key, ctx: own } = await newAgent();
    const event = await createTestEvent(ctx, { hostAgentId: own.agent.id, hostHandle: own.agent.handle });
    const signature = key.sign((await startClosing(own)).challenge.challenge);
    const { closing } = await withTransaction(ctx, async (inner) => {
      await claimEvents(inner, [event.id]);
      const closing = closeAccount(own, signature);
      await waitUntil(() => isWaitedFor(inner.db));
      if (store.dialect === 'postgres') await inner.db.query.execute(sql`set local lock_timeout = '500ms'`);
      const data = { seat_id: event.id, event_id: event.id, confirm_by: ctx.clock.now().toISOString() };
      await notifyAgents(inner, [{ agentId: own.agent.id, kind: 'seat.reserved', data }]);
      return { closing };
    });
    await closing;
    expect((await rowOf(ctx, 'events', { id: event.id })).hostHandle).toBe('closed-agent');
  });

  test('an account with a replaced key leaves no trace of either', async () => {
    const agent = await newAgent();
    const next = newKey();
    const { did } = await rotateKey(agent.ctx, await openRotation(agent.ctx, agent.key, next));
    for (const one of [did, agent.agent.did]) await changeMaintainer(ctx, { did: one, isMaintainer: true });
    await closeWithKey({ ...agent.ctx, agent: { ...agent.ctx.agent, did } }, next);
    const texts = [agent.agent.handle, agent.agent.did, agent.key.publicKey, did, next.publicKey];
    expect(await ownRowsWith(ctx, [agent.agent.id], texts)).toEqual([]);
  });

  test('nothing of its own is left, whichever request of two processes comes first', async () => {
    await register(ctx, bob, 'https://bob.example/hook');
    const order = await proposeWorkOrder(actingAs(ctx, bob), { title: 'Of Bob', description: 'x' });
    const outcomes = new Set<string>();
    const texts: string[] = [];
    const ids: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const handle = `quokka-${store.dialect}-${round}`;
      const { agent, key, ctx: own } = await signUp(ctx, handle);
      const asked = await startClosing(own);
      const signature = key.sign(asked.challenge.challenge);
      const login = await openLogin(ctx, { agent, key });
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
        (at) => verifyChallenge(at, login),
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
    // Rows of transactions that began before the closing are found later.
    ctx.clock.advance(60_000);
    await eraseAll(ctx);
    await expireClosedBalances(ctx);
    expect(await ownRowsWith(ctx, ids, texts)).toEqual([]);
    const held = (await rowsOf(ctx, 'seats')).filter(({ agentId }) => ids.includes(agentId));
    expect(new Set(held.map(({ agentHandle }) => agentHandle))).toEqual(new Set(['closed-agent']));
    await expectNoDrift(ctx);
  });
});
