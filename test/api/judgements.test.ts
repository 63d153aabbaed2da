/** Judges of a runner over HTTP: statuses, shapes and refusals. The rules are tested in `test/domain/runs/`. */
import { expect, test } from 'bun:test';
import { actingAs } from '#test/harness/ctx.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
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
  const answerTo = (caseId: string) => ({ caseId, text: 'hello' });
  await answerPulled(as, run.id, ['tone', 'code'].map(answerTo));
  return run.id;
}

const ask = (path: string, json?: object) => hub.fetch(`/v1/runs/${path}`, { token: ada.bearerToken, json });
const judge = (id: string, ...judgements: object[]) => ask(`${id}/judgements`, { model: 'm-1', judgements });
const overrule = (id: string, caseId = 'tone') =>
  ask(`${id}/cases/${caseId}/overrule`, { passed: true, reason: 'It is kind enough.' });

test('judges are asked, their verdicts stored, and a verdict overruled', async () => {
  const id = await play(true);
  const asked = { id: '0.0', case_id: 'tone', trial: 1, judge: 'tone', votes: 2, kind: 'rubric' };
  const next = await ask(`${id}/judgements?limit=1`);
  expect(next.body).toMatchObject({ judgements: [asked], remaining: 2, prompt_version: 1 });
  const replies = ['Kind.\nVERDICT: PASS', 'Curt.\nVERDICT: FAIL'];
  const sent = await judge(id, { id: '0.0', replies }, { id: '1.0', error: 'not found' });
  const unread = [{ id: '1.0', why: 'The judge did not reply: not found' }];
  expect([sent.status, sent.body]).toEqual([200, { judged: 1, unread, remaining: 1 }]);
  const result = { reviewed: { overruled: ['tone'] } };
  expect((await overrule(id)).body).toMatchObject({ status: 'passed', was: 'failed', result });
  expect((await ask(`${id}/agreement`)).body).toMatchObject({
    judges: { reviewed: 1, agreed: 0, too_strict: 1 },
    votes: { judges: [{ judge: 'tone', splits: 1 }] },
  });
  const trials = [{ review: { was: 'failed', by: ada.handle }, judged: [{ model: 'm-1' }] }];
  expect((await ask(`${id}?include=cases`)).body.run).toMatchObject({
    result: { judged: { cases: ['tone', 'code'], open: 1 } },
    cases: [{ trials }, {}],
  });
  expectError(await judge(id, { id: '9.9', replies: ['x'] }), 404, 'case_not_found');
  expectError(await overrule(id, 'nothing'), 404, 'case_not_found');
});

test('an open run and one whose replies are gone are refused', async () => {
  const [open, pruned] = [await play(false), await play(true)];
  await changeRows(hub, 'runs', { id: pruned }, { itemsPrunedAt: new Date() });
  for (const [id, status, code] of [
    [open, 409, 'run_not_completed'],
    [pruned, 410, 'gone'],
  ] as const) {
    expectError(await ask(`${id}/judgements`), status, code);
    expectError(await judge(id, { id: '0.0', replies: ['x', 'y'] }), status, code);
    expectError(await overrule(id), status, code);
  }
  expectError(await ask(`${open}/agreement`), 409, 'run_not_completed');
});
