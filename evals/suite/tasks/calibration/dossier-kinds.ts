/**
 * Questions about a dossier that does not settle all of them. In `answerable`, almost all are settled although the text
 * corrects itself; in `missing`, some ask for what the text does not say; in `contradictory`, the text says two things.
 */
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { inventManyNames } from '../../language/many-words.ts';
import { maxGeneratorAttempts } from '../../../limits.ts';
import { sentence } from '../../language/sentence.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Kind, Task } from '../../task.ts';
import type { Dossier, Fact, Question, Status } from './dossier.ts';
import {
  drawQuestion,
  entityOf,
  greatestNumber,
  keyOf,
  leastNumber,
  numberOf,
  stateFact,
  stateNear,
} from './dossier.ts';
import { drawGifts, stateGifts } from './gifts.ts';
import { gradeCalibration, unknown } from './grade-calibration.ts';
import { drawTheme } from './themes.ts';
import wordings from './wordings.json' with { type: 'json' };

type Trouble = 'answerable' | 'missing' | 'contradictory';

interface Size {
  readonly entities: number;
  readonly questions: number;
  /** Questions that the text leaves open; at most one in the kind `answerable`. */
  readonly open: readonly [number, number];
  readonly hops: number;
  /** The probability that a fact comes with a statement that sounds like it. */
  readonly near: number;
  /** The probability that a settled question depends on a corrected fact. */
  readonly corrected: number;
}

const sizes: Readonly<Record<Level, Size>> = {
  1: { entities: 4, questions: 4, open: [1, 2], hops: 0, near: 0, corrected: 0 },
  2: { entities: 5, questions: 5, open: [2, 2], hops: 1, near: 0.2, corrected: 0.2 },
  3: { entities: 7, questions: 6, open: [2, 3], hops: 2, near: 0.3, corrected: 0.3 },
  4: { entities: 10, questions: 8, open: [3, 4], hops: 2, near: 0.5, corrected: 0.4 },
  5: { entities: 14, questions: 10, open: [4, 5], hops: 3, near: 0.7, corrected: 0.5 },
  6: { entities: 18, questions: 12, open: [5, 6], hops: 3, near: 0.8, corrected: 0.5 },
  7: { entities: 24, questions: 14, open: [6, 7], hops: 4, near: 0.8, corrected: 0.6 },
  8: { entities: 30, questions: 16, open: [7, 8], hops: 4, near: 0.8, corrected: 0.6 },
};

export const answerable: Kind = {
  name: 'answerable',
  make: (random, level) => make(random, level, 'answerable'),
};
export const missing: Kind = { name: 'missing', make: (random, level) => make(random, level, 'missing') };
export const contradictory: Kind = {
  name: 'contradictory',
  make: (random, level) => make(random, level, 'contradictory'),
};

/** A dossier, its questions, and how the text treats each fact; unlisted facts are stated. */
export interface Draft {
  readonly dossier: Dossier;
  readonly questions: readonly Question[];
  readonly statuses: ReadonlyMap<string, { readonly fact: Fact; readonly status: Status }>;
  /** By question: `unknown` or the number. */
  readonly answers: readonly string[];
}

function make(random: Random, level: Level, trouble: Trouble): Task {
  const draft = makeDraft(random, level, trouble);
  const { answers, questions } = draft;
  const right = answers.join(', ');
  const guessing = answers.map((answer, index) =>
    answer === unknown ? String(questions[index]?.value ?? 0) : answer,
  );
  const first = answers.findIndex((answer) => answer !== unknown);
  const offByOne = answers.with(first, String(Number(answers[first]) + 1));
  const wrong = [guessing, offByOne, answers.map(() => unknown), answers.slice(1), [...answers, unknown]];
  return {
    turns: [tell(random, draft, sizes[level])],
    expected: right,
    answer: { type: 'list', value: answers },
    accepted: [
      [`Answer: ${right}`],
      [right],
      [`Answer:\n${answers.map((answer, index) => `${index + 1}. ${answer}`).join('\n')}`],
    ],
    refused: [
      [''],
      ...wrong
        .map((list) => list.join(', '))
        .filter((text) => text !== right)
        .map((text) => [`Answer: ${text}`]),
    ],
    grade: ([reply = '']) => gradeCalibration(answers, reply),
  };
}

export function makeDraft(random: Random, level: Level, trouble: Trouble): Draft {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    const draft = tryDraft(random, sizes[level], trouble);
    if (draft !== null) return draft;
  }
  throw new Error('No dossier has as many open questions as its level asks for.');
}

function tryDraft(random: Random, size: Size, trouble: Trouble): Draft | null {
  const dossier = drawDossier(random, size.entities);
  const openCount = trouble === 'answerable' ? random.int(0, 1) : random.int(...size.open);
  const places = Array.from({ length: size.questions }, (_, place) => place);
  const open = new Set(random.sample(places, openCount));
  const questions = places.map((place) => {
    const isBaseless = open.has(place) && trouble === 'missing' && size.hops > 0 && random.chance(0.3);
    return drawQuestion(random, dossier, size.hops, isBaseless);
  });
  if (new Set(questions.map(({ key }) => key)).size < questions.length) return null;
  const settled = new Set(questions.flatMap(({ facts }, place) => (open.has(place) ? [] : facts.map(keyOf))));
  const statuses = new Map<string, { fact: Fact; status: Status }>();
  for (const [place, question] of questions.entries()) {
    const free = question.facts.filter(
      (fact) => !settled.has(keyOf(fact)) && !statuses.has(keyOf(fact)) && canBeOther(fact),
    );
    if (open.has(place) && !question.isBaseless) {
      if (free.length === 0) return null;
      const fact = random.pick(free);
      const status = drawTrouble(random, dossier, fact, trouble);
      if (!leavesOpen(question, fact, status)) return null;
      statuses.set(keyOf(fact), { fact, status });
    } else if (!open.has(place) && random.chance(size.corrected)) {
      const fact = random.pick(question.facts.filter(canBeOther));
      statuses.set(keyOf(fact), {
        fact,
        status: { is: 'corrected', other: otherValue(random, dossier, fact) },
      });
    }
  }
  const answers = questions.map(({ value }, place) => (open.has(place) ? unknown : String(value)));
  const numbers = answers.filter((answer) => answer !== unknown);
  if (new Set(numbers).size < numbers.length) return null;
  return { dossier, questions, statuses, answers };
}

