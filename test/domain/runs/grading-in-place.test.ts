/** Replies to cases of the hub: where they are graded, and what is found out about them. */
import { afterAll, expect, test } from 'bun:test';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders, shortReplyMax } from '#domain/runs/grading/place-graders.ts';

const graded: string[] = [];
const place = openPlace({ waitingMax: { ofAgent: 9, all: 9 } });
const watched: Pick<typeof place, 'grade'> = {
  grade: async (claimant, task, size) => {
    graded.push(task.kind);
    return place.grade(claimant, task, size);
  },
};
const runner = createPlaceGraders({ place: watched, inPlaceMax: shortReplyMax, judges: null });
const api = createPlaceGraders({ place: watched, inPlaceMax: 0, judges: null });
afterAll(() => place.close());
const ada = { network: 'ada', agentId: 'ada' };
const expectNumber = [{ json: { at: '', equals: { count: 12 } } }];
const asked = {
  id: 'json-1',
  expect: expectNumber,
  text: '{"count": "12"}',
};

test('a runner grades a short reply itself, and a long one in the place', async () => {
  graded.length = 0;
  const short = await runner.gradeCase(ada, asked);
  expect(graded).toEqual([]);
  const long = await runner.gradeCase(ada, { ...asked, text: asked.text + ' '.repeat(shortReplyMax) });
  expect(graded).toEqual(['case']);
  for (const { grade, undone } of [short, long]) {
    expect(grade.passed).toBe(false);
    expect(undone).toContain('numbers-as-strings');
  }
});

test('a program whose other requests must not wait grades everything in the place', async () => {
  graded.length = 0;
  expect(await api.gradeCase(ada, { ...asked, text: '{"count": 12}' })).toMatchObject({
    grade: { passed: true },
    undone: [],
  });
  expect(graded).toEqual(['case']);
});
