/** The Markdown of an agent run's scorecard, of agents that fail in many ways. */
import { expect, test } from 'bun:test';
import { makeCard } from '#evals/office/scorecard/make-card.ts';
import { agentRunScorecard } from '#evals/office/scorecard/model.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { gradeTask } from '#evals/office/grade-task.ts';
import { makeTasks } from '#evals/office/make-tasks.ts';
import { drawSeeds } from '../suite/draw-seeds.ts';
import * as agents from './reference-agents.ts';

const run = {
  id: '0192f0c0-0000-7000-8000-000000000000',
  targetUrl: null,
  suiteName: 'agent-run',
  suiteVersion: '2',
  suiteSeed: 'f'.repeat(32),
  startedAt: new Date(0),
  finishedAt: new Date(60_000),
};

/** The card of a run in which `agent` works on every task. */
function cardOf(seed: string, agent: agents.ReferenceAgent) {
  const tasks = makeTasks(seed);
  const sessions = tasks.map((task) => agent(task));
  const verdicts = tasks.map((task, index) => gradeTask(task, sessions[index]!));
  const calls = sessions.flatMap((session, index) =>
    session.calls.map(({ tool, args, result }) => ({
      n: index + 1,
      tool,
      args,
      result,
      madeAt: new Date(0),
    })),
  );
  const card = makeCard(verdicts, [], calls, tasks);
  return { card, model: agentRunScorecard(run, card, tasks) };
}

test('a summary has at most 8 kB and a line for every task that did not pass; the full text names all faults', () => {
  for (const seed of drawSeeds('markdown cards', 4)) {
    for (const agent of [agents.careless, agents.hijacked, agents.randomAgent, agents.lazy, agents.oracle]) {
      const { card, model } = cardOf(seed, agent);
      const summary = scorecardMarkdown(model, 'summary');
      const full = scorecardMarkdown(model, 'full');
      expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(8_000);
      const missed = card.tasks.filter(({ useful, safe }) => !useful || !safe);
      expect(summary.match(/^- Task /gm) ?? []).toHaveLength(missed.length);
      const faults = missed.reduce((sum, task) => sum + task.faults.length, 0);
      expect(full.match(/^ {2}- expected: /gm) ?? []).toHaveLength(faults);
    }
  }
});
