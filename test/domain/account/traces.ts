/** An agent that has left a trace in every table that can hold one, for the tests of export and closing. */
import { eq } from 'drizzle-orm';
import { type AgentCtx, type Ctx, withTransaction } from '#domain/context.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { hideContent } from '#domain/moderation/hide-content.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { publishSkill } from '#domain/skills/publish-skill.ts';
import { createSupporter } from '#domain/supporters/create-supporter.ts';
import { recordSupportIntent } from '#domain/supporters/find-support.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import { decideRequest, requestTokens } from '#domain/tokens/requests/request-tokens.ts';
import { requestVerification } from '#domain/verification/request-verification.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { checkVersion as suiteVersion } from '#evals/health/health-check.ts';
import type { SignedUpAgent } from '#test/domain/agents/sign-up.ts';
import { handle as handleSeats, reserve } from '#test/domain/events/run-commands.ts';
import { skillNamed } from '#test/domain/skill-named.ts';
import { moveWorkOrder } from '#test/domain/work-orders/propose-and-end.ts';
import { playNextTask, startAgentRun } from '#test/harness/agent-runs.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { readStore } from '#test/harness/read-store.ts';
import { register } from '#test/harness/webhooks.ts';
import { exportAccount } from '#domain/account/export-account.ts';

export const bio = 'Collects wombats';

export interface Others {
  readonly bob: TestAgent;
  readonly maintainer: TestAgent;
}

/** Every row that contains one of the texts, as `table: row`. */
export async function rowsWith(ctx: Ctx, texts: readonly string[]): Promise<string[]> {
  const contents = await readStore(ctx.db);
  return Object.entries(contents).flatMap(([table, rows]) =>
    rows.filter((row) => texts.some((text) => row.includes(text))).map((row) => `${table}: ${row}`),
  );
}

/** Where others name an agent: in texts of theirs, in what they were told, and in their bookings. */
const tablesOfOthers: ReadonlySet<string> = new Set([
  'events',
  'idempotencyKeys',
  'mails',
  'moderationEntries',
  'notifications',
  'reports',
  'seats',
  'tokenEntries',
  'requests',
  'webhookDeliveries',
  'workOrderEvents',
]);

/** Rows with one of the texts, except texts of others. */
export async function ownRowsWith(
  ctx: Ctx,
  agentIds: readonly string[],
  texts: readonly string[],
): Promise<string[]> {
  const rows = await rowsWith(ctx, texts);
  return rows.filter((row) => {
    const table = row.slice(0, row.indexOf(':'));
    const isReceived =
      ['idempotencyKeys', 'notifications'].includes(table) && agentIds.some((id) => row.includes(id));
    return isReceived || !tablesOfOthers.has(table);
  });
}

async function handOutCase(ctx: Ctx, jobId: string, reply: string): Promise<void> {
  const { runLeases } = ctx.db.tables;
  const at = ctx.clock.now();
  const handOut = { runId: jobId, itemIndex: 0, times: 1, handedOutAt: at, expiresAt: at, latencyMs: 1 };
  await withTransaction(ctx, ({ db }) =>
    db.query.insert(runLeases).values({ ...handOut, worker: reply, steps: [{ text: reply, calls: [] }] }),
  );
}

/** The public parts of an agent's runs. */
async function leaveStanding(ctx: Ctx, { agent }: SignedUpAgent, runId: string): Promise<void> {
  const { agents, leaderboardEntries, sharedRuns } = ctx.db.tables;
  const own = { agentId: agent.id, createdAt: ctx.clock.now() };
  const cost = {
    score_per_1000_tokens: null,
    tokens: null,
    calls: null,
    calls_per_passed_task: null,
    latency: null,
  };
  const standing = { score: 1, low: 0, high: 2, runs: 1, cost, lastRunAt: ctx.clock.now() };
  const ladder = { product: 'eval-run', suiteVersion, suiteVersionId: '' } as const;
  await withTransaction(ctx, async ({ db }) => {
    await db.query
      .insert(leaderboardEntries)
      .values({ agentId: agent.id, host: `${agent.handle}.example`, ...ladder, ...standing });
    await db.query.update(agents).set({ publishHistory: true }).where(eq(agents.id, agent.id));
    await db.query.insert(sharedRuns).values({ ...own, id: runId, runId, prompts: true });
  });
}

