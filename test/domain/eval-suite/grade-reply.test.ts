import { describe, expect, test } from 'bun:test';
import { gradeReply, UnknownGraderError } from '#domain/eval-suite/index.ts';
import type { EvalCase } from '#domain/eval-suite/index.ts';
import type { GraderSpec } from '#domain/eval-suite/graders/grader.ts';

function caseWith(graders: readonly GraderSpec[], scoring: EvalCase['scoring'] = 'weighted'): EvalCase {
  return {
    index: 0,
    id: 'sample-1',
    category: 'sample',
    kind: 'sample',
    difficulty: 'easy',
    prompt: 'Say it.',
    weight: 1,
    graders,
    scoring,
    expected: '',
  };
}

const noComma: GraderSpec = { name: 'no-comma', parameters: {} };
const lower: GraderSpec = { name: 'all-lowercase', parameters: {}, weight: 3 };

describe('gradeReply', () => {
  test('returns the weighted share of the checks that passed', () => {
    expect(gradeReply(caseWith([noComma, lower]), 'a, b')).toMatchObject({ score: 0.75, passed: false });
    expect(gradeReply(caseWith([noComma, lower]), 'A b')).toMatchObject({ score: 0.25, passed: false });
    expect(gradeReply(caseWith([noComma, lower]), 'a b')).toMatchObject({ score: 1, passed: true });
    expect(gradeReply(caseWith([noComma, lower]), 'A, b')).toMatchObject({ score: 0, passed: false });
  });

  test('gives all or nothing where the case requires it', () => {
    expect(gradeReply(caseWith([noComma, lower], 'all'), 'a, b').score).toBe(0);
    expect(gradeReply(caseWith([noComma, lower], 'all'), 'a b').score).toBe(1);
  });

  test('names each check after its grader, with its weight, and its loose verdict where that differs', () => {
    expect(gradeReply(caseWith([noComma, lower]), 'Well, here:\na b').checks).toStrictEqual([
      {
        name: 'no-comma',
        passed: false,
        message: 'Expected no comma, found 1. Passes loosely, without the first line.',
        passed_loose: true,
      },
      {
        name: 'all-lowercase',
        passed: false,
        message:
          'Expected lower-case letters only, found "Well, here". Passes loosely, without the first line.',
        passed_loose: true,
        weight: 3,
      },
    ]);
  });

  test('throws for an unknown grader, even next to one that passes', () => {
    const unknown = { name: 'trust-me', parameters: {} } as unknown as GraderSpec;
    expect(() => gradeReply(caseWith([noComma, unknown]), 'a b')).toThrow(UnknownGraderError);
  });

  test('throws for a case without graders rather than passing it', () => {
    expect(() => gradeReply(caseWith([]), 'a b')).toThrow();
  });

  test('grades a reply of exactly the maximum length', () => {
    const number: GraderSpec = { name: 'answer-number', parameters: { expected: '7' } };
    const grade = gradeReply(caseWith([number]), `${'x'.repeat(262_133)}\nAnswer: 7`.padEnd(262_144));
    expect(grade.score).toBe(1);
    expect(gradeReply(caseWith([number]), `${'x'.repeat(262_134)}\nAnswer: 7`.padEnd(262_145)).score).toBe(0);
  });

  test('fails every check of a reply above the maximum length', () => {
    const grade = gradeReply(caseWith([noComma, lower]), 'a '.repeat(140_000));
    expect(grade.score).toBe(0);
    expect(grade.checks[0]?.message).toContain('at most 262144 characters, found 280000');
    expect(grade.checks.every((check) => check.passed_loose === undefined)).toBe(true);
  });
});
