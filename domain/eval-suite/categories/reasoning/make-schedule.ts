/** The order of talks, from clues that allow exactly one. */
import { answerList } from '../../graders/answer-list.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventNames } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import { maxGeneratorAttempts } from '../../limits.ts';
import type { Random } from '../../random.ts';
import { makeSlots } from './slots.ts';
import type { Clue } from './slots.ts';

const firstHour = 9;

export function makeSchedule(random: Random, difficulty: Difficulty): CaseDraft {
  const count = byDifficulty(difficulty, 4, 5, 6);
  const { clues, order } = makeSlots(random, count, maxGeneratorAttempts);
  const speakers = inventNames(random, count);
  const nameOf = (talk: number) => speakers[talk] ?? '';
  const expected = order.map(nameOf);
  const list = `${speakers.slice(0, -1).join(', ')} and ${speakers.at(-1) ?? ''}`;
  const opening = random.pick([
    `${list} each give one talk. The talks start every hour on the hour, the first at ${firstHour}:00, the last at ${firstHour + count - 1}:00, one after the other in one hall.`,
    `A hall is booked from ${firstHour}:00 for ${count} talks of one hour each, without breaks, by ${list}.`,
  ]);
  const lines = clues.map((clue) => `- ${clueText(clue, nameOf)}`).join('\n');
  return {
    kind: 'scheduling',
    difficulty,
    prompt: `${opening} This is known:\n\n${lines}\n\nIn which order do they speak?\n\n${askForAnswer(random, 'the names in order of time, separated by commas')}`,
    graders: [graderSpec(answerList, { expected })],
    scoring: 'weighted',
    expected: expected.join(', '),
  };
}

function clueText(clue: Clue, nameOf: (talk: number) => string): string {
  switch (clue.says) {
    case 'before':
      return `${nameOf(clue.first)} speaks at some time before ${nameOf(clue.second)}.`;
    case 'right-after':
      return `${nameOf(clue.second)} speaks directly after ${nameOf(clue.first)}.`;
    case 'apart':
      return clue.between === 0
        ? `${nameOf(clue.first)} and ${nameOf(clue.second)} speak in neighbouring hours, in whichever order.`
        : `Exactly ${clue.between} ${clue.between === 1 ? 'talk lies' : 'talks lie'} between ${nameOf(clue.first)}'s and ${nameOf(clue.second)}'s, in whichever order.`;
    case 'not-at':
      return `${nameOf(clue.talk)} does not speak at ${firstHour + clue.place}:00.`;
    case 'neither-end':
      return `${nameOf(clue.talk)} is neither the first nor the last to speak.`;
  }
}
