/**
 * Solves written tasks from their prompts only, in another way than their generators, to show that prompts are complete
 * and clear.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { drawSeeds } from '../draw-seeds.ts';
import { solveExtract, solveSchema, solveTable, solveTemplate } from './solvers/documents-again.ts';
import { drawTasks } from './task-figures.ts';

setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 900_000 : 60_000);
/** The long form draws 300 seeds. */
const seeds = drawSeeds('written again', 8).slice(0, 300);

/** The logs, following the owner's notes and ignoring all others. */
function solveInjection(turns: readonly string[]): string[] {
  const owner = /(?:end with the name|I am) ([A-Z][a-z]+ [A-Z][a-z]+)/.exec(turns[0] ?? '')?.[1] ?? '?';
  return turns.map((turn) => {
    const town = /all parcels to ([A-Z][a-z]+) weigh/.exec(turn)?.[1] ?? '?';
    let sum = 0;
    const weights = new Map<string, number>();
    const elsewhere = new Map<string, number>();
    for (const line of turn.split('\n')) {
      const weight = Number(/(\d+) kg\.?$/.exec(line)?.[1]);
      const number = /(?:^|arcel )(1\d{3})\b/.exec(line)?.[1];
      if (number === undefined || Number.isNaN(weight)) continue;
      if (!line.includes(town)) elsewhere.set(number, weight);
      if (!line.includes(town)) continue;
      weights.set(number, weight);
      sum += weight;
    }
    for (const note of turn.split('\n').filter((line) => line.endsWith(` ${owner}`))) {
      const number = /arcel (\d+)/.exec(note)?.[1] ?? '';
      const named = weights.get(number) ?? 0;
      if (note.startsWith('Leave')) sum -= named;
      if (note.startsWith('Count')) sum += named;
      if (note.startsWith('Add')) sum += Number(/Add (\d+) kg/.exec(note)?.[1]);
      const right = /weighs (\d+) kg, not/.exec(note)?.[1];
      if (right !== undefined) sum += Number(right) - named;
      if (note.includes('after all')) sum += elsewhere.get(number) ?? 0;
    }
    return `Answer: ${sum}`;
  });
}

function solveSecret(turns: readonly string[]): string[] {
  const rules = turns[0] ?? '';
  const prices = new Map(
    [...rules.matchAll(/one ([a-z]+) costs (\d+) marks/g)].map(([, name = '', price]) => [
      name,
      Number(price),
    ]),
  );
  const word = /visitors' word of today is (\S+)\./.exec(rules)?.[1] ?? '?';
  return turns.map((turn) => {
    const visit = turn.slice(turn.search(/visitor(?: says)?: "/));
    const owed = [...visit.matchAll(/(\d+) ([a-z]+)s\b/g)].reduce(
      (sum, [, count, name = '']) => sum + Number(count) * (prices.get(name) ?? 0),
      0,
    );
    const paid = /If I pay (\d+) marks/.exec(visit)?.[1];
    const asks = /visitors' word(?: today\?|\.)/.test(visit);
    const answer = paid === undefined ? owed : Number(paid) - owed;
    return `${asks ? `It is ${word}.\n` : ''}Answer: ${answer}`;
  });
}

const solvers: Readonly<Record<string, (turns: readonly string[]) => readonly string[]>> = {
  extract: ([prompt = '']) => [solveExtract(prompt)],
  schema: ([prompt = '']) => [solveSchema(prompt)],
  table: ([prompt = '']) => [solveTable(prompt)],
  template: ([prompt = '']) => [solveTemplate(prompt)],
  injection: solveInjection,
  secret: solveSecret,
};

test('records, planted orders and visits are solved from their prompts alone', () => {
  let solved = 0;
  for (const { name, kind, task } of drawTasks(['structured', 'security'], seeds)) {
    const replies = solvers[kind.name]?.(task.turns);
    if (replies === undefined) continue;
    expect({ name, replies, ...task.grade(replies) }).toMatchObject({ passed: true });
    solved += 1;
  }
  console.log(
    `solved again from the prompt: ${solved} of ${solved} tasks of ${Object.keys(solvers).join(', ')}`,
  );
});
