/** Count days, dates and weekdays in the Gregorian calendar. */
import { answerNumber } from '../../graders/answer-number.ts';
import { answerText } from '../../graders/answer-text.ts';
import { graderSpec } from '../../graders/grader.ts';
import { answerDate } from './answer-date.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import type { GraderSpec } from '../../graders/grader.ts';
import { askForAnswer, askForNumber } from '../../language/ask-for-answer.ts';
import { inventName } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

const dayMs = 86_400_000;
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

interface Question {
  readonly kind: string;
  readonly text: string;
  readonly ask: string;
  readonly grader: GraderSpec;
  readonly expected: string;
}

export function makeCalendar(random: Random, difficulty: Difficulty): CaseDraft {
  const start = Date.UTC(random.int(1_900, 2_090), random.int(0, 11), random.int(1, 28));
  const span = byDifficulty(difficulty, random.int(20, 90), random.int(100, 700), random.int(1_000, 9_000));
  const question = random.pick([makeShift, makeDistance, makeWeekday])(random, start, span);
  return {
    kind: question.kind,
    difficulty,
    prompt: `${question.text} Use the Gregorian calendar.\n\n${question.ask}`,
    graders: [question.grader],
    scoring: 'weighted',
    expected: question.expected,
  };
}

function makeShift(random: Random, start: number, span: number): Question {
  const forward = random.chance(0.5);
  const expected = isoDate(start + (forward ? span : -span) * dayMs);
  const text = random.pick([
    `In ${inventName(random)} somebody asks: which date lies ${span} days ${forward ? 'after' : 'before'} ${isoDate(start)}?`,
    `A logbook entry from ${inventName(random)} is dated ${isoDate(start)}. What is the date exactly ${span} days ${forward ? 'later' : 'earlier'}?`,
  ]);
  const ask = askForAnswer(random, 'the date in the form YYYY-MM-DD');
  return {
    kind: 'calendar-shift',
    text,
    ask,
    grader: graderSpec(answerDate, { expected }),
    expected,
  };
}

function makeDistance(random: Random, start: number, span: number): Question {
  const first = isoDate(start);
  const last = isoDate(start + span * dayMs);
  const text = random.pick([
    `A voyage to ${inventName(random)}: how many days pass from ${first} to ${last}? Count the last day but not the first.`,
    `A lamp in ${inventName(random)} is lit on ${first} and put out on ${last}, at the same hour. For how many days does it burn?`,
  ]);
  const grader: GraderSpec = graderSpec(answerNumber, { expected: String(span), units: ['days'] });
  return { kind: 'calendar-distance', text, ask: askForNumber(random), grader, expected: String(span) };
}

function makeWeekday(random: Random, start: number, span: number): Question {
  const known = weekdays[new Date(start).getUTCDay()] ?? '';
  const end = start + span * dayMs;
  const expected = weekdays[new Date(end).getUTCDay()] ?? '';
  const text = random.pick([
    `A note from ${inventName(random)} says, rightly, that ${isoDate(start)} is a ${known}. Which day of the week is ${isoDate(end)}?`,
    `${inventName(random)} holds a fair. On which day of the week does ${isoDate(end)} fall, given that ${isoDate(start)} falls on a ${known}?`,
  ]);
  const ask = askForAnswer(random, 'the English name of the day of the week');
  const grader: GraderSpec = graderSpec(answerText, { expected, caseSensitive: false });
  return { kind: 'calendar-weekday', text, ask, grader, expected };
}

function isoDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
