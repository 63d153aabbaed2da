/**
 * The tables of the evaluation guide have the figures of the suite. Its last section names the commands that print the
 * rest.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ladderCategories } from '#evals/suite/ladder/ladder.ts';
import { norms } from '#evals/suite/norms.ts';
import { weekNorms } from '#evals/week/scorecard/model.ts';
import { policyCategoryOf, drawOfficePack } from '#evals/suite/packs/office/office-pack.ts';
import { packCasesOf, packRoomMin } from '#evals/suite/packs/pack.ts';
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

test('the reference agents have their scores', () => {
  expect(tableOf('Reference agent', 2)).toEqual(norms.map(({ name, score }) => [name, score.toFixed(1)]));
});

test('the reference agents of agent runs have their scores', () => {
  expect(tableOf('Agent', 3)).toEqual(
    weekNorms.map(({ name, about, score }) => [name, about, score.toFixed(1)]),
  );
});

test('the share of a private pack is that of a run', () => {
  const text = guide.replaceAll(/\s+/g, ' ');
  expect(text).toContain(`${packRoomMin} of 40 cases (${3 * packRoomMin} of 120)`);
  const made = [policyCategoryOf(drawOfficePack('any'))];
  expect(text).toContain(`${packCasesOf(40, made)} of 40 cases (${packCasesOf(120, made)} of 120)`);
});
