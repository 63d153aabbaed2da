import { describe, expect, test } from 'bun:test';
import { graders, UnknownGraderError } from '#domain/eval-suite/index.ts';
import type { GraderSpec } from '#domain/eval-suite/graders/grader.ts';
import { answerFixtures } from './answer-fixtures.ts';
import { instructionFixtures } from './instruction-fixtures.ts';
import { silenceFixtures } from './silence-fixtures.ts';
import { structuredFixtures } from './structured-fixtures.ts';
import { applyGrader } from './fixture.ts';

const fixtures = [...answerFixtures, ...structuredFixtures, ...instructionFixtures, ...silenceFixtures];

describe('every grader', () => {
  test('has replies that pass and replies that fail', () => {
    for (const name of graders.keys()) {
      const own = fixtures.filter((fixture) => fixture.spec.name === name);
      expect({ name, passing: own.some((fixture) => fixture.passing.length > 0) }).toEqual({
        name,
        passing: true,
      });
      expect({ name, failing: own.some((fixture) => fixture.failing.length > 1) }).toEqual({
        name,
        failing: true,
      });
    }
  });

  describe.each(
    fixtures.map(
      (fixture) => [`${fixture.spec.name} ${JSON.stringify(fixture.spec.parameters)}`, fixture] as const,
    ),
  )('%s', (_name, { spec, passing, failing, loose = [] }) => {
    test.each(passing)('passes %j', (reply) => {
      const verdict = applyGrader(spec, reply);
      expect(verdict).toMatchObject({ passed: true });
      expect(verdict.passedLoose ?? true).toBe(true);
    });

    test.each(failing)('fails %j', (reply) => {
      const verdict = applyGrader(spec, reply);
      expect(verdict).toMatchObject({ passed: false });
      expect(verdict.passedLoose ?? false).toBe(false);
    });

    if (loose.length > 0) {
      test.each(loose)('fails strictly and passes loosely %j', (reply) => {
        expect(applyGrader(spec, reply)).toMatchObject({ passed: false, passedLoose: true });
      });
    }

    test('reports the expected and the actual value', () => {
      for (const reply of [...passing, ...failing, ...loose]) {
        expect(applyGrader(spec, reply).message).toMatch(/^Expected .*\bfound\b.*\.$/s);
      }
    });

    test('fails a reply of endless words with a short message', () => {
      const verdict = applyGrader(spec, 'long '.repeat(40_000));
      expect(verdict.passed).toBe(false);
      expect(verdict.message.length).toBeLessThan(600);
    });

    test('gives the same verdict after its parameters went through JSON', () => {
      const copy = JSON.parse(JSON.stringify(spec)) as GraderSpec;
      for (const reply of [...passing, ...failing])
        expect(applyGrader(copy, reply)).toEqual(applyGrader(spec, reply));
    });
  });
});

describe('a grader that does not exist', () => {
  test.each(['no-such-grader', 'toString', '__proto__', 'constructor', ''])(
    '%p is an error, never a pass',
    (name) => {
      const spec = { name, parameters: {} } as unknown as GraderSpec;
      expect(() => applyGrader(spec, 'anything')).toThrow(UnknownGraderError);
    },
  );
});

describe('lenient reading', () => {
  test.each([
    [
      { name: 'answer-number', parameters: { expected: '1234' } },
      '**1,234**',
      'emphasis removed, digit grouping ignored',
    ],
    [
      { name: 'answer-number', parameters: { expected: '7', units: ['kg'] } },
      '"7 kg"',
      'quotation marks removed, unit ignored',
    ],
    [
      { name: 'answer-number', parameters: { expected: '7' } },
      'So.\nAnswer: 7',
      'read from the line labelled "Answer:"',
    ],
    [
      { name: 'answer-text', parameters: { expected: 'x', caseSensitive: true } },
      '```\nx\n```',
      'code fence removed',
    ],
    [{ name: 'answer-list', parameters: { expected: ['a', 'b'] } }, 'a\nb', 'read one item per line'],
    [{ name: 'answer-digits', parameters: { expected: 'F', base: 16 } }, '0xF', 'prefix ignored'],
    [
      { name: 'answer-date', parameters: { expected: '2031-03-05' } },
      '5 March 2031',
      'other date format accepted',
    ],
  ] as const)('%j says of %j what it let by', (spec, reply, note) => {
    const verdict = applyGrader(spec, reply);
    expect(verdict.passed).toBe(true);
    expect(verdict.message).toContain(`(${note})`);
  });
});
