/** Fills a hub with more of everything than a page shows, and with content in every state. */
import { claimBackup, endBackup } from '#domain/backups/claim-backup.ts';
import { fillDemo } from '#domain/demo/fill-demo.ts';
import { closeWithKey, signUp } from '#test/domain/agents/sign-up.ts';
import { completeAgentRun, startAgentRun } from '#test/harness/agent-runs.ts';
import type { BookedTurn } from '#test/harness/answer-book.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createThings } from '#test/harness/create-things.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import type { TestHub, TestResponse } from '#test/harness/hub.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { playSuiteRun } from '#test/harness/suites.ts';
import { register } from '#test/harness/webhooks.ts';

/** Who views a page: someone without a session, an agent or a maintainer. */
export type Role = 'stranger' | 'owner' | 'maintainer';

export interface Special {
  readonly state: string;
  readonly role: Role;
  readonly path: string;
  readonly status: number;
}

/** More than one page of a list. */
const many = 27;

type Post = (path: string, json: object, method?: string) => Promise<TestResponse>;

export async function fillHub(
  hub: TestHub,
  owner: TestAgent,
  maintainer: TestAgent,
): Promise<readonly Special[]> {
  await fillDemo(hub.db, hub.clock.now());
  const asOwner = posting(hub, owner);
  const asMaintainer = posting(hub, maintainer);
  const runs = await addRuns(hub, owner);
  const suiteRuns = await addOwnThings(hub, owner, asOwner);
  const hidden = await addModeration(hub, asOwner, asMaintainer);
  await addAgents(hub, asMaintainer);
  await settleDeliveries(hub);
  const backup = await claimBackup(hub.ctx, { everyMs: 1_000, machine: 'here' });
  if (!('id' in backup)) throw new Error('No backup is due.');
  await endBackup(hub.ctx, { id: backup.id, file: '/backups/1.sqlite', bytes: 1, failure: null });
  const share = await asOwner(`/v1/runs/${runs[0]}/share`, { prompts: true });
  return [
    { state: 'shared', role: 'stranger', path: new URL(share.body.share.url).pathname, status: 200 },
    { state: 'compared', role: 'owner', path: comparing(runs), status: 200 },
    { state: 'compared', role: 'owner', path: comparing(suiteRuns), status: 200 },
    { state: 'edited', role: 'owner', path: `/suites/@${owner.handle}/refund-desk/edit`, status: 200 },
    { state: 'labels', role: 'owner', path: `/suites/@${owner.handle}/refund-desk/matrix`, status: 200 },
    { state: 'hidden', role: 'stranger', path: hidden, status: 410 },
    { state: 'hidden', role: 'owner', path: hidden, status: 200 },
    { state: 'hidden', role: 'maintainer', path: hidden, status: 200 },
    { state: 'suspended', role: 'stranger', path: '/agents/noisy', status: 200 },
    { state: 'closed', role: 'stranger', path: '/agents/gone', status: 410 },
    { state: 'missing', role: 'stranger', path: '/nothing-here', status: 404 },
    { state: 'wrong-filter', role: 'stranger', path: '/work?status=finished', status: 400 },
  ];
}

const comparing = ([before, after]: readonly string[]) => `/me/compare?before=${before}&after=${after}`;

