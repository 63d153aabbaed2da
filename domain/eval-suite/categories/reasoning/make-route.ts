/** The shortest route between two invented towns. There is exactly one. */
import { answerList } from '../../graders/answer-list.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventNames } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import { maxGeneratorAttempts } from '../../limits.ts';
import type { Random } from '../../random.ts';
import { makeRoads } from './roads.ts';

export function makeRoute(random: Random, difficulty: Difficulty): CaseDraft {
  const count = byDifficulty(difficulty, 5, 7, 9);
  const { roads, route } = makeRoads(random, count, byDifficulty(difficulty, 3, 4, 5), maxGeneratorAttempts);
  const names = inventNames(random, count);
  const nameOf = (town: number) => names[town] ?? '';
  const lines = random.shuffle(roads).map((road) => {
    const [first, second] = random.shuffle([nameOf(road.from), nameOf(road.to)]);
    return random.pick([
      `${first} and ${second} are ${road.length} km apart by road.`,
      `The road between ${first} and ${second} is ${road.length} km long.`,
      `A road of ${road.length} km joins ${first} and ${second}.`,
    ]);
  });
  const [start, goal] = [nameOf(0), nameOf(count - 1)];
  const expected = route.towns.map(nameOf);
  const question = random.pick([
    `What is the shortest way from ${start} to ${goal}?`,
    `A carter wants to drive from ${start} to ${goal} over as few kilometres as possible. Which towns does the way touch?`,
  ]);
  return {
    kind: 'shortest-path',
    difficulty,
    prompt: `These are all the roads of a country; each can be used both ways.\n\n${lines.join('\n')}\n\n${question}\n\n${askForAnswer(random, 'the towns on the way in order, both ends included, separated by commas')}`,
    graders: [graderSpec(answerList, { expected })],
    scoring: 'weighted',
    expected: expected.join(', '),
  };
}
