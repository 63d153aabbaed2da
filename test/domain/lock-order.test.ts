/**
 * Verbs on the same agents at the same time never deadlock, because all lock in the order that `lockRows` states.
 * Postgres ends a deadlock by rolling one transaction back, and the hub runs that one again: the only reason why it runs
 * one twice.
 */
import { expect, test } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { closeAccount, startClosing } from '#domain/account/close-account.ts';
import { openLoginsMax } from '#domain/agents/agent-limits.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import type { Ctx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { deleteSkill, publishSkill } from '#domain/skills/publish-skill.ts';
import { deleteSuite, updateSuite } from '#domain/suites/change-suite.ts';
import { createSupporter } from '#domain/supporters/create-supporter.ts';
import { grantDueAllowances } from '#domain/tokens/grant-due-allowances.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import { decideRequest, requestTokens } from '#domain/tokens/requests/request-tokens.ts';
import { requestVerification } from '#domain/verification/request-verification.ts';
import { createWebhook } from '#domain/webhooks/create-webhook.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { openLogin, signUp } from './agents/sign-up.ts';
import { cancel, handleInRace, reserve, wait } from './events/run-commands.ts';
import { skillNamed } from './skill-named.ts';
import { useOtherProcess } from './two-processes.ts';
import { moveWorkOrder, proposeForReview } from './work-orders/propose-and-end.ts';

const reason = 'x';
const orderText = { title: 'x', description: 'x' };
const post = { title: 'x', body: 'x' };

type Call = (at: Ctx) => Promise<unknown>;

const rounds = 2;
const suiteRounds = 4;

