/**
 * Maintainers and authors act on the same thing at the same moment, through two processes: each change happens once, is
 * logged once, and the totals agree with the log.
 */
import { beforeAll, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import { closeAccount, expireClosedBalances, startClosing } from '#domain/account/close-account.ts';
import { rotateKey, startKeyRotation } from '#domain/account/rotate-key.ts';
import { isSuspended } from '#domain/agents/suspension.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { claimRun } from '#domain/runs/hold-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { deletePost, editPost } from '#domain/forum/edit-post.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { deleteSkill, publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { bio, ownRowsWith } from '#test/domain/account/traces.ts';
import { newKey, signUp } from '#test/domain/agents/sign-up.ts';
import { fetchTask, startAgentRun, startPushedRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { startWaitingRuns } from '#test/harness/waiting-runs.ts';
import { tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

type Act = (at: TestCtx) => Promise<unknown>;
const rounds = 7;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let maintainer: TestAgent;
  let other: TestAgent;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
    [maintainer, other] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    for (const { did } of [maintainer, other]) ctx.maintainerDids.add(did);
  });
  const driftsOf = async () => (await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0);
  /** Each round begins with a different act. @returns the outcomes */
  async function raceOf(acts: readonly Act[], round: number): Promise<readonly string[]> {
    const turned = [...acts.slice(round), ...acts.slice(0, round)];
    return Object.keys(await tally(race<unknown>(ctx, turned.length, (at, index) => turned[index]!(at))));
  }
  const actsOn = async (subjectId: string) => {
    const { moderationEntries } = ctx.db.tables;
    const rows = await ctx.db.query
      .select({ act: moderationEntries.act })
      .from(moderationEntries)
      .where(eq(moderationEntries.subjectId, subjectId));
    return rows.map(({ act }) => act);
  };
  /** Of two opposite acts, the first is done as often as the second, or once more. */
  async function expectTurns(subjectId: string, done: string, undone: string, isDone: boolean) {
    const acts = await actsOn(subjectId);
    const [does, undoes] = [done, undone].map((act) => acts.filter((one) => one === act).length);
    expect([does, isDone]).toEqual([(undoes ?? 0) + (isDone ? 1 : 0), isDone]);
  }

  test('maintainers who lock and unlock a thread at once change it one after the other', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { id: threadId } = await startThread(actingAs(ctx, await createTestAgent(ctx)), {
        title: 'x',
        body: 'x',
      });
      const lock =
        (by: TestAgent, locked: boolean): Act =>
        (at) =>
          lockThread(actingAs(at, by), { threadId, locked, reason: 'x' });
      const acts = [maintainer, other, maintainer].flatMap((by) => [lock(by, true), lock(by, false)]);
      expect(await raceOf(acts, round)).toEqual(['ok']);
      const { threads } = ctx.db.tables;
      const [row] = await ctx.db.query.select().from(threads).where(eq(threads.id, threadId));
      await expectTurns(threadId, 'lock', 'unlock', row?.lockedAt !== null);
    }
    expect(await driftsOf()).toEqual([]);
  });

  test('maintainers who suspend and reinstate an agent at once change it one after the other', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { id, handle } = await createTestAgent(ctx, { tokens: 3 });
      await redeem(ctx, id, 'https://agent.example/answer');
      const suspend =
        (by: TestAgent): Act =>
        (at) =>
          suspendAgent(actingAs(at, by), { handle, reason: 'x', until: null });
      const reinstate =
        (by: TestAgent): Act =>
        (at) =>
          reinstateAgent(actingAs(at, by), { handle, reason: null });
      const acts = [suspend(maintainer), reinstate(other), suspend(other), reinstate(maintainer)];
      expect(await raceOf(acts, round)).toEqual(['ok']);
      const { agents } = ctx.db.tables;
      const [row] = await ctx.db.query.select().from(agents).where(eq(agents.id, id));
      await expectTurns(id, 'suspend', 'reinstate', isSuspended(row!, ctx.clock.now()));
      expect((await readBalances(ctx.db, [id], ctx.clock.now())).get(id)).toMatchObject({
        balance: 3,
        held: 0,
      });
    }
    expect(await driftsOf()).toEqual([]);
  });

  test('a post that is edited, hidden, restored, locked and deleted at once is deleted once', async () => {
    const expected = /^(ok|content_hidden|thread_locked|post_not_found|subject_not_found)$/;
    for (let round = 0; round < rounds; round += 1) {
      const [author, starter] = [await createTestAgent(ctx), await createTestAgent(ctx)];
      const { id: threadId } = await startThread(actingAs(ctx, starter), { title: 'x', body: 'x' });
      const { id: postId } = await postReply(actingAs(ctx, author), { threadId, body: 'Before' });
      const subject = { kind: 'post', id: postId } as const;
      const key = { threadId, postId };
      const acts: readonly Act[] = [
        (at) => editPost(actingAs(at, author), { ...key, body: 'After' }),
        (at) => deletePost(actingAs(at, author), key),
        (at) => hideContent(actingAs(at, maintainer), { subject, reason: 'x' }),
        (at) => deletePost(actingAs(at, author), key),
        (at) => lockThread(actingAs(at, other), { threadId, locked: true, reason: 'x' }),
        (at) => restoreContent(actingAs(at, other), { subject, reason: 'x' }),
        (at) => editPost(actingAs(at, author), { ...key, body: 'Later' }),
      ];
      const outcomes = await raceOf(acts, round);
      expect(outcomes.filter((outcome) => !expected.test(outcome))).toEqual([]);
      const { posts, reputationEvents } = ctx.db.tables;
      const [row] = await ctx.db.query.select().from(posts).where(eq(posts.id, postId));
      expect([row?.body, row?.deletedAt === null]).toEqual(['', false]);
      const entries = await ctx.db.query
        .select()
        .from(reputationEvents)
        .where(and(eq(reputationEvents.agentId, author.id)));
      expect(entries.reduce((sum, { weight }) => sum + weight, 0)).toBe(0);
    }
    expect(await driftsOf()).toEqual([]);
  });

  test('a skill that is changed, hidden, restored and deleted at once is deleted, without its texts', async () => {
    const expected = /^(ok|content_hidden|skill_not_found|subject_not_found)$/;
    for (let round = 0; round < rounds; round += 1) {
      const author = await createTestAgent(ctx);
      const name = `Skill ${author.handle}`;
      const links = { repoUrl: `https://git.example/${author.handle}`, manifestUrl: null };
      await publishSkill(actingAs(ctx, author), { name, description: 'Before', ...links });
      const subject = { kind: 'skill', id: name } as const;
      const acts: readonly Act[] = [
        (at) => updateSkill(actingAs(at, author), { name, description: 'After', versionNote: 'New' }),
        (at) => deleteSkill(actingAs(at, author), { name }),
        (at) => hideContent(actingAs(at, maintainer), { subject, reason: 'x' }),
        (at) => deleteSkill(actingAs(at, author), { name }),
        (at) => restoreContent(actingAs(at, other), { subject, reason: 'x' }),
      ];
      const outcomes = await raceOf(acts, round);
      expect(outcomes.filter((outcome) => !expected.test(outcome))).toEqual([]);
      const { skills, skillVersions } = ctx.db.tables;
      const [row] = await ctx.db.query.select().from(skills).where(eq(skills.name, name));
      expect([row?.description, row?.repoUrl, row?.deletedAt === null]).toEqual(['', '', false]);
      expect(await ctx.db.query.$count(skillVersions, eq(skillVersions.skillId, row!.id))).toBe(0);
    }
    expect(await driftsOf()).toEqual([]);
  });

  test('an account that is closed, suspended, reinstated and given a new key at once leaves nothing behind', async () => {
    const expected =
      /^(ok|invalid_token|unknown_handle|challenge_expired|challenge_used|invalid_signature|agent_suspended)$/;
    const texts: string[] = [];
    const ids: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const handle = `bettong-${store.dialect}-${round}`;
      const { agent, key, ctx: own } = await signUp(ctx, handle);
      await redeem(ctx, agent.id, `https://${handle}.example`);
      const next = newKey();
      const closing = key.sign((await startClosing(own)).challenge.challenge);
      const { challenge } = await startKeyRotation(own, next);
      const rotation = {
        publicKey: next.publicKey,
        oldSignature: key.sign(challenge),
        newSignature: next.sign(challenge),
      };
      const acts: readonly Act[] = [
        (at) => suspendAgent(actingAs(at, maintainer), { handle, reason: `Spam of ${handle}`, until: null }),
        (at) => closeAccount({ ...own, db: at.db }, closing),
        (at) => rotateKey({ ...own, db: at.db }, rotation),
        (at) => reinstateAgent(actingAs(at, other), { handle, reason: `For ${handle}` }),
      ];
      const outcomes = await raceOf(acts, round);
      expect(outcomes.filter((outcome) => !expected.test(outcome))).toEqual([]);
      const { agents } = ctx.db.tables;
      const [row] = await ctx.db.query.select().from(agents).where(eq(agents.id, agent.id));
      // If the new key came first, a signature of the old one no longer closes the account.
      if (row?.closedAt === null) {
        const again = { ...own, agent: { ...own.agent, did: row.did, publicKey: row.publicKey } };
        const signature = next.sign((await startClosing(again)).challenge.challenge);
        await closeAccount(again, signature);
      }
      texts.push(handle, agent.did, key.publicKey, next.publicKey, bio);
      ids.push(agent.id);
    }
    await endRunsOfAbsentAgents(ctx);
    await expireClosedBalances(ctx);
    expect(await ownRowsWith(ctx, ids, texts)).toEqual([]);
    expect(await driftsOf()).toEqual([]);
    const { runs } = ctx.db.tables;
    for (const id of ids) {
      const own = await ctx.db.query.select().from(runs).where(eq(runs.agentId, id));
      expect(own.map(({ status, chargeState }) => [status, chargeState])).toEqual([['failed', 'refunded']]);
    }
  });

  test('a suspension refunds every kind of open run: eval and agent runs, pushed and pulled, waiting and begun', async () => {
    const agent = await createTestAgent(ctx, { tokens: 20, freeEvalTaken: true });
    const as = actingAs(ctx, agent);
    const pushed = await redeem(ctx, agent.id, 'https://agent.example/answer');
    expect((await claimRun(ctx, { runId: pushed.evalRun.id })).state).toBe('claimed');
    const [fetched = ''] = await startWaitingRuns(ctx, [agent]);
    await handOutCases(as, { runId: fetched, limit: 8 });
    await redeem(ctx, agent.id, 'https://agent.example/answer');
    const pulled = await startAgentRun(as);
    await fetchTask(as, pulled);
    await startPushedRun(as, 'https://agent.example/v1/chat/completions');
    const { runs } = ctx.db.tables;
    const read = () => ctx.db.query.select().from(runs).where(eq(runs.agentId, agent.id));
    expect((await read()).map(({ mode }) => mode).toSorted()).toEqual([
      'pull',
      'pull',
      'push',
      'push',
      'push',
    ]);
    await suspendAgent(actingAs(ctx, maintainer), { handle: agent.handle, reason: 'x', until: null });
    for (const run of await read())
      expect(run).toMatchObject({
        status: 'failed',
        chargeState: 'refunded',
        failureCode: 'agent_suspended',
        targetHeaders: null,
      });
    const balance = (await readBalances(ctx.db, [agent.id], ctx.clock.now())).get(agent.id);
    expect(balance).toMatchObject({ balance: 20, held: 0 });
    expect(await driftsOf()).toEqual([]);
  });
});
