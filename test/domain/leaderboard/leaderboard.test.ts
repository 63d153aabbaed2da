/**
 * The leaderboard on both stores: runs that count, agents that are listed, ranks, ties, pages, and runs that end
 * together; and which scores an agent publishes: those of cases that it cannot have known.
 */
import { beforeEach, expect, test } from 'bun:test';
import { issueCredential } from '#domain/credentials/issue-credential.ts';
import { showBadge, showPublishedScores } from '#domain/leaderboard/published-scores.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import type { RunOrder } from '#domain/runs/product.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { noteNamedHost } from '#domain/runs/hold-run.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import type { RunOutcome } from '#domain/runs/run-limits.ts';
import { findStandings, listBoards } from '#domain/leaderboard/find-standings.ts';
import { listLeaderboard } from '#domain/leaderboard/list-leaderboard.ts';
import { checkVersion } from '#evals/health/health-check.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { claimTestRun, completedWith, redeem } from '#test/harness/eval-runs.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { changeRows, type Row } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useOtherProcess } from '../two-processes.ts';
import { allPages, tally } from '../outcomes.ts';

/** A completed run whose interval extends `reach` points to each side. */
function outcome(score: number, reach = 6): RunOutcome {
  return completedWith(score, { low: Math.max(0, score - reach), high: Math.min(100, score + reach) });
}