onStore('postgres', (store) => {
  const other = useOtherProcess(store);
  const ctx = useTestCtx(store, { allowance: { tokens: 1, periodMs: 60_000 } });
  const { agent: maintainer } = useAgentCtx(ctx, { tokens: 500, isMaintainer: true });
  let names = 0;
  const newName = () => `name-${(names += 1)}`;

  /** What an agent does, and what others do to it. */
  async function verbsOfOne(): Promise<Readonly<Record<string, Call>>> {
    const { ctx: own, key, token } = await signUp(ctx, newName());
    const x: TestAgent = { ...own.agent, bearerToken: token };
    const [y, z] = [await createTestAgent(ctx, { tokens: 50 }), await createTestAgent(ctx, { tokens: 50 })];
    const grant = { handle: x.handle, amount: 50, reason, expiresAt: null, reference: null };
    await grantTokens(actingAs(ctx, maintainer), grant);
    const { id: threadId } = await startThread(actingAs(ctx, x), post);
    const { id: workOrderId } = await proposeWorkOrder(actingAs(ctx, x), { ...orderText, bounty: 1 });
    const inReview = { proposer: z, bounty: 5 };
    const ofX = await proposeForReview(ctx, { ...inReview, implementer: x, reviewer: y });
    const ofY = await proposeForReview(ctx, { ...inReview, implementer: y, reviewer: x });
    const { id: open } = await createTestEvent(ctx, { tokenPrice: 1 });
    const { id: full } = await createTestEvent(ctx, { tokenPrice: 0, seatsTotal: 1 });
    await handleInRace(ctx, full, reserve(y));
    const closing = key.sign((await startClosing(own)).challenge.challenge);
    const moderated = { kind: 'thread', id: threadId } as const;
    return {
      propose: (at) => proposeWorkOrder(actingAs(at, x), orderText),
      proposeBounty: (at) => proposeWorkOrder(actingAs(at, x), { ...orderText, bounty: 1 }),
      grant: (at) => grantTokens(actingAs(at, maintainer), grant),
      seat: async (at) => {
        await handleInRace(at, open, reserve(x, newName()), reserve(y, newName()));
        await handleInRace(at, open, cancel(y), cancel(x));
      },
      waitlist: (at) => handleInRace(at, full, wait(x)),
      redeem: (at) => redeem(at, x.id, 'http://127.0.0.1:1/'),
      suspend: async (at) => {
        await suspendAgent(actingAs(at, maintainer), { handle: x.handle, reason, until: null });
        await reinstateAgent(actingAs(at, maintainer), { handle: x.handle, reason });
      },
      merge: async (at) => {
        await moveWorkOrder(at, y, { workOrderId: ofX, to: 'merged' });
        await moveWorkOrder(at, x, { workOrderId: ofY, to: 'merged' });
      },
      allowance: (at) => grantDueAllowances(at, { agentId: null }),
      move: async (at) => {
        for (const to of ['interrogating', 'triaged', 'rejected'] as const)
          await moveWorkOrder(at, to === 'rejected' ? x : y, { workOrderId, to });
      },
      comment: (at) => commentOnWorkOrder(actingAs(at, y), { workOrderId, body: 'x' }),
      tokens: async (at) => {
        const { request } = await requestTokens(actingAs(at, x), { amount: 1, reason });
        const decision = { requestId: request.id, decision: 'approved', note: null } as const;
        await decideRequest(actingAs(at, maintainer), decision);
      },
      thread: (at) => startThread(actingAs(at, x), post),
      reply: (at) => postReply(actingAs(at, y), { threadId, body: 'x' }),
      hide: async (at) => {
        await hideContent(actingAs(at, maintainer), { subject: moderated, reason });
        await restoreContent(actingAs(at, maintainer), { subject: moderated, reason });
      },
      skill: async (at) => {
        const skill = skillNamed(newName());
        await publishSkill(actingAs(at, x), skill);
        await deleteSkill(actingAs(at, x), skill);
      },
      webhook: (at) =>
        createWebhook(actingAs(at, x), {
          url: `http://127.0.0.1:1/${newName()}`,
          events: ['thread.reply'],
          secretKey: testSecretKey,
        }),
      report: (at) => reportSubject(actingAs(at, x), { subject: { kind: 'agent', id: y.handle }, reason }),
      supporter: (at) =>
        createSupporter(actingAs(at, maintainer), { handle: x.handle, tier: 'sponsor', endsAt: null }),
      login: (at) => startLogin(at, x),
      profile: (at) => updateProfile(actingAs(at, x), { bio: newName() }),
      verification: (at) => requestVerification(actingAs(at, x), { statement: null }),
      close: (at) => closeAccount(actingAs(at, x), closing),
    };
  }

  /** @returns the verbs of which a transaction was run again */
  async function runTogether(verbs: readonly (readonly [name: string, call: Call])[]) {
    const repeated = new Set<string>();
    const watch = (name: string, db: OpenDatabase): OpenDatabase => ({
      ...db,
      transaction: (work) => {
        let tries = 0;
        return db.transaction((tx) => {
          tries += 1;
          if (tries > 1) repeated.add(name);
          return work(tx);
        });
      },
    });
    const calls = [store.db, other].flatMap((db) =>
      verbs.map(([name, call]) => call({ ...ctx, db: watch(name, db) })),
    );
    for (const outcome of await Promise.allSettled(calls))
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DomainError);
    return [...repeated];
  }

  test('no verb runs its transaction again because of another', async () => {
    for (let round = 1; round <= rounds; round += 1) {
      const verbs = Object.entries(await verbsOfOne());
      // In another order each time, so that others meet.
      const inTurn = [...verbs.entries()].toSorted(([one], [next]) => (one % round) - (next % round));
      expect(await runTogether(inTurn.map(([, verb]) => verb))).toEqual([]);
    }
  });

  const suite = (input: string) => ({
    suite: 1,
    name: 'own-suite',
    cases: [{ id: 'one', prompt: input, expect: [{ equals: 'x' }] }],
  });

  /** Closes an account, and changes its suite, or one that names it. */
  async function verbsOnSuites() {
    const [x, y] = [await signUp(ctx, newName()), await signUp(ctx, newName())];
    for (const [{ ctx: as }, { agent: named }] of [
      [x, y],
      [y, x],
    ] as const) {
      await publishTestSuite(as, suite('one'));
      const { handle: owner } = as.agent;
      await updateSuite(as, { owner, name: 'own-suite', visibility: 'open', agents: [named.handle] });
    }
    const [ofX, ofY] = [x, y].map(({ agent: { handle: owner } }) => ({ owner, name: 'own-suite' }));
    const hidden = { subject: { kind: 'suite', id: `@${x.agent.handle}/own-suite` }, reason } as const;
    const closings = await Promise.all(
      [x, y].map(async ({ ctx: as, key }) => key.sign((await startClosing(as)).challenge.challenge)),
    );
    const verbs: Readonly<Record<string, Call>> = {
      updateOwn: (at) => updateSuite(actingAs(at, x.ctx.agent), { ...ofX!, agents: [y.agent.handle] }),
      updateNaming: (at) => updateSuite(actingAs(at, y.ctx.agent), { ...ofY!, agents: [x.agent.handle] }),
      publish: (at) => publishTestSuite(actingAs(at, x.ctx.agent), suite(newName())),
      remove: (at) => deleteSuite(actingAs(at, x.ctx.agent), ofX!),
      run: (at) => orderSuiteRun(actingAs(at, x.ctx.agent), `@${y.agent.handle}/own-suite`),
      hide: async (at) => {
        await hideContent(actingAs(at, maintainer), hidden);
        await restoreContent(actingAs(at, maintainer), hidden);
      },
      closeOther: (at) => closeAccount(actingAs(at, y.ctx.agent), closings[1]!),
    };
    return { close: (at: Ctx) => closeAccount(actingAs(at, x.ctx.agent), closings[0]!), verbs };
  }

  test.each(['updateOwn', 'updateNaming', 'publish', 'remove', 'run', 'hide', 'closeOther'])(
    'an account is closed while its suite, or one that names it, is changed: %s',
    async (name) => {
      for (let round = 1; round <= suiteRounds; round += 1) {
        const { close, verbs } = await verbsOnSuites();
        expect(
          await runTogether([
            [name, verbs[name]!],
            ['close', close],
          ]),
        ).toEqual([]);
      }
    },
  );

  test('a login ends while strangers ask for more logins of its agent than may be open', async () => {
    const signedUp = await signUp(ctx, newName());
    const logins = [];
    for (let open = 0; open < openLoginsMax; open += 1) logins.push(await openLogin(ctx, signedUp));
    const verbs = logins.slice(0, 8).flatMap((login): [string, Call][] => [
      ['start', (at) => startLogin(at, login)],
      ['end', (at) => verifyChallenge(at, login)],
    ]);
    expect(await runTogether(verbs)).toEqual([]);
  });
});
