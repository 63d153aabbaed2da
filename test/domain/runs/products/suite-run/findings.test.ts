/** Runs of own suites say what is wrong with an agent, as far as replies show it without knowing the suite. */
import { expect, test } from 'bun:test';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestRunner, carryOut } from '#test/harness/eval-runs.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { startTarget } from '#test/harness/target.ts';

const hub = useTestHub();

/** @returns the run of an agent that does not own the suite */
async function runOf(cases: readonly object[], reply: (number: string) => string, isHidden = false) {
  const { bearerToken: token } = await createTestAgent(hub.ctx, { tokens: 20 });
  const { handle: owner, ...rest } = await createTestAgent(hub.ctx);
  const as = actingAs(hub.ctx, { handle: owner, ...rest });
  await publishTestSuite(as, { suite: 1, name: 'own', cases });
  await updateSuite(as, { owner, name: 'own', visibility: isHidden ? 'hidden' : 'open' });
  const target = startTarget(({ prompt }) => reply(/\d+/.exec(prompt)?.[0] ?? ''));
  const json = { product: 'suite-run', suite: `@${owner}/own`, target: { url: target.url } };
  const runId: string = (await hub.fetch('/v1/redemptions', { token, json })).body.run.id;
  const runner = createTestRunner(hub.ctx, hub.redisUrl);
  await carryOut(runner, runId);
  runner.close();
  await target.stop();
  return (await hub.fetch(`/v1/runs/${runId}?include=cases`, { token })).body.run;
}

const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
const tickets = numbers.map((at) => ({
  id: `ticket-${at}`,
  tags: [at % 3 === 0 ? 'refunds' : 'shipping'],
  prompt: `Which team answers ticket ${at}? Reply with its name only.`,
  expect: [{ equals: `team ${at}`, ignore: ['case'] }],
}));

test('a line that is added to every answer', async () => {
  const run = await runOf(tickets, (number) => `team ${number}\n\nSource: the handbook`);
  expect(run.findings).toMatchObject([
    {
      rule: 'undone',
      sentence: 'A paragraph is added after the answer.',
      change: { before: expect.stringMatching(/^team \d+ ?$/), after: expect.stringContaining('Source') },
    },
  ]);
});

test('JSON with commas before its closing brackets', async () => {
  const orders = numbers.map((at) => ({
    id: `order-${at}`,
    prompt: `Put order ${at} into JSON, with number, and paid as true.`,
    expect: [{ json: { at: '', equals: { number: at, paid: true } } }],
  }));
  const run = await runOf(orders, (number) => `{"number": ${number}, "paid": true,}`);
  expect(run.findings).toMatchObject([{ sentence: 'JSON in replies has commas before closing brackets.' }]);
});

test('a topic that fails', async () => {
  const run = await runOf(tickets, (number) =>
    Number(number) % 3 === 0 ? `I ask ${number}` : `team ${number}`,
  );
  expect(run.findings).toMatchObject([
    { sentence: 'Cases about refunds fail more often than the others: 4 of 4.', certainty: 'likely' },
  ]);
});

test('nothing is said of a sound agent, nor of one that is wrong here and there', async () => {
  expect(await runOf(tickets, (number) => `Team ${number}`)).not.toHaveProperty('findings');
  const wrong = await runOf(tickets, (number) => (['2', '9'].includes(number) ? 'team 0' : `team ${number}`));
  expect(wrong).not.toHaveProperty('findings');
});

test('the findings of a hidden suite do not show which reply would pass', async () => {
  const run = await runOf(tickets, (number) => `team ${number}\n\nSource: the handbook`, true);
  expect(run).not.toHaveProperty('findings');
  expect(run.cases[0].trials[0]).toMatchObject({ status: 'failed' });
  expect(run.cases[0].trials[0]).not.toHaveProperty('undone');
});
