/** A runner grades short replies with the task that it has just made. All others are graded in a thread. */
import { afterAll, expect, test } from 'bun:test';
import type { Graders } from '#domain/runs/grading/graders.ts';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders, shortReplyMax } from '#domain/runs/grading/place-graders.ts';
import { planCases } from '#domain/runs/products/eval-run/plan-cases.ts';
import type { Task } from '#evals/suite/task.ts';

const run = {
  id: Bun.randomUUIDv7(),
  mode: 'push' as const,
  suiteSeed: 'a seed',
  runSize: 40,
  maxPromptTokens: 8_000,
  repeat: 1,
  levels: null,
};
const plan = planCases(run);
const planned = plan.planned([])[0]!;
const task = plan.taskOf(planned);
const replies = task.turns.map(() => 'wrong');

/** Accepts everything, unlike the task that the place makes from the key. */
const lenient: Task = {
  ...task,
  grade: () => ({ score: 1, passed: true, found: null, checks: [] }),
};

const place = openPlace({ waitingMax: { ofAgent: 9, all: 9 } });
const [runner, api] = [shortReplyMax, 0].map((inPlaceMax) =>
  createPlaceGraders({ place, inPlaceMax, judges: null }),
) as [Graders, Graders];
afterAll(() => place.close());
const ada = { network: 'ada', agentId: 'ada' };

const asked = { key: plan.key, planned, replies, task: () => lenient, isMade: true };

test('a short reply is graded by the task at hand', async () => {
  expect(await runner.gradeCase(ada, asked)).toMatchObject({ passed: true });
});

test.each([
  ['a long reply', { ...asked, replies: replies.map(() => 'wrong '.repeat(700)) }],
  ['a reply to a task that is not at hand', { ...asked, isMade: false }],
])('%s is graded in the place', async (_name, other) => {
  expect(await runner.gradeCase(ada, other)).toMatchObject({ passed: false });
});

test('a program whose other requests must not wait grades everything in the place', async () => {
  expect(await api.gradeCase(ada, asked)).toMatchObject({ passed: false });
});

test('a task is at hand after it was presented, until its reply is graded', async () => {
  const seen: boolean[] = [];
  const graders = {
    ...runner,
    gradeCase: async (_claimant: unknown, { isMade }: { isMade: boolean }) => {
      seen.push(isMade);
      return lenient.grade([]);
    },
  };
  const call = { latencyMs: 1, attempts: 1, usage: null };
  const grade = () => plan.grade({ claimant: ada, item: planned, steps: [], call }, graders);
  plan.present(planned);
  await grade();
  await grade();
  expect(seen).toEqual([true, false]);
});
