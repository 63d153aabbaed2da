/** Who holds what after a series of exchanges. */
import { answerText } from '../../graders/answer-text.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventNames, inventNouns } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

interface Move {
  readonly text: string;
  readonly after: readonly string[];
}

export function makeTracking(random: Random, difficulty: Difficulty): CaseDraft {
  const count = byDifficulty(difficulty, 3, 5, 7);
  const people = inventNames(random, count);
  const things = inventNouns(random, count);
  let held: readonly string[] = things;
  const moves: string[] = [];
  for (let step = 0; step < byDifficulty(difficulty, 4, 8, 14); step += 1) {
    const move = random.chance(0.75) ? swap(random, people, held) : pass(random, people, held);
    moves.push(move.text);
    held = move.after;
  }
  const asked = random.int(0, count - 1);
  const byPerson = random.chance(0.5);
  const [person = '', thing = ''] = [people[asked], held[asked]];
  const expected = byPerson ? thing : person;
  const start = people.map((name, position) => `${name} holds the ${things[position] ?? ''}`).join(', ');
  const question = byPerson ? `What does ${person} hold at the end?` : `Who holds the ${thing} at the end?`;
  const opening = random.pick(['At the beginning', 'To start with', 'At first']);
  return {
    kind: 'object-tracking',
    difficulty,
    prompt: `${opening}, ${start}. ${moves.join(' ')}\n\n${question}\n\n${askForAnswer(random, byPerson ? 'the one word for that thing' : 'the one name')}`,
    graders: [graderSpec(answerText, { expected, caseSensitive: false })],
    scoring: 'weighted',
    expected,
  };
}

function swap(random: Random, people: readonly string[], held: readonly string[]): Move {
  const [first = 0, second = 1] = random.sample([...people.keys()], 2);
  const after = held.with(first, held[second] ?? '').with(second, held[first] ?? '');
  const names = [people[first] ?? '', people[second] ?? ''];
  const text = random.pick([
    `${names.join(' and ')} swap what they hold.`,
    `Then ${names.join(' trades things with ')}.`,
    `${names[0] ?? ''} exchanges the ${held[first] ?? ''} for what ${names[1] ?? ''} has.`,
  ]);
  return { text, after };
}

/** Three people pass on what they hold in a ring. */
function pass(random: Random, people: readonly string[], held: readonly string[]): Move {
  const [first = 0, second = 1, third = 2] = random.sample([...people.keys()], 3);
  const after = held
    .with(second, held[first] ?? '')
    .with(third, held[second] ?? '')
    .with(first, held[third] ?? '');
  const [one = '', two = '', three = ''] = [people[first], people[second], people[third]];
  return {
    text: `At the same moment, ${one} hands over to ${two}, ${two} hands over to ${three} and ${three} hands over to ${one} whatever each had.`,
    after,
  };
}
