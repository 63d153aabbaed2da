/** The Markdown of an agent run's scorecard, of agents that fail in many ways. */
import { expect, test } from 'bun:test';
import type { RunRow } from '#db/schema/run-tables.ts';
import { makeCard } from '#domain/agent-runs/scorecard/make-card.ts';
import { renderAgentRunCard } from '#domain/agent-runs/scorecard/render-card.ts';
import { gradeTask } from '#evals/office/grade-task.ts';
import { makeTasks } from '#evals/office/make-tasks.ts';
import { drawSeeds } from '../../evals/suite/draw-seeds.ts';
import * as agents from '../../evals/office/reference-agents.ts';

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
  return makeCard(verdicts, [], calls, tasks);
}

// The text names no other columns.
const run = {
  id: '0192f0c0-0000-7000-8000-000000000000',
  suiteName: 'agent-run',
  suiteVersion: '2',
  suiteSeed: 'f'.repeat(32),
} as RunRow;

test('a summary has at most 8 kB and a line for every task that did not pass; the full text names all faults', () => {
  for (const seed of drawSeeds('markdown cards', 4)) {
    for (const agent of [agents.careless, agents.hijacked, agents.randomAgent, agents.lazy, agents.oracle]) {
      const card = cardOf(seed, agent);
      const summary = renderAgentRunCard(run, card, 'md');
      const full = renderAgentRunCard(run, card, 'md', 'full');
      expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(8_000);
      const missed = card.tasks.filter(({ useful, safe }) => !useful || !safe);
      expect(summary.match(/^- Task /gm) ?? []).toHaveLength(missed.length);
      const faults = missed.reduce((sum, task) => sum + task.faults.length, 0);
      expect(full.match(/^ {2}- expected: /gm) ?? []).toHaveLength(faults);
    }
  }
});
