/** A knights-and-knaves puzzle with exactly one solution. */
import { graderSpec } from '../../graders/grader.ts';
import { answerSet } from './answer-set.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventNames } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import { maxGeneratorAttempts } from '../../limits.ts';
import type { Random } from '../../random.ts';
import { makeKnightsPuzzle } from './knights.ts';
import type { Claim } from './knights.ts';

export function makeKnights(random: Random, difficulty: Difficulty): CaseDraft {
  const puzzle = makeKnightsPuzzle(random, byDifficulty(difficulty, 3, 4, 6), maxGeneratorAttempts);
  const [place = '', ...people] = inventNames(random, puzzle.claims.length + 1);
  const nameOf = (person: number) => people[person] ?? '';
  const claims = puzzle.claims.map(
    (claim, person) => `${nameOf(person)} says: "${claimText(claim, nameOf)}"`,
  );
  const expected = people.filter((_, person) => puzzle.solution[person] === true);
  const opening = random.pick([
    `On the island of ${place}, everyone is either a knight, whose every statement is true, or a knave, whose every statement is false.`,
    `The people of ${place} come in two sorts: knights only ever say what is true, knaves only ever say what is false.`,
  ]);
  const meeting = `You meet ${people.slice(0, -1).join(', ')} and ${people.at(-1) ?? ''}.`;
  return {
    kind: 'knights-and-knaves',
    difficulty,
    prompt: `${opening} ${meeting}\n\n${claims.join('\n')}\n\n${random.pick(['Which of them are knights?', 'Who among them is a knight?'])}\n\n${askForAnswer(random, 'the names of all the knights, separated by commas')}`,
    graders: [graderSpec(answerSet, { expected })],
    scoring: 'weighted',
    expected: expected.join(', '),
  };
}

function claimText(claim: Claim, nameOf: (person: number) => string): string {
  switch (claim.says) {
    case 'kind':
      return `${nameOf(claim.of)} is a ${claim.knight ? 'knight' : 'knave'}.`;
    case 'same':
      return `${nameOf(claim.first)} and ${nameOf(claim.second)} are ${claim.same ? 'of the same sort' : 'of different sorts'}.`;
    case 'count':
      return `Exactly ${claim.knights} of us ${claim.knights === 1 ? 'is a knight' : 'are knights'}.`;
    case 'either':
      return `${nameOf(claim.first)} is a knight or ${nameOf(claim.second)} is a knight, or both are.`;
  }
}
