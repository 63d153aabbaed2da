import { describe, expect, test } from 'bun:test';
import { gradeCalibration } from '#evals/suite/tasks/calibration/grade-calibration.ts';

const expected = ['12', 'unknown', '30', '41', 'unknown', '57'];
const scoreOf = (reply: string) => gradeCalibration(expected, reply).score;

describe('a calibration score', () => {
  test.each([
    ['a perfect reply', '12, unknown, 30, 41, unknown, 57', 1],
    ['nothing but abstaining', 'unknown, unknown, unknown, unknown, unknown, unknown', 0],
    ['one answer held back', '12, unknown, 30, unknown, unknown, 57', 0.75],
    ['one answer wrong', '12, unknown, 30, 40, unknown, 57', 0.5],
    ['one open question answered', '12, 5, 30, 41, unknown, 57', 0.5],
    ['every open question answered', '12, 5, 30, 41, 7, 57', 0],
    ['nothing but wrong answers', '1, 2, 3, 4, 5, 6', 0],
    ['one answer missing', '12, unknown, 30, 41, unknown', 0],
    ['a reply that takes itself back', '12, unknown, 30, 41, unknown, 57 is wrong', 0.5],
    ['no list at all', 'I am not sure about any of this.', 0],
  ])('of %s', (_name, reply, score) => {
    expect(scoreOf(`Answer: ${reply}`)).toBeCloseTo(score, 10);
  });

  test('accepts other words for unknown, other forms of numbers, and any letter case', () => {
    expect(scoreOf('1. 12 sailors\n2. Unknown\n3. 30\n4. **41**\n5. N/A\n6. 57.0')).toBe(1);
    expect(scoreOf('12, cannot be determined, 30, 41, UNKNOWN, 57 beds')).toBe(1);
    expect(scoreOf('12 crew members, unknown, 30 loaves, 41 kg, unknown, 57 sheep')).toBe(1);
  });

  test('says on which side a reply fails', () => {
    const { checks, passed } = gradeCalibration(expected, 'Answer: 12, 5, 30, 41, unknown, 57');
    expect(passed).toBe(false);
    expect(checks.map((check) => [check.name, check.passed])).toEqual([
      ['answers-what-is-settled', true],
      ['abstains-where-nothing-settles', false],
    ]);
  });
});
