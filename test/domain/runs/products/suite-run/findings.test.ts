/** Runs of own suites say what is wrong with an agent, as far as replies show it without knowing the suite. */
import { expect, test } from 'bun:test';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';

const ctx = useTestCtx(useScratchStore('sqlite'));

const tickets = Array.from({ length: 12 }, (_, at) => ({
  id: `ticket-${at}`,
  tags: [at % 3 === 0 ? 'refunds' : 'shipping'],
  prompt: `Which team answers ticket ${at}? Reply with its name only.`,
  expect: [{ equals: `team ${at}`, ignore: ['case'] }],
}));

/** @returns the run of an agent that does not own the suite */
async function runOf(reply: (number: string) => string, visibility: 'open' | 'hidden' = 'open') {
  const owner = actingAs(ctx, await createTestAgent(ctx));
  const key = { owner: owner.agent.handle, name: 'own' };
  await publishTestSuite(owner, { suite: 1, name: key.name, cases: tickets });
  await updateSuite(owner, { ...key, visibility });
  const runner = actingAs(ctx, await createTestAgent(ctx));
  const runId = await playSuiteRun(runner, `@${key.owner}/own`, (id) => ({
    text: reply(/\d+/.exec(id)?.[0] ?? ''),
  }));
  const { findings, cases: shown } = await showOwnRun(runner, { runId, withCases: true });
  return { findings: findings ?? [], cases: shown ?? [] };
}

test('a line that is added to every answer', async () => {
  const run = await runOf((number) => `team ${number}\n\nSource: the handbook`);
  expect(run.findings).toMatchObject([
    {
      rule: 'undone',
      sentence: 'A paragraph is added after the answer.',
      change: { before: expect.stringMatching(/^team \d+ ?$/), after: expect.stringContaining('Source') },
    },
  ]);
});

test('a topic that fails', async () => {
  const run = await runOf((number) => (Number(number) % 3 === 0 ? `I ask ${number}` : `team ${number}`));
  expect(run.findings).toMatchObject([
    { sentence: 'Cases about refunds fail more often than the others: 4 of 4.', certainty: 'likely' },
  ]);
});

test('nothing is said of a sound agent, nor of one that is wrong here and there', async () => {
  expect((await runOf((number) => `Team ${number}`)).findings).toEqual([]);
  const wrong = await runOf((number) => (['2', '9'].includes(number) ? 'team 0' : `team ${number}`));
  expect(wrong.findings).toEqual([]);
});

test('the findings of a hidden suite do not show which reply would pass', async () => {
  const run = await runOf((number) => `team ${number}\n\nSource: the handbook`, 'hidden');
  expect(run.findings).toEqual([]);
  expect(run.cases[0]?.trials[0]).toMatchObject({ status: 'failed' });
  expect(run.cases[0]?.trials[0]).not.toHaveProperty('undone');
});