function drawDossier(random: Random, count: number): Dossier {
  const names = inventManyNames(random, count * 3);
  const theme = drawTheme(random);
  const numbers = drawNumbers(random, count * theme.numbers.length);
  const entities = Array.from({ length: count }, (_, index) => {
    return {
      name: names[index] ?? '',
      head: names[count + index] ?? '',
      helper: names[2 * count + index] ?? '',
      follows: index === 0 ? null : random.int(0, index - 1),
      numbers: theme.numbers.map((_attribute, place) => numbers[place * count + index] ?? 0),
    };
  });
  const gifts = drawGifts(random, theme, count);
  return { theme, entities, gifts, corrections: drawStyle(random, wordings.correction, 3) };
}

/** Different numbers, so that two statements never agree by chance. */
function drawNumbers(random: Random, count: number): number[] {
  const numbers = new Set<number>();
  while (numbers.size < count) numbers.add(random.int(leastNumber, greatestNumber));
  return [...numbers];
}

function drawTrouble(random: Random, dossier: Dossier, fact: Fact, trouble: Trouble): Status {
  const isMissing = trouble === 'missing' || (trouble === 'answerable' && random.chance(0.5));
  return isMissing ? { is: 'missing' } : { is: 'contradicted', other: otherValue(random, dossier, fact) };
}

/** Whether the two sides of a contradiction lead to different answers. */
function leavesOpen({ value, valueIf }: Question, { entity, attribute }: Fact, status: Status): boolean {
  if (status.is !== 'contradicted' || attribute !== 'follows') return true;
  const otherwise = valueIf(entity, status.other);
  return otherwise !== null && otherwise !== value;
}

/** Entities with two others before them, which could follow either. */
function canBeOther({ entity, attribute }: Fact): boolean {
  return attribute !== 'follows' || entity > 1;
}

function otherValue(random: Random, dossier: Dossier, { entity, attribute }: Fact): number {
  const follows = dossier.entities[entity]?.follows;
  if (attribute === 'follows') {
    const others = dossier.entities.keys().filter((index) => index < entity && index !== follows);
    return random.pick([...others]);
  }
  const value = numberOf(dossier, entity, attribute);
  const drawn = random.int(leastNumber, greatestNumber - 1);
  return drawn >= value ? drawn + 1 : drawn;
}

function tell(random: Random, draft: Draft, size: Size): string {
  const { dossier, questions } = draft;
  const draw = (texts: readonly string[], values = {}) => fillIn(drawWording(random, texts), values);
  const label = drawWording(random, wordings.label);
  const list = questions.map(({ text }, index) => fillIn(label, { n: index + 1 }) + text);
  const rules = [
    `${draw(wordings.rules)} ${draw(wordings.naming)}`,
    `A right answer counts +1 and a wrong answer -1. "${unknown}" counts +1 where the text does not settle the question, and 0 where it does.`,
  ];
  const isRuledFirst = random.chance(0.3);
  return [
    ...(isRuledFirst ? rules : []),
    draw(wordings.opening, { topic: random.pick(dossier.theme.heading) }),
    describe(random, draft, size),
    draw(wordings.heading),
    list.join('\n'),
    ...(isRuledFirst ? [] : rules),
    askForAnswer(random, draw(wordings.order, { n: questions.length })),
  ].join('\n\n');
}

function describe(random: Random, { dossier, statuses }: Draft, size: Size): string {
  const { theme } = dossier;
  const sentences = stateGifts(random, dossier.gifts, (entity) => entityOf(dossier, entity));
  for (const [entity, { head, helper, follows }] of dossier.entities.entries()) {
    const x = entityOf(dossier, entity);
    sentences.push(
      fillIn(random.pick(theme.head), { x, p: head }),
      fillIn(random.pick(theme.helper), { x, p: helper }),
    );
    const attributes = [...theme.numbers.keys(), 'follows' as const];
    for (const attribute of attributes) {
      if (attribute === 'follows' && follows === null) continue;
      const fact = { entity, attribute };
      const status = statuses.get(keyOf(fact))?.status ?? { is: 'stated' };
      sentences.push(...stateFact(random, dossier, fact, status));
      if (attribute === 'follows') continue;
      const tempting = status.is === 'missing' && size.near > 0;
      if (tempting || random.chance(size.near)) sentences.push(stateNear(random, dossier, entity, attribute));
    }
  }
  const told = random.shuffle(sentences).map(sentence);
  const paragraphs: string[] = [];
  while (told.length > 0) paragraphs.push(told.splice(0, random.int(4, 7)).join(' '));
  return paragraphs.join('\n\n');
}
