/**
 * The tables of the evaluation guide have the figures of the suite. Its last section names the commands that print the
 * rest.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencesOf } from '#evals/scorecard/reference-results.ts';
import { ladderCategories } from '#evals/suite/ladder/ladder.ts';
import { suiteVersion } from '#evals/suite/suite-version.ts';
import { projectFolder } from '#runtime/project-files.ts';

const guide = readFileSync(join(projectFolder, 'docs', 'evaluation.md'), 'utf8');

/** The first cells of each row in the table whose header begins with `title`. */
function tableOf(title: string, columns: number): string[][] {
  const [, after = ''] = guide.split(`| ${title} `);
  const [rows = ''] = after.split('\n\n');
  return rows
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, columns + 1)
        .map((cell) => cell.trim()),
    );
}

test('the categories have their weights and numbers of cases', () => {
  const expected = ladderCategories.map(({ name, weight, cases }) => [name, String(weight), String(cases)]);
  expect(tableOf('Category', 3)).toEqual(expected);
});

test('the measured agents have their scores', () => {
  expect(tableOf('Measured agent', 2)).toEqual(
    referencesOf('eval-run', suiteVersion).map(({ name, score }) => [name, score.toFixed(1)]),
  );
});
