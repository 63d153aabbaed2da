/** A hub with open work of every kind: runs, leases, jobs, mails, deliveries, sessions, bookings; no table is empty. */
import { updateProfile } from '#domain/agents/update-profile.ts';
import { type BearerCtx, withTransaction } from '#domain/context.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { addDraft } from '#domain/suites/drafts.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { createSignInLink, startSession } from '#domain/sessions/sign-in-link.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createId } from '#runtime/create-id.ts';
import { leaveTraces } from '#test/domain/account/traces.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { startAgentRun, startPushedRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx } from '#test/harness/ctx.ts';
import { answerPulled, redeem } from '#test/harness/eval-runs.ts';
import { pngUrl } from '#test/harness/images.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { tell } from '#test/harness/webhooks.ts';
import { fillRest } from './fill-rest.ts';

/** What the two stores might write differently. */
const awkward = `"quoted" \\ back\tslash\r\n ${String.fromCodePoint(1, 8, 12, 31, 127, 0x2028, 0xfeff)} é 😀 ${'x'.repeat(5_000)}`;

const awkwardLine = `"quoted" \\\\ back é 😀`;

export interface FilledHub {
  /** The bearer token of `mover`. */
  readonly token: string;
  /** Of an OAuth grant of `mover`. */
  readonly grantedToken: string;
  /** Open runs, of every product and in both modes. That of the eval has two leased cases. */
  readonly runs: Readonly<Record<`${'pulled' | 'pushed'}${'Eval' | 'Suite' | 'Agent'}`, string>>;
  readonly session: string;
}

/** @param target the address of an agent for the pushed runs */
export async function fillHub(testCtx: TestCtx, target: string): Promise<FilledHub> {
  const targetAddresses = createAddressPolicy(['loopback']);
  const ctx = { ...testCtx, rules: { ...testCtx.rules, targetAddresses } };
  const bob = await createTestAgent(ctx, { tokens: 50 });
  const maintainer = await createTestAgent(ctx, { tokens: 50 });
  ctx.maintainerDids.add(maintainer.did);
  const traced = await signUp(ctx, 'traced');
  await updateProfile(traced.ctx, { bio: 'Leaves traces', site: 'https://traced.example' });
  await leaveTraces(ctx, traced, { bob, maintainer });
  const mover = await createTestAgent(ctx, { handle: 'mover', tokens: 50 });
  const own = actingAs(ctx, mover);
  const body = awkward.replaceAll(/[\u2028\ufeff]/g, ' ');
  const thread = await startThread(own, { title: 'Awkward', body });
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
      attachments: [{ filename: awkward, contentType: '', size: 2 ** 40 }],
      status: 'new',
      receivedAt: new Date(0),
      updatedAt: new Date(8_000_000_000_123),
    });
  });
  const { evalRun } = await redeem(ctx, mover.id, null);
  await handOutCases(own, { runId: evalRun.id, limit: 2 });
  // One agent may not have as many open runs.
  const pusher = await createTestAgent(ctx, { tokens: 50 });
  const runs = {
    pulledEval: evalRun.id,
    pulledAgent: (await startAgentRun(own)).id,
    pushedEval: (await redeem(ctx, pusher.id, target)).evalRun.id,
    pushedAgent: (await startPushedRun(actingAs(ctx, pusher), target)).run.id,
    ...(await startSuiteRuns(own, actingAs(ctx, pusher), target)),
  };
  const grantedToken = await fillRest(ctx, mover, thread.id);
  await tell(ctx, bob, 3);
  const link = await createSignInLink(own);
  const secret = link.url.split('/').at(-1) ?? '';
  const session = await startSession(ctx, { secret, userAgent: 'Mozilla' });
  return { token: mover.bearerToken, grantedToken, runs, session };
}

/** Of a suite with two versions. One case of the run in pull mode has its reply, and another is leased. */
async function startSuiteRuns(own: BearerCtx, other: BearerCtx, target: string) {
  const greet = (id: string) => ({ id, prompt: 'Say hello.', tags: ['easy'], expect: [{ equals: 'hello' }] });
  for (const cases of [[greet('one')], [greet('one'), greet('two'), greet('three')]])
    await publishTestSuite(own, { suite: 1, name: 'greetings', description: awkwardLine, cases });
  const seen = { role: 'user', content: 'What is it?', images: [pngUrl] };
  await publishTestSuite(own, {
    suite: 1,
    name: 'pictures',
    cases: [{ messages: [seen], expect: [{ contains: 'pixel' }] }],
  });
  const suite = '@mover/greetings';
  const request = { messages: [{ role: 'user', content: awkwardLine }] };
  const sent = { request, response: { choices: [{ message: { content: awkwardLine } }] } };
  await addDraft(own, { owner: 'mover', name: 'greetings', sent, verdict: 'refused' });
  const answered = await orderSuiteRun(own, suite, { version: 1 });
  const pulled = await orderSuiteRun(own, suite);
  for (const { id: runId } of [answered, pulled]) {
    const { cases } = await handOutCases(own, { runId, limit: 1 });
    await answerPulled(own, runId, [{ caseId: cases[0]!.caseId, text: 'hello' }]);
  }
  await handOutCases(own, { runId: pulled.id, limit: 1 });
  await withTransaction(own, async ({ db: { query, tables } }) => {
    const [opened] = await query.update(tables.suites).set({ visibility: 'open' }).returning();
    await query.insert(tables.suiteAgents).values({ suiteId: opened!.id, agentId: other.agent.id });
  });
  const pushed = await orderSuiteRun(other, suite, { targetUrl: target });
  return { pulledSuite: pulled.id, pushedSuite: pushed.id };
}