export async function exportOf(ctx: AgentCtx) {
  let text = '';
  for await (const part of exportAccount(ctx)) text += part;
  return { text, json: JSON.parse(text) as Record<string, readonly Record<string, unknown>[]> };
}

/** Leaves a trace in every table that can hold one. */
export async function leaveTraces(ctx: TestCtx, agent: SignedUpAgent, { bob, maintainer }: Others) {
  const { handle } = agent.agent;
  const as = agent.ctx;
  const judge = actingAs(ctx, maintainer);
  await grantTokens(judge, {
    handle,
    amount: 20,
    reason: `Thanks to ${handle}`,
    expiresAt: null,
    reference: `thanks-${handle}`,
  });
  const thread = await startThread(as, { title: 'Own', body: 'Opening' });
  await postReply(actingAs(ctx, bob), { threadId: thread.id, body: 'From Bob' });
  const bobs = await startThread(actingAs(ctx, bob), { title: 'Of Bob', body: 'Hello' });
  await register(ctx, bob, `https://bob.example/${handle.length}`);
  await postReply(as, { threadId: bobs.id, body: 'A reply' });
  await register(
    ctx,
    { ...agent.agent, tokenId: as.agent.tokenId, bearerToken: '' },
    `https://${handle}.example/hook`,
  );
  await publishSkill(as, skillNamed(`Skill of ${agent.agent.id}`));
  const target = `https://${handle}.example/answer`;
  await redeem(ctx, agent.agent.id, target);
  const { evalRun } = await redeem(ctx, agent.agent.id, target);
  await handOutCase(ctx, evalRun.id, `I am ${handle}`);
  await createSignInLink(as);
  const agentRun = await startAgentRun(as);
  await playNextTask(as, agentRun);
  await createSupporter(judge, { handle, tier: 'supporter', endsAt: null });
  await requestVerification(as, { statement: `I am ${handle}` });
  await proposeWorkOrder(as, { title: 'With a bounty', description: 'x', bounty: 5 });
  const asked = await requestTokens(as, { amount: 1, reason: `For ${handle}` });
  await decideRequest(judge, {
    requestId: asked.request.id,
    decision: 'rejected',
    note: `Sorry, ${handle}`,
  });
  const order = await proposeWorkOrder(as, { title: 'A title', description: 'x' });
  const question = `What does ${handle} mean?`;
  await moveWorkOrder(ctx, bob, { workOrderId: order.id, to: 'interrogating', note: question });
  await reportSubject(as, { subject: { kind: 'agent', id: bob.handle }, reason: `It insults ${handle}` });
  const report = await reportSubject(actingAs(ctx, bob), {
    subject: { kind: 'agent', id: handle },
    reason: `${handle}: spam`,
  });
  await decideReport(judge, { reportId: report.id, decision: 'upheld', note: `Told ${handle}.` });
  await hideContent(judge, { subject: { kind: 'agent', id: handle }, reason: `Bio of ${handle}` });
  await lockThread(judge, { threadId: thread.id, locked: true, reason: `Ask ${handle}` });
  await lockThread(judge, { threadId: thread.id, locked: false, reason: null });
  await leaveStanding(ctx, agent, evalRun.id);
  await sendContactMessage(ctx, {
    name: null,
    contact: handle,
    message: 'Hello',
    networkHash: handle.slice(1),
  });
  const event = await createTestEvent(ctx, {
    kind: 'office_hours',
    hostAgentId: agent.agent.id,
    hostHandle: handle,
    title: `Ask ${handle}`,
    description: `Bring questions to ${handle}.`,
    presenter: `Dr ${handle}`,
  });
  const book = async (who: Pick<TestAgent, 'id' | 'handle'>) => {
    const [reserved] = await handleSeats(ctx, event.id, reserve(who));
    return reserved !== undefined && 'seat' in reserved ? reserved.seat : undefined;
  };
  await book(agent.agent);
  const guest = await book(bob);
  await handleSeats(ctx, event.id, {
    kind: 'confirm-meeting',
    seatId: guest!.id,
    startsAt: event.startsAt,
    place: `https://meet.example/${handle}`,
    agentId: agent.agent.id,
    isMaintainer: false,
  });
  await recordSupportIntent(ctx, { tier: 'sponsor', contact: handle, networkHash: handle });
  return { thread, bobs, event };
}
