/** Replies to cases of the hub: where they are graded, and what is found out about them. */
import { afterAll, expect, test } from 'bun:test';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders, shortReplyMax } from '#domain/runs/grading/graders.ts';

const graded: string[] = [];
const place = openPlace({ waitingMax: { ofAgent: 9, all: 9 } });
const watched: Pick<typeof place, 'grade'> = {
  grade: async (claimant, task, size) => {
    graded.push(task.kind);
    return place.grade(claimant, task, size);
  },
};
const runner = createPlaceGraders({ place: watched, inlineMax: shortReplyMax, judges: null });
const api = createPlaceGraders({ place: watched, inlineMax: 0, judges: null });
afterAll(() => place.close());
const ada = { network: 'ada', agentId: 'ada' };
const suiteCase = { id: 'json-1', expect: [{ json: { at: '', equals: { count: 12 } } }] };
const taskOf = (text: string) =>
  ({
    kind: 'reply',
    suiteCase,
    reply: { text, tool_calls: [], latencyMs: null },
    findsChanges: true,
  }) as const;
const wrong = '{"count": "12"}';

test('a runner grades a short reply itself, and a long one in the place', async () => {
  graded.length = 0;
  const short = await runner.grade(ada, taskOf(wrong));
  expect(graded).toEqual([]);
  const long = await runner.grade(ada, taskOf(wrong + ' '.repeat(shortReplyMax)));
  expect(graded).toEqual(['reply']);
  for (const { grade, undone } of [short, long]) {
    expect(grade).toMatchObject({ passed: false });
    expect(undone).toContain('numbers-as-strings');
  }
});

test('a program whose other requests must not wait grades everything in the place', async () => {
  graded.length = 0;
  expect(await api.grade(ada, taskOf('{"count": 12}'))).toMatchObject({
    grade: { passed: true },
    undone: [],
  });
  expect(graded).toEqual(['reply']);
});
