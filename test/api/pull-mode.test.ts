/** Pull mode and the prompts of cases over HTTP. */
import { shortReplyMax } from '#domain/place/place-graders.ts';
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { answerBytesMax } from '#domain/runs/pull/pull-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { checkVersion } from '#evals/health/health-check.ts';
import { plainRunSize } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { changeRows, rowOf } from '#test/harness/rows.ts';

interface Fetched {
  readonly case_id: string;
  readonly index: number;
  readonly prompt: string;
  readonly step: number;
  readonly again: boolean;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

interface Answered extends Pick<Fetched, 'case_id' | 'step' | 'messages'> {
  readonly done: boolean;
}

let id: string;
const seeds: string[] = [];
const book = openAnswerBook(() => seeds);
const hub = useTestHub();
const agent = useTestAgent(hub, { tokens: 5 });
beforeAll(async () => {
  id = await redeem();
});

async function redeem(changes: object = {}, as = agent): Promise<string> {
  const json = { product: 'eval-run', max_prompt_tokens: 8_000, ...changes };
  const { body } = await hub.fetch('/v1/redemptions', { token: as.bearerToken, json });
  seeds.push((await rowOf(hub, 'runs', { id: body.eval_job.id })).suiteSeed);
  return body.eval_job.id as string;
}

const get = (path: string, as = agent) => {
  const base = path.includes('/cases/') ? 'runs' : 'eval-jobs';
  return hub.fetch(`/v1/${base}/${path}`, { token: as.bearerToken });
};
const submit = (job: string, answers: object[], headers: Record<string, string> = {}, as = agent) =>
  hub.fetch(`/v1/runs/${job}/answers`, { token: as.bearerToken, json: { answers }, headers });
const best = ({ case_id, step, messages }: Fetched) => ({
  case_id,
  step,
  text: book.find(messages.filter(({ role }) => role === 'user').map(({ content }) => content))?.best ?? '',
});

test('a redemption without a target starts a run that the agent carries out itself', async () => {
  const charge = { free: true, state: 'held' };
  const waiting = { mode: 'pull', target_url: null, target: null, status: 'queued', charge };
  expect((await get(id)).body.eval_job).toMatchObject(waiting);
  expectError(await get(`${id}/cases/word-1/prompt`), 409, 'run_not_completed');
  let done = false;
  const prompts = new Map<number, string>();
  for (let round = 0; !done && round < 40; round += 1) {
    const { body } = await get(`${id}/cases/next?limit=8&wait=1`);
    for (const one of body.cases as Fetched[])
      if (one.messages.length === 1) prompts.set(one.index, one.prompt);
    const answered = await submit(id, body.cases.map(best));
    expect(answered.body.accepted).toBe(body.cases.length);
    done = answered.body.ended;
  }
  const { body } = await get(id);
  expect(body.eval_job).toMatchObject({ status: 'completed', score: 100, charge: { state: 'consumed' } });
  expect(body.eval_job.interval).toMatchObject({ high: 100 });
  expect(body.eval_job.scorecard.score_json).toMatchObject({ outcome: 'held', findings: [] });
  expect(body.eval_job.unseen.join(' ')).toContain('the agent fetches its cases');
  const cases = body.eval_job.cases as { case_id: string; prompt: string }[];
  const [index, prompt] = [...prompts].find(([, one]) => one.length > 4_000)!;
  expect(cases[index]!.prompt).toBe(prompt.slice(0, 4_000));
  expect((await get(`${id}/cases/${cases[index]!.case_id}/prompt`)).text).toBe(prompt);
  expectError(await get(`${id}/cases/policy-99/prompt`), 404, 'case_not_found');
  expectError(await submit(id, [{ case_id: `${id}.0`, text: 'x' }]), 409, 'run_ended');
  expect((await get(`${id}/cases/next`)).body).toEqual({ cases: [], remaining: 0, ended: true });
});

test('the report is Markdown on request, the summary under 8 kB', async () => {
  const report = (query: string) =>
    hub.fetch(`/v1/runs/${id}/report?format=${query}`, { token: agent.bearerToken });
  const summary = await report('markdown');
  expect(summary.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(summary.text).toStartWith('# Findings');
  expect(Buffer.byteLength(summary.text)).toBeLessThan(8_000);
  expect(Buffer.byteLength((await get(`${id}?include=none`)).text)).toBeLessThan(4_000);
  const full = await report('markdown&detail=full');
  expect(full.text.match(/^### /gm)).toHaveLength(plainRunSize);
  const failed = await report('markdown&detail=failed');
  expect(failed.text).not.toContain('### ');
  const page = await report('html');
  expect(page.text).toContain('<h2>Findings</h2>');
});

test('a run whose replies were removed keeps its figures, its verdicts and its prompts', async () => {
  const { runItems } = hub.db.tables;
  await hub.db.transaction((tx) => tx.query.delete(runItems).where(eq(runItems.runId, id)));
  await changeRows(hub, 'runs', { id }, { itemsPrunedAt: new Date() });
  expect((await get(`${id}/cases/word-1/prompt`)).status).toBe(200);
  const { eval_job: job } = (await get(id)).body;
  expect(job).toMatchObject({ score: 100, result: { pass_rate: { value: 1 } } });
  expect(job.scorecard.score_json.cases).toMatchObject({ total: plainRunSize, passed: plainRunSize });
  expect(job.cases[0]).toMatchObject({ case_id: 'word-1', trials: [] });
});

test('a prompt of a version that the hub no longer has is gone', async () => {
  await changeRows(hub, 'runs', { id }, { suiteVersion: '0' });
  expectError(await get(`${id}/cases/word-1/prompt`), 410, 'gone');
  await changeRows(hub, 'runs', { id }, { suiteVersion: checkVersion });
});

test('an answer is final, is replayed by its key, and must belong to a fetched case', async () => {
  const run = await redeem();
  const { body } = await get(`${run}/cases/next`);
  expect(body.cases).toHaveLength(1);
  const answers = [{ case_id: body.cases[0].case_id, step: 0, text: 'I cannot tell.' }];
  const key = { 'idempotency-key': 'answers-1' };
  const first = await submit(run, answers, key);
  expect(first.body).toMatchObject({ accepted: 1, remaining: expect.any(Number), ended: false });
  expect((await submit(run, answers, key)).text).toBe(first.text);
  expect((await submit(run, answers)).text).toBe(first.text);
  const other = await submit(run, [{ ...answers[0], step: 0, text: 'I can tell.' }]);
  expectError(other, 409, first.body.cases[0].done ? 'case_answered' : 'wrong_step');
  expectError(await submit(run, [{ case_id: 'nonsense', text: '' }]), 404, 'case_not_found');
  expectError(await submit(run, [{ case_id: 'x', text: 'a\0b' }]), 400, 'invalid_body');
  expectError(await get(`${run}/cases/next?limit=9`), 400, 'invalid_parameter');
});

test('a reply may have 256 KiB, whatever JSON escapes in it, and no byte more', async () => {
  const run = await redeem();
  const [{ case_id }] = (await get(`${run}/cases/next`)).body.cases;
  const text = '"'.repeat(answerBytesMax);
  expect((await submit(run, [{ case_id, text: `${text}x` }])).status).toBeWithin(400, 414);
  expect((await submit(run, [{ case_id, text }])).status).toBe(200);
});

test('a waiting request is woken by the answer that opens the second stage', async () => {
  const run = await redeem();
  const open: Fetched[] = [];
  for (let count = 0; count < 2; count += 1)
    open.push(...((await get(`${run}/cases/next?limit=8&worker=${count}`)).body.cases as Fetched[]));
  const waiting = get(`${run}/cases/next?wait=25&worker=waiting`);
  const startedAt = performance.now();
  while (open.length > 0) {
    const asked = open.splice(0, 8);
    const { body } = await submit(run, asked.map(best));
    for (const [place, { done, ...one }] of (body.cases as Answered[]).entries()) {
      const before = asked[place]!;
      const said = { role: 'assistant', content: best(before).text };
      if (!done) open.push({ ...before, ...one, messages: [...before.messages, said, ...one.messages] });
    }
  }
  const woken = await waiting;
  expect(woken.status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test('max_tokens returns fewer cases when they are long, always at least one, and says so', async () => {
  const run = await redeem();
  for (;;) {
    const { cases } = (await get(`${run}/cases/next?limit=8`)).body;
    // From here on, every case is open.
    if (cases.at(-1).index > 36) break;
    await submit(run, cases.map(best));
  }
  const all = await get(`${run}/cases/next?limit=8`);
  expect([all.body.cases.length, all.body.note]).toEqual([8, undefined]);
  // What was leased and does not fit now comes with a later fetch.
  const less = await get(`${run}/cases/next?limit=8&max_tokens=1000`);
  const { length } = less.body.cases;
  expect(length).toBeWithin(1, 8);
  expect(less.body.cases[0]).toMatchObject({ case_id: all.body.cases[0].case_id, again: true });
  expect(less.body).toMatchObject({
    note: `The cases are long: ${length} instead of up to 8, to stay within 1000 tokens. Answer, then fetch again.`,
    reason: expect.stringContaining('8 cases of this worker'),
  });
  expectError(await get(`${run}/cases/next?max_tokens=1`), 400, 'invalid_parameter');
});

test('while too many replies wait, answers are 503, and none of them counts', async () => {
  const other = await createTestAgent(hub.ctx);
  const run = await redeem({}, other);
  const { body } = await get(`${run}/cases/next?limit=8`, other);
  const answers = (body.cases as Fetched[]).map((one) => {
    const { text, ...answer } = best(one);
    return { ...answer, text: `${text}${' '.repeat(shortReplyMax)}` };
  });
  // Long replies do not go together. The first reply is being graded and the second one waits.
  await using busy = await startTestHub({ store: hub, placeWaitingMax: { ofAgent: 1, all: 1 } });
  const path = `/v1/runs/${run}/answers`;
  const refused = await busy.fetch(path, { token: other.bearerToken, json: { answers } });
  expectError(refused, 503, 'busy');
  expect(refused.headers.get('retry-after')).toBe('2');
  const accepted = await submit(run, answers, {}, other);
  expect([accepted.status, accepted.body.accepted]).toEqual([200, answers.length]);
});
