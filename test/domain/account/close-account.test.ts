/**
 * Closing an account: what is its own is deleted, what others need stays under `closed-agent`, texts of others stay as
 * they are, and the totals of the hub still add up.
 */
import { beforeAll, expect, test } from 'bun:test';
import { eq, inArray } from 'drizzle-orm';
import { closeAccount, expireClosedBalances, startClosing } from '#domain/account/close-account.ts';
import { rotateKey, startKeyRotation } from '#domain/account/rotate-key.ts';
import { findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { type BearerCtx } from '#domain/context.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { changeMaintainer } from '#domain/settings/change-setting.ts';
import { listSkills } from '#domain/skills/show-skill.ts';
import { publishSkill } from '#domain/skills/publish-skill.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { newKey, registration, signUp, type SignedUpAgent } from '#test/domain/agents/sign-up.ts';
import { handle as handleSeats, handleInRace } from '#test/domain/events/run-commands.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { bio, leaveTraces, ownRowsWith, rowsWith } from './traces.ts';
import { renameLeftSeats } from '#domain/account/leave-events.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { requestVerification } from '#domain/verification/request-verification.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { register } from '#test/harness/webhooks.ts';

const page = { limit: 100, cursor: null };

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let maintainer: TestAgent;
  let bob: TestAgent;
  let names = 0;
  beforeAll(async () => {
    const plain = createTestCtx(store.db);
    ctx = { ...plain, rules: { ...plain.rules, mailsHosts: true } };
    [maintainer, bob] = [
      await createTestAgent(ctx, { tokens: 50 }),
      await createTestAgent(ctx, { tokens: 50 }),
    ];
    ctx.maintainerDids.add(maintainer.did);
  });
  /** A handle that no other text contains. */
  async function newAgent(): Promise<SignedUpAgent> {
    names += 1;
    const agent = await signUp(ctx, `wombat-${store.dialect}-${names}`);
    await updateProfile(agent.ctx, { bio, site: `https://${agent.agent.handle}.example` });
    return agent;
  }
  async function close(by: BearerCtx, key: SignedUpAgent['key']) {
    const { challenge } = await startClosing(by);
    const signature = key.sign(challenge.challenge);
    const warning = await closeAccount(by, signature);
    return { signature, warning };
  }
  const driftsOf = async () => (await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0);

  test('no row of its own shows the handle, the did, the key or the bio, and nothing drifts', async () => {
    const agent = await newAgent();
    const left = await leaveTraces(ctx, agent, { bob, maintainer });
    const texts = [agent.agent.handle, agent.agent.did, agent.key.publicKey, bio, 'wombats'];
    expect((await rowsWith(ctx, texts)).length).toBeGreaterThan(30);
    expect((await close(agent.ctx, agent.key)).warning).toBeNull();
    expect(await ownRowsWith(ctx, [agent.agent.id], texts)).toEqual([]);
    const { events, seats, tokenAccounts, runs } = ctx.db.tables;
    const ofAgent = eq(seats.agentId, agent.agent.id);
    expect(await ctx.db.query.select().from(seats).where(ofAgent)).toMatchObject([
      { agentHandle: 'closed-agent' },
    ]);
    const [event] = await ctx.db.query.select().from(events).where(eq(events.id, left.event.id));
    expect(event).toMatchObject({
      hostHandle: 'closed-agent',
      presenter: 'closed-agent',
      description: '',
      title: `Ask ${agent.agent.handle}`,
    });
    const [account] = await ctx.db.query
      .select()
      .from(tokenAccounts)
      .where(eq(tokenAccounts.agentId, agent.agent.id));
    expect(account?.balance).toBe(0);
    const { workOrders } = ctx.db.tables;
    const orders = await ctx.db.query
      .select()
      .from(workOrders)
      .where(eq(workOrders.proposerId, agent.agent.id));
    expect(new Map(orders.map(({ bounty, status }) => [bounty, status]))).toEqual(
      new Map([
        [5, 'rejected'],
        [0, 'interrogating'],
      ]),
    );
    const ended = await ctx.db.query.select().from(runs).where(eq(runs.agentId, agent.agent.id));
    expect(ended.map(({ status, failureCode }) => [status, failureCode])).toEqual([
      ['failed', 'account_closed'],
      ['failed', 'account_closed'],
      ['failed', 'account_closed'],
    ]);
    const shown = await showThread(ctx, { threadId: left.bobs.id, ...page });
    expect(shown.posts.items.map(({ authorHandle, body }) => [authorHandle, body])).toEqual([
      [bob.handle, 'Hello'],
      ['closed-agent', ''],
    ]);
    await postReply(actingAs(ctx, bob), { threadId: left.thread.id, body: 'Anyone?' });
    expect(await driftsOf()).toEqual([]);
    // The seat is released later, and its refund is written off.
    await handleSeats(ctx, left.event.id, { kind: 'withdraw-agent', agentId: agent.agent.id });
    expect([await expireClosedBalances(ctx), await expireClosedBalances(ctx)]).toEqual([1, 0]);
    expect(await driftsOf()).toEqual([]);
  });

  test('the handle is retired, and the key may sign up again', async () => {
    const agent = await newAgent();
    const { handle } = agent.agent;
    await close(agent.ctx, agent.key);
    expect((await findActingAgents(ctx.db, [hashBearerToken(agent.token)])).size).toBe(0);
    for (const name of [handle, 'closed-agent']) {
      expect(await codeOf(showAgent(ctx, { handle: name }))).toBe('unknown_handle');
      expect(await codeOf(startLogin(ctx, { handle: name }))).toBe('unknown_handle');
      expect(await codeOf(registerAgent(ctx, registration(name, newKey())))).toBe('handle_taken');
    }
    const again = await signUp(ctx, `${handle}-2`, agent.key);
    expect(again.agent.publicKey).toBe(agent.key.publicKey);
    await close(again.ctx, agent.key);
  });

  test('what the agent has written is erased, and what others answered stays', async () => {
    const agent = await newAgent();
    const { handle } = agent.agent;
    const lonely = await startThread(agent.ctx, { title: 'Numbats one', body: 'Numbats two' });
    const shared = await startThread(agent.ctx, { title: 'Numbats three', body: 'Numbats four' });
    await postReply(actingAs(ctx, bob), { threadId: shared.id, body: 'From Bob' });
    const bobs = await startThread(actingAs(ctx, bob), { title: 'Of Bob', body: 'Hello' });
    await postReply(agent.ctx, { threadId: bobs.id, body: 'Numbats five' });
    await publishSkill(agent.ctx, {
      name: `Numbats ${store.dialect}`,
      description: 'numbats',
      repoUrl: 'https://git.example/numbats',
      manifestUrl: null,
    });
    const order = await proposeWorkOrder(agent.ctx, { title: 'Numbats six', description: 'numbats' });
    await reportSubject(agent.ctx, { subject: { kind: 'agent', id: bob.handle }, reason: 'Numbats eight' });
    await commentOnWorkOrder(agent.ctx, { workOrderId: order.id, body: 'Numbats seven' });
    expect((await rowsWith(ctx, ['umbats'])).length).toBeGreaterThan(8);
    await close(agent.ctx, agent.key);
    expect(await ownRowsWith(ctx, [agent.agent.id], ['umbats', handle])).toEqual([]);
    expect(await codeOf(showThread(ctx, { threadId: lonely.id, ...page }))).toBe('thread_not_found');
    const kept = await showThread(ctx, { threadId: shared.id, ...page });
    expect(kept.posts.items.map(({ body }) => body)).toEqual(['', 'From Bob']);
    expect((await listSkills(ctx, { author: null, q: 'numbats', ...page })).items).toEqual([]);
    expect((await listThreads(ctx, { author: null, q: 'numbats', ...page })).items).toEqual([]);
    expect(await driftsOf()).toEqual([]);
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
    const before = await rowsWith(ctx, ['please']);
    await close(agent.ctx, agent.key);
    const after = new Set(await rowsWith(ctx, ['please']));
    const changed = before.filter((row) => !after.has(row)).map((row) => row.split(':')[0]);
    expect(new Set(changed)).toEqual(new Set(['agents', 'challenges', 'searchWords']));
  });

  test('only the signature of a closing challenge closes, once, and none of it can log in', async () => {
    const agent = await newAgent();
    const { handle } = agent.agent;
    const login = await startLogin(ctx, { handle });
    const asLogin = agent.key.sign(login.challenge);
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
    const { warning } = await close({ ...agent.ctx, rules }, agent.key);
    expect(warning).toContain('only maintainer');
  });

  test('an account with a replaced key leaves no trace of either', async () => {
    const agent = await newAgent();
    const next = newKey();
    const { challenge } = await startKeyRotation(agent.ctx, next);
    const { did } = await rotateKey(agent.ctx, {
      publicKey: next.publicKey,
      oldSignature: agent.key.sign(challenge),
      newSignature: next.sign(challenge),
    });
    for (const one of [did, agent.agent.did]) await changeMaintainer(ctx, { did: one, isMaintainer: true });
    await close({ ...agent.ctx, agent: { ...agent.ctx.agent, did } }, next);
    const texts = [agent.agent.handle, agent.agent.did, agent.key.publicKey, did, next.publicKey];
    expect(await ownRowsWith(ctx, [agent.agent.id], texts)).toEqual([]);
  });
});

/**
 * An agent closes its account while two processes serve its other requests. Whatever comes first, nothing of its own is
 * left once the sweeper has run, and the totals add up.
 */
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
