/** Where replies are graded, which of them together, and what one reply may do to the others. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders, shortReplyMax } from '#domain/place/place-graders.ts';
import { TaskTooLongError } from '#runtime/place/child-program.ts';
import { PlaceBusyError } from '#runtime/place/work-place.ts';
import type { GradingTask } from '#domain/runs/grading/grade-reply.ts';

const place = openPlace({ waitingMax: { ofAgent: 9, all: 9 } });
afterAll(() => place.close());

/** How many replies were sent to the place at once. */
const sent: number[] = [];
beforeEach(() => void sent.splice(0));

const watched: Pick<typeof place, 'grade'> = {
  grade: (claimant, readReplies, size) => {
    const read = () => {
      const replies = readReplies();
      sent.push(replies.length);
      return replies;
    };
    return place.grade(claimant, read, size);
  },
};
const runner = createPlaceGraders({ place: watched, inlineMax: shortReplyMax, judges: null });
const api = createPlaceGraders({ place: watched, inlineMax: 0, judges: null });

const ada = { network: 'ada', agentId: 'ada' };
const bob = { network: 'bob', agentId: 'bob' };

const replyOf = (text: string, own: Partial<GradingTask> = {}): GradingTask => ({
  suiteCase: { id: 'json-1', expect: [{ json: { at: '', equals: { count: 12 } } }] },
  reply: { text, tool_calls: [], latencyMs: null },
  findsChanges: true,
  isOfHub: true,
  ...own,
});
const right = '{"count": 12}';
const wrong = '{"count": "12"}';

test('a runner itself grades a short reply to a case of the hub, and a long one is graded in the place', async () => {
  const short = await runner.grade(ada, replyOf(wrong));
  expect(sent).toEqual([]);
  const long = await runner.grade(ada, replyOf(wrong + ' '.repeat(shortReplyMax)));
  expect(sent).toEqual([1]);
  for (const { grade, undone } of [short, long]) {
    expect(grade).toMatchObject({ passed: false });
    expect(undone).toContain('numbers-as-strings');
  }
});

test('a reply to a case of strangers is never graded in the program itself, however short it is', async () => {
  const { isOfHub: _, ...own } = replyOf(right);
  expect(await runner.grade(ada, own)).toMatchObject({ grade: { passed: true } });
  expect(sent).toEqual([1]);
});

test('a program whose other requests must not wait grades everything in the place', async () => {
  expect(await api.grade(ada, replyOf(right))).toMatchObject({ grade: { passed: true }, undone: [] });
  expect(sent).toEqual([1]);
});

test('replies of one agent go together, and each gets its own grade', async () => {
  const texts = [right, wrong, right, right + ' '.repeat(shortReplyMax), ...Array<string>(6).fill(wrong)];
  const grades = await Promise.all([
    ...texts.map((text) => api.grade(ada, replyOf(text))),
    api.grade(bob, replyOf(right)),
  ]);
  expect(grades.map(({ grade }) => 'passed' in grade && grade.passed)).toEqual([
    ...texts.map((text) => text.startsWith(right)),
    true,
  ]);
  // Eight short ones, the ninth, the long one, and that of bob.
  expect(sent.toSorted((one, other) => other - one)).toEqual([8, 1, 1, 1]);
});

test.each([
  ['takes too long', new TaskTooLongError(), { exhausted: 'time' }],
  ['ends its process', new PlaceBusyError(), null],
])('a reply that %s leaves those that went with it their grades', async (_, failure, expected) => {
  const graders = createPlaceGraders({
    place: {
      grade: (claimant, readReplies, size) => {
        const read = () => {
          const replies = readReplies();
          if (replies.some(({ suiteCase }) => suiteCase.id === 'endless')) throw failure;
          return replies;
        };
        return watched.grade(claimant, read, size);
      },
    },
    inlineMax: 0,
    judges: null,
  });
  const endless = replyOf(right, { suiteCase: { id: 'endless', expect: [] } });
  const grades = await Promise.allSettled(
    [replyOf(right), endless, replyOf(wrong)].map((task) => graders.grade(ada, task)),
  );
  expect(grades.map((one) => (one.status === 'fulfilled' ? one.value.grade : null))).toMatchObject([
    { passed: true },
    expected,
    { passed: false },
  ]);
});
