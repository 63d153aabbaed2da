/** Knights and knaves: everybody makes a statement, and exactly one assignment fits all statements. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import { firstNames } from '../../language/first-names.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import type { Statement } from './liars-statements.ts';
import { drawStatement, isTrue, sorts, tellStatement } from './liars-statements.ts';

const peopleCounts: Readonly<Record<Level, number>> = { 1: 3, 2: 5, 3: 7, 4: 9, 5: 12, 6: 14, 7: 15, 8: 16 };

export interface Island {
  readonly names: readonly string[];
  /** By speaker. */
  readonly statements: readonly Statement[];
  /** A bit mask of people. */
  readonly knights: number;
}

export const liars: Kind = {
  name: 'liars',
  make(random, level) {
    const { names, statements, knights } = makeIsland(random, level);
    const sort = random.pick(sorts);
    const wanted = random.chance(0.5);
    const value = names.filter((_, person) => isKnight(knights, person) === wanted);
    const others = names.filter((name) => !value.includes(name));
    const told = statements.map(
      (statement, person) => `${names[person] ?? ''} says: "${tellStatement(names, sort, statement)}"`,
    );
    const what = wanted ? sort.knights : sort.knaves;
    return exactTask({
      prompt: [
        sort.introduction,
        `${random.pick(['You meet', 'Here are'])} ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}.`,
        told.join('\n'),
        `Who are the ${what}? ${askForAnswer(random, `the names of all the ${what}, separated by commas`)}`,
      ].join('\n\n'),
      type: 'set',
      value,
      skill: 'deduction',
      mistakes: [others, names, value.slice(1), [...value, ...others.slice(0, 1)]],
    });
  },
};

export function makeIsland(random: Random, level: Level): Island {
  const count = peopleCounts[level];
  const names = random.sample(firstNames, count);
  const all = (1 << count) - 1;
  return firstDraft(() => {
    const statements = names.map((_, speaker) => drawStatement(random, level, speaker, count));
    const solutions = solveIsland(statements, 2);
    const knights = solutions.length === 1 ? solutions[0] : undefined;
    // On an island with only one sort, listing everybody would be right.
    return knights === undefined || knights === 0 || knights === all ? null : { names, statements, knights };
  });
}

/** The assignments that fit all statements, as bit masks of knights; at most `limit`. */
function solveIsland(statements: readonly Statement[], limit: number): number[] {
  const found: number[] = [];
  for (let knights = 0; knights < 1 << statements.length && found.length < limit; knights += 1) {
    const fits = statements.every(
      (statement, speaker) => isTrue(statement, knights) === isKnight(knights, speaker),
    );
    if (fits) found.push(knights);
  }
  return found;
}

function isKnight(knights: number, person: number): boolean {
  return ((knights >> person) & 1) === 1;
}
