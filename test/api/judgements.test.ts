/** Judges of a runner over HTTP: statuses, shapes and refusals. The rules are tested in `test/domain/runs/`. */
import { expect, test } from 'bun:test';
import { actingAs } from '#test/harness/ctx.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { changeRows } from '#test/harness/rows.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';

const hub = useTestHub();
const ada = useTestAgent(hub, { tokens: 20 });

async function play(answers: boolean): Promise<string> {
  const as = actingAs(hub.ctx, ada);
  await publishTestSuite(as, {
    suite: 1,
    name: 'judged',
    judges: { tone: { rubric: 'Polite.', votes: 2 }, code: { command: 'true' } },
    cases: [
      { id: 'tone', prompt: 'Hi', expect: [{ judge: 'tone' }] },
      { id: 'code', prompt: 'Hi', expect: [{ judge: 'code' }] },
    ],
  });
  const run = await orderSuiteRun(as, `@${ada.handle}/judged`);
  if (!answers) return run.id;
  await handOutCases(as, { runId: run.id, limit: 8 });
  await answerPulled(as, run.id, [
    { caseId: 'tone', text: 'hello' },
    { caseId: 'code', text: 'hello' },
  ]);
  return run.id;
}

test('judges are asked, their verdicts stored, and a verdict overruled', async () => {
  const token = ada.bearerToken;
  const id = await play(true);
  const next = await hub.fetch(`/v1/runs/${id}/judgements?limit=1`, { token });
  expect([next.status, next.body]).toMatchObject([
    200,
    {
      judgements: [{ id: '0.0', case_id: 'tone', trial: 1, judge: 'tone', votes: 2, kind: 'rubric' }],
      remaining: 2,
      prompt_version: 1,
    },
  ]);
  const sent = await hub.fetch(`/v1/runs/${id}/judgements`, {
    token,
    json: {
      model: 'm-1',
      judgements: [
        { id: '0.0', replies: ['Kind.\nVERDICT: PASS', 'Curt.\nVERDICT: FAIL'] },
        { id: '1.0', error: 'not found' },
      ],
    },
  });
  expect([sent.status, sent.body]).toEqual([
    200,
    { judged: 1, unread: [{ id: '1.0', why: 'The judge did not reply: not found' }], remaining: 1 },
  ]);
  const overruled = await hub.fetch(`/v1/runs/${id}/cases/tone/overrule`, {
    token,
    json: { passed: true, reason: 'It is kind enough.' },
  });
  expect([overruled.status, overruled.body]).toMatchObject([
    200,
    { status: 'passed', was: 'failed', result: { reviewed: { overruled: ['tone'] } } },
  ]);
  const agreement = await hub.fetch(`/v1/runs/${id}/agreement`, { token });
  expect([agreement.status, agreement.body]).toMatchObject([
    200,
    {
      judges: { reviewed: 1, agreed: 0, too_strict: 1 },
      votes: { judges: [{ judge: 'tone', splits: 1 }] },
    },
  ]);
  const shown = await hub.fetch(`/v1/runs/${id}?include=cases`, { token });
  expect(shown.body).toMatchObject({
    run: {
      result: { judged: { cases: ['tone', 'code'], open: 1 } },
      cases: [{ trials: [{ review: { was: 'failed', by: ada.handle }, judged: [{ model: 'm-1' }] }] }, {}],
    },
  });
  const wrong = await hub.fetch(`/v1/runs/${id}/judgements`, {
    token,
    json: { judgements: [{ id: '9.9', replies: ['x'] }] },
  });
  expect([wrong.status, wrong.body]).toMatchObject([404, { error: 'case_not_found' }]);
  const unknown = await hub.fetch(`/v1/runs/${id}/cases/nothing/overrule`, {
    token,
    json: { passed: true, reason: 'x' },
  });
  expect(unknown.body).toMatchObject({ error: 'case_not_found' });
});

test('an open run and one whose replies are gone are refused', async () => {
  const token = ada.bearerToken;
  const [open, pruned] = [await play(false), await play(true)];
  await changeRows(hub, 'runs', { id: pruned }, { itemsPrunedAt: new Date() });
  const judgements = { judgements: [{ id: '0.0', replies: ['x', 'y'] }] };
  const decision = { passed: true, reason: 'x' };
  for (const [id, code] of [
    [open, 'run_not_completed'],
    [pruned, 'gone'],
  ] as const) {
    const responses = [
      await hub.fetch(`/v1/runs/${id}/judgements`, { token }),
      await hub.fetch(`/v1/runs/${id}/judgements`, { token, json: judgements }),
      await hub.fetch(`/v1/runs/${id}/cases/tone/overrule`, { token, json: decision }),
    ];
    for (const { body } of responses) expect(body).toMatchObject({ error: code });
  }
  const agreement = await hub.fetch(`/v1/runs/${open}/agreement`, { token });
  expect(agreement.body).toMatchObject({ error: 'run_not_completed' });
});