forEachStore((store) => {
  const ctx = useTestCtx(store, { secretKey: testSecretKey });
  const { clock } = ctx;
  const otherDb = useOtherProcess(store);
  beforeEach(() => ctx.db.transaction((tx) => tx.query.delete(tx.tables.leaderboardEntries)));

  const signUp = (handle: string) => createTestAgent(ctx, { handle, tokens: 9, freeEvalTaken: true });

  interface RunOptions {
    readonly host?: string | null;
    readonly ranked?: boolean;
    /** Whether the host names the agent in its consent, or another host to which an agent card led. */
    readonly named?: boolean | 'elsewhere';
    /** How far the interval extends. */
    readonly reach?: number;
  }

  async function start(agent: TestAgent, { host = null, ranked = true, named = false }: RunOptions = {}) {
    const url = host === null ? null : `http://${host}/answer`;
    const { evalRun } = await redeem(ctx, agent.id, url, { ranked });
    const origin = named === 'elsewhere' ? 'http://elsewhere.example' : `http://${host}`;
    if (named !== false) await noteNamedHost(ctx, { runId: evalRun.id, origin });
    return { runId: evalRun.id, attempt: 0, from: 'queued' as const, jobId: null };
  }

  async function run(agent: TestAgent, score: number, options: RunOptions = {}) {
    const claim = await start(agent, options);
    clock.advance(1_000);
    expect(await settleRun(ctx, { ...claim, outcome: outcome(score, options.reach) })).toBe(true);
  }

  /** Enough runs for a rank. */
  async function rankedRuns(agent: TestAgent, score: number, options: RunOptions = {}) {
    for (let runs = 0; runs < 3; runs += 1) await run(agent, score, options);
  }

  async function ranked(handle: string, score: number, options?: RunOptions): Promise<TestAgent> {
    const agent = await signUp(handle);
    await rankedRuns(agent, score, options);
    return agent;
  }

  const setAgent = ({ id }: TestAgent, values: Partial<Row<'agents'>>) =>
    changeRows(ctx, 'agents', { id }, values);

  test('only boards with entries are named, and standings are those of the current one', async () => {
    const [amber, birch] = [await signUp('amber-standing'), await signUp('birch-standing')];
    expect(await listBoards(ctx)).toEqual([]);
    await run(amber, 80);
    expect(await listBoards(ctx)).toEqual([{ product: 'eval-run', suiteVersion: checkVersion }]);
    const standings = await findStandings(ctx, [amber.id, birch.id]);
    expect([...standings]).toEqual([[amber.id, expect.objectContaining({ score: 80 })]]);
    if (ctx.db.dialect === 'sqlite') {
      const [plan] = await plansOf(store, () => listBoards(ctx));
      expect(plan).toMatch(/leaderboard_entries_ranked[^]*leaderboard_entries_provisional/);
      expect(plan).not.toMatch(/SCAN leaderboard_entries/);
    }
  });

  const board = (limit = 100, cursor: string | null = null) => listLeaderboard(ctx, { limit, cursor });
  const onPagesOf = async (limit: number) => {
    const pages = await allPages(async (from) => {
      const { entries: items, nextCursor } = await board(limit, from);
      return { items, nextCursor };
    });
    return pages.flat();
  };
  const listed = async () =>
    (await board()).entries.map(({ handle, rank }) => `${rank ?? 'provisional'} ${handle}`);

  test('agents whose bounds differ by less than a tenth have ranks of their own, on pages too', async () => {
    const scores = { 'near-third': 90.01, 'near-first': 90.03, 'near-second': 90.02, 'near-tied': 90.02 };
    for (const [handle, score] of Object.entries(scores)) await ranked(handle, score);
    const expected = ['1 near-first', '2 near-second', '2 near-tied', '4 near-third'];
    expect(await listed()).toEqual(expected);
    expect((await onPagesOf(1)).map(({ handle, rank }) => `${rank} ${handle}`)).toEqual(expected);
  });

  test('the score is the mean of the last three ranked runs', async () => {
    const agent = await signUp('mean');
    await run(agent, 90);
    expect((await board()).entries).toMatchObject([
      { handle: 'mean', rank: null, provisional: true, score: 90, low: 84, high: 96, runs: 1 },
    ]);
    await run(agent, 99, { ranked: false });
    for (const score of [60, 40, 50]) await run(agent, score);
    // The errors of independent runs partly cancel out: 6 / √3.
    const interval = { low: expect.closeTo(46.536, 3), high: expect.closeTo(53.464, 3) };
    expect((await board()).entries).toMatchObject([
      { rank: 1, provisional: false, score: 50, ...interval, runs: 4, lastRunAt: clock.now() },
    ]);
  });

  test('runs of another suite with the same version do not displace runs in the mean', async () => {
    const agent = await createTestAgent(ctx, { handle: 'two-suites', tokens: 52, freeEvalTaken: true });
    await run(agent, 10);
    for (let runs = 0; runs < 50; runs += 1) await run(agent, 99);
    const others = { agentId: agent.id, score: 99 };
    await changeRows(ctx, 'runs', others, { suiteVersionId: createId(clock.now()) });
    await run(agent, 90);
    expect((await board()).entries).toMatchObject([{ score: 50, runs: 2 }]);
  });

  test('an interval never leaves the scale', async () => {
    const [top, bottom] = [await signUp('top'), await signUp('bottom')];
    for (const score of [100, 99, 100]) await run(top, score);
    for (const score of [0, 1]) await run(bottom, score);
    const [best, worst] = (await board()).entries;
    expect(best?.high).toBeWithin(99.7, 100.1);
    expect(worst?.low).toBeWithin(0, 0.6);
    expect([best?.tieWith, worst?.tieWith]).toEqual([[], []]);
  });

  test('two ranked runs that end at the same time both count', async () => {
    const agent = await signUp('twins');
    const [one, other] = [await start(agent), await start(agent)];
    await Promise.all([
      settleRun(ctx, { ...one, outcome: outcome(40) }),
      settleRun({ ...ctx, db: otherDb }, { ...other, outcome: outcome(60) }),
    ]);
    expect((await board()).entries).toMatchObject([{ score: 50, runs: 2 }]);
  });

  test('a run that fails because of the hub does not count', async () => {
    const agent = await signUp('unlucky');
    const failed = { kind: 'failed', code: 'internal', message: 'Our fault.' } as const;
    await settleRun(ctx, { ...(await start(agent)), outcome: failed });
    expect((await board()).entries).toEqual([]);
  });

  test('of the agents with targets on one host only the best is listed, as long as it is not suspended', async () => {
    const best = await ranked('best', 80, { host: 'one.example:8080' });
    await ranked('second', 70, { host: 'ONE.example:8080' });
    await ranked('elsewhere', 60, { host: 'one.example' });
    for (const handle of ['puller', 'fetcher']) await ranked(handle, 50);
    const pulling = (await listed()).slice(2);
    expect(await listed()).toEqual(['1 best', '2 elsewhere', ...pulling]);
    expect(pulling.toSorted()).toEqual(['3 fetcher', '3 puller']);
    await setAgent(best, { suspendedAt: clock.now() });
    expect(await listed()).toEqual(['1 second', '2 elsewhere', ...pulling]);
    await setAgent(best, { suspendedAt: null, hiddenAt: clock.now() });
    expect((await listed())[0]).toBe('1 second');
  });

  test('an agent that borrows the target of another does not displace the agent that the host names', async () => {
    const [owner, borrower, friend] = await Promise.all(['owner', 'borrower', 'friend'].map(signUp));
    const host = 'owned.example';
    await rankedRuns(borrower!, 90, { host });
    await rankedRuns(owner!, 60, { host });
    expect(await listed()).toEqual(['1 borrower']);
    await run(owner!, 60, { host, named: 'elsewhere' });
    expect(await listed()).toEqual(['1 borrower']);
    await run(owner!, 60, { host, named: true });
    expect(await listed()).toEqual(['1 owner']);
    // Of two agents that the host names, the better one counts.
    await rankedRuns(friend!, 70, { host, named: true });
    expect(await listed()).toEqual(['1 friend']);
  });

  test('ranks and ties continue across pages, ties reach ten ranks, and agents with fewer than three runs have none', async () => {
    for (let place = 0; place < 14; place += 1)
      await ranked(`paged-${place + 10}`, 80 - Math.floor(place / 2));
    for (const handle of ['paged-new', 'paged-newer']) await run(await signUp(handle), 99);
    const whole = (await board()).entries;
    expect(whole.map(({ rank }) => rank)).toEqual([1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, null, null]);
    const handlesAt = (places: readonly number[]) => places.map((place) => whole[place]?.handle ?? '');
    expect(whole[0]?.tieWith).toEqual(handlesAt([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    expect(whole[13]?.tieWith).toEqual(handlesAt([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
    expect(await onPagesOf(3)).toEqual([...whole]);
    // Agents with fewer than three runs follow, however well they did.
    expect(whole.slice(14).map(({ provisional, tieWith }) => [provisional, tieWith])).toEqual([
      [true, []],
      [true, []],
    ]);
  });

  test('the first page and later ones read the index in order', async () => {
    for (const score of [60, 50, 40]) await ranked(`planned-${score}`, score);
    await run(await signUp('planned-new'), 50);
    const { nextCursor } = await board(1);
    const provisional = (await board(3)).nextCursor;
    for (const cursor of [null, nextCursor, provisional]) {
      const plans = await plansOf(store, () => board(1, cursor));
      expect(plans.map(faultOf)).toEqual(plans.map(() => null));
      for (const plan of plans) expect(plan).toMatch(/leaderboard_entries_(ranked|provisional)/);
    }
  });

  test('the order is that of the lower bounds of the intervals', async () => {
    const [narrow, wide] = [await signUp('narrow'), await signUp('wide')];
    for (let runs = 0; runs < 3; runs += 1) {
      await run(narrow, 60, { reach: 3 });
      await run(wide, 63, { reach: 30 });
    }
    expect(await listed()).toEqual(['1 narrow', '2 wide']);
  });

  test('of agents in pull mode that signed up from one network within 30 days, the one with the most runs is listed', async () => {
    const dayMs = 24 * 60 * 60 * 1_000;
    const network = 'network one';
    /** By its name: from which network it signed up and on which day, its score, its runs and the host of its target. */
    const signUps = {
      most: [network, 0, 50, 4, null],
      better: [network, 30, 90, 3, null],
      chained: [network, 60, 99, 1, null],
      later: [network, 91, 40, 3, null],
      stranger: ['network two', 0, 70, 3, null],
      unknown: [null, 0, 65, 3, null],
      pusher: [network, 0, 30, 3, 'pushed.example'],
    } as const;
    const agents = new Map<string, TestAgent>();
    const from = clock.now().getTime();
    for (const [name, [signedUpFrom, day, score, count, host]] of Object.entries(signUps)) {
      const agent = await signUp(name);
      agents.set(name, agent);
      await setAgent(agent, { network: signedUpFrom, createdAt: new Date(from + day * dayMs) });
      for (let runs = 0; runs < count; runs += 1) await run(agent, score, { host });
    }
    expect(await listed()).toEqual(['1 stranger', '2 unknown', '3 most', '4 later', '5 pusher']);
    // On a private hub, everybody is on the same machine.
    const identity = { ...ctx.rules.identity, isPrivate: true };
    const local = { ...ctx, rules: { ...ctx.rules, identity } };
    const { entries } = await listLeaderboard(local, { limit: 100, cursor: null });
    expect(entries.map(({ handle }) => handle).toSorted()).toEqual([...agents.keys()].toSorted());
    await setAgent(agents.get('most')!, { suspendedAt: clock.now() });
    expect(await listed()).toEqual(['1 better', '2 stranger', '3 unknown', '4 later', '5 pusher']);
  });

  test('an unknown product, version or cursor is rejected', async () => {
    const input = { limit: 10, cursor: null };
    const wrong = [{ product: 'eval' }, { suiteVersion: '99' }, { cursor: 'x' }];
    const calls = wrong.map((one) => listLeaderboard(ctx, { ...input, ...one }));
    expect(await tally(calls)).toEqual({ invalid_parameter: 3 });
    expect(await listLeaderboard(ctx, { ...input, product: 'agent-run' })).toMatchObject({ entries: [] });
  });

  const publisher = useAgentCtx(ctx, { tokens: 100 });

  async function complete(score: number, order: Partial<RunOrder> = {}) {
    const { evalRun } = await redeem(ctx, publisher.agent.id, 'https://agent.example/ask', order);
    const { attempt } = await claimTestRun(ctx, evalRun.id);
    await settleRun(ctx, { runId: evalRun.id, attempt, jobId: null, outcome: completedWith(score) });
    return evalRun;
  }

  test('a replay and a chosen seed are not published, and their credential and scorecard say so', async () => {
    await updateProfile(publisher, { publishScore: 'history' });
    const first = await complete(2.9);
    const replay = await complete(98.5, { seed: first.suiteSeed, replayOf: first.id });
    const chosen = await complete(97.5, { seed: 'tuesday' });
    const { handle } = publisher.agent;
    const { scores } = await showPublishedScores(ctx, { handle });
    expect(scores.map(({ score }) => score)).toEqual([2.9]);
    expect((await showBadge(ctx, { handle })).score).toBe(2.9);

    const urls = { credential: (id: string) => id, statusList: (number: number) => String(number) };
    const said = async (runId: string) => {
      const credential = await issueCredential(publisher, { runId, viewer: publisher.agent, urls });
      const { unseen } = await showOwnRun(publisher, { runId });
      return [credential['credentialSubject'], unseen[0]];
    };
    expect((await said(first.id))[0]).not.toHaveProperty('replay_of');
    expect(await said(replay.id)).toMatchObject([
      { score: 98.5, replay_of: first.id },
      `The cases are those of run ${first.id}: the agent may have known them.`,
    ]);
    expect(await said(chosen.id)).toMatchObject([
      { score: 97.5, replay_of: null },
      'The cases are those of a chosen seed: the agent may have known them.',
    ]);
  });
});
