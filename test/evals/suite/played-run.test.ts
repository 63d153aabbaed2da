import { expect, test } from 'bun:test';
import { suiteVersion } from '#evals/suite/index.ts';
import { estimatePlayed, type PlayedRun, replayRun } from '#evals/suite/played-run.ts';
import { drawSeed } from './draw-seeds.ts';

const opened: PlayedRun = {
  suite_version: suiteVersion,
  player: 'accepted replies',
  seed: drawSeed('played run'),
  cases: 40,
  max_prompt_tokens: 8_000,
  levels: [1, 8],
  replies: [],
};

test('a transcript grades the same way again, and shows the case that is open', () => {
  let run = opened;
  for (let count = 0; count < 4; count += 1) {
    const open = replayRun(run).at(-1);
    run = { ...run, replies: [...run.replies, open?.task.accepted[0] ?? []] };
  }
  const played = replayRun(run);
  expect(played.map(({ grade }) => grade?.passed ?? null)).toEqual([true, true, true, true, null]);
  expect(played.map(({ planned }) => planned.level)).toEqual([1, 8, 1, 8, 1]);
  expect(estimatePlayed(replayRun(run))).toEqual(estimatePlayed(played));
  expect(estimatePlayed(replayRun(opened))).toBeNull();
});

test('a transcript of another version is refused', () => {
  expect(() => replayRun({ ...opened, suite_version: '1' })).toThrow(RangeError);
});