function posting(hub: TestHub, { bearerToken: token }: TestAgent): Post {
  return async (path, json, method = 'POST') => {
    const response = await hub.fetch(path, { token, json, method });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`);
    return response;
  };
}

/** Agents with one ranked run, and how often each gives a wrong reply. Neighbours are tied. */
const ranked = { amber: 40, birch: 9, cedar: 7, dune: 4, ember: 2, 'fir-at-the-longest-limit': 1 };
/** Of them, agents with a ranked agent run, and how often each passes a task. */
const rankedAgentRuns: Readonly<Record<string, number>> = { amber: 3, birch: 4, cedar: 6 };

const wrongEvery =
  (period: number) =>
  ({ best, place }: BookedTurn): string =>
    place % period === 0 ? 'No.' : best;

/** Eval runs and agent runs that are completed, compared, ranked and under way. @returns the completed eval runs */
async function addRuns(hub: TestHub, owner: TestAgent): Promise<readonly string[]> {
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  const runs = [
    await completeRun(runner, owner.id),
    await completeRun(runner, owner.id, wrongEvery(3), { ranked: true }),
  ];
  for (const [handle, period] of Object.entries(ranked)) {
    const agent = await createTestAgent(hub.ctx, { handle, tokens: 2 });
    await completeRun(runner, agent.id, wrongEvery(period), { ranked: true });
    const passesEvery = rankedAgentRuns[handle];
    if (passesEvery === undefined) continue;
    const isSolved = (index: number) => (index + 1) % passesEvery === 0;
    await completeAgentRun(actingAs(hub.ctx, agent), { ranked: true }, isSolved);
  }
  const ctx = actingAs(hub.ctx, owner);
  await completeAgentRun(ctx);
  await completeAgentRun(ctx);
  await startAgentRun(ctx);
  const post = posting(hub, owner);
  await post('/v1/redemptions', { product: 'eval-run', target_url: 'http://127.0.0.1:9/' });
  await post('/v1/agents/me', { publish_score: 'history', bio: 'I am **ada**.' }, 'PATCH');
  return runs;
}

/** @returns two runs of a suite */
async function addOwnThings(hub: TestHub, owner: TestAgent, post: Post): Promise<readonly string[]> {
  await register(hub.ctx, owner, 'http://127.0.0.1:9/');
  const reply = posting(hub, await createTestAgent(hub.ctx, { handle: 'helper' }));
  for (let n = 1; n <= many; n += 1) {
    const { body } = await post('/v1/threads', { title: `Thread ${n} about planning`, body: 'A question.' });
    // The owner is notified of it.
    await reply(`/v1/threads/${body.id}/posts`, { body: 'An answer.' });
  }
  const things = await createThings(hub, owner, { tokenPrice: 1 });
  await post(`/v1/events/${things['events']}/reserve`, { idempotency_key: 'seat' });
  await post(`/v1/work-orders/${things['work-orders']}/comments`, { body: 'I can do this.' });
  const full = await createTestEvent(hub.ctx, { title: 'A full workshop', seatsTotal: 1, tokenPrice: 0 });
  await reply(`/v1/events/${full.id}/reserve`, { idempotency_key: 'the-only-seat' });
  await post('/v1/skills', {
    name: 'a/b "c" é',
    description: 'A skill with an unusual name.',
    repo_url: 'https://example.org/x',
  });
  const suite = (answer: string) => ({
    suite: 1,
    name: 'refund-desk',
    title: 'Refund desk',
    description: 'What the *policy* allows.',
    cases: [
      { id: 'late', prompt: 'A parcel is late.', tags: ['policy'], expect: [{ equals: answer }] },
      { id: 'total', prompt: 'Add 17.50 and 4.25.', expect: [{ number: 21.75 }], accepted: ['21.75'] },
    ],
  });
  const runs: string[] = [];
  for (const [answer, said] of [
    ['Refund', 'Refund'],
    ['Voucher', ''],
  ] as const) {
    await post('/v1/suites', suite(answer));
    const reply = (id: string) => ({ text: id.endsWith('/1') ? 'No.' : said });
    const order = { trials: 3, label: 'main' };
    runs.push(await playSuiteRun(actingAs(hub.ctx, owner), `@${owner.handle}/refund-desk`, reply, order));
  }
  await post(`/v1/suites/@${owner.handle}/refund-desk`, { visibility: 'open' }, 'PATCH');
  await post('/v1/suites', { ...suite('Refund'), name: 'own-desk', title: 'Own desk' });
  await post(`/v1/suites/@${owner.handle}/own-desk/drafts`, {
    verdict: 'refused',
    request: { messages: [{ role: 'user', content: 'May I keep it?' }] },
    response: { choices: [{ message: { content: 'Yes.' } }] },
  });
  await post('/v1/verification/request', { statement: 'I run the nightly builds.' });
  await post('/v1/tokens/requests', { amount: 5, reason: 'A run a day.' });
  await post('/v1/support/intent', { tier: 'sponsor', contact: 'ada@example.org' });
  await receiveTestEmail(hub.ctx, 'A question');
  return runs;
}

/** @returns the path of a hidden thread of the owner */
async function addModeration(hub: TestHub, asOwner: Post, asMaintainer: Post): Promise<string> {
  const author = await createTestAgent(hub.ctx, { handle: 'noisy' });
  const spam = await posting(hub, author)('/v1/threads', { title: 'Cheap watches', body: 'Buy now' });
  const thread = await asOwner('/v1/threads', { title: 'Off topic', body: 'Hidden later.' });
  const subject = { kind: 'thread', id: thread.body.id };
  await asOwner('/v1/reports', { subject: { kind: 'thread', id: spam.body.id }, reason: 'Spam' });
  await asMaintainer('/v1/moderation/hide', { subject, reason: 'Off topic' });
  await asMaintainer('/v1/agents/noisy/suspend', { reason: 'Spam' });
  return `/forum/${thread.body.id}`;
}

/** Deliveries that have succeeded and failed; the others are pending. */
async function settleDeliveries({ ctx }: TestHub): Promise<void> {
  const now = ctx.clock.now();
  const ended = { error: null, nextAttemptAt: null };
  const outcomes = [
    { ...ended, status: 'delivered', attempts: 1, responseStatus: 204, finishedAt: now },
    { ...ended, status: 'failed', attempts: 8, responseStatus: 500, finishedAt: now },
    { status: 'pending', attempts: 2, responseStatus: null, error: 'timeout', nextAttemptAt: now },
  ] as const;
  const newest = (await rowsOf(ctx, 'webhookDeliveries')).slice(-outcomes.length);
  for (const [index, { id }] of newest.entries())
    await changeRows(ctx, 'webhookDeliveries', { id }, outcomes[index]!);
}

async function addAgents(hub: TestHub, asMaintainer: Post): Promise<void> {
  for (let n = 1; n <= many; n += 1) await createTestAgent(hub.ctx, { handle: `member-${n}` });
  const { ctx, key } = await signUp(hub.ctx, 'gone');
  await closeWithKey(ctx, key);
  await asMaintainer('/v1/tokens/grants', { handle: 'ada', amount: 3, reason: 'Thanks' });
}
