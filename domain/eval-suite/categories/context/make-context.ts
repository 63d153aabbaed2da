/**
 * A long text of invented facts and a question along a chain of them. In one case per run, a fact of the
 * chain is missing.
 */
import { answerNumber } from '../../graders/answer-number.ts';
import { answerText } from '../../graders/answer-text.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import type { GraderSpec } from '../../graders/grader.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import { maxGeneratorAttempts } from '../../limits.ts';
import type { Random } from '../../random.ts';
import { findFact, inventWorld } from './invented-world.ts';
import type { Fact, Relation, World } from './invented-world.ts';
import { describeWorld } from './describe-world.ts';

/** The expected reply when the text does not contain the answer. */
export const notInText = 'not in the text';

/** The relations that a question follows, starting from a thing. */
const chains: Readonly<Record<Difficulty, readonly (readonly Relation[])[]>> = {
  easy: [
    ['maker', 'born'],
    ['kept', 'river'],
    ['maker', 'teacher'],
    ['kept', 'founded'],
  ],
  medium: [
    ['maker', 'born', 'river'],
    ['maker', 'teacher', 'born'],
    ['maker', 'born', 'founded'],
    ['maker', 'teacher', 'teacher'],
  ],
  hard: [
    ['maker', 'teacher', 'born', 'river'],
    ['maker', 'teacher', 'born', 'patron'],
    ['maker', 'teacher', 'teacher', 'born'],
    ['maker', 'teacher', 'born', 'founded'],
  ],
};

const sizes = {
  easy: { towns: 6, people: 8, things: 5 },
  medium: { towns: 8, people: 14, things: 7 },
  hard: { towns: 10, people: 22, things: 10 },
} as const;

export function makeContext(random: Random, difficulty: Difficulty, answerable: boolean): CaseDraft {
  const world = inventWorld(random, sizes[difficulty]);
  const { start, relations, path } = pickChain(random, world, difficulty);
  const missing = answerable ? null : random.pick(path);
  const stated = world.facts.filter((fact) => fact !== missing);
  const minWords = byDifficulty(
    difficulty,
    random.int(520, 800),
    random.int(900, 1_300),
    random.int(1_500, 1_900),
  );
  const value = path.at(-1)?.value ?? '';
  const expected = answerable ? value : notInText;
  const question = ask(random, start, relations);
  const what = `${relations.at(-1) === 'founded' ? 'the year' : 'the one name'}, or "${notInText}" if the text does not say`;
  const grader: GraderSpec =
    answerable && relations.at(-1) === 'founded'
      ? graderSpec(answerNumber, { expected, units: [] })
      : graderSpec(answerText, { expected, caseSensitive: false, also: otherWays(expected) });
  return {
    kind: `${relations.length}-hops${answerable ? '' : '-not-in-text'}`,
    difficulty,
    prompt: `Read the text and answer the question from the text alone.\n\nText:\n\n${describeWorld(random, { ...world, facts: stated }, minWords)}\n\nQuestion: ${question}\n\n${askForAnswer(random, what)}`,
    graders: [grader],
    scoring: 'weighted',
    expected,
  };
}

/** A thing, the relations to follow from it, and the facts along the way. */
function pickChain(
  random: Random,
  world: World,
  difficulty: Difficulty,
): { start: string; relations: readonly Relation[]; path: readonly Fact[] } {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    const start = random.pick(world.things);
    const relations = random.pick(chains[difficulty]);
    const path: Fact[] = [];
    for (const relation of relations) {
      const fact = findFact(world.facts, path.at(-1)?.value ?? start, relation);
      if (fact !== undefined) path.push(fact);
    }
    if (path.length === relations.length) return { start, relations, path };
  }
  throw new Error('No chain of facts was found.');
}

function ask(random: Random, start: string, relations: readonly Relation[]): string {
  let phrase = `the ${start}`;
  for (const relation of relations) phrase = wrap(relation, phrase);
  return relations.at(-1) === 'founded'
    ? `In which year was ${phrase} founded?`
    : random.pick([
        `What is the name of ${phrase}?`,
        `Name ${phrase}.`,
        `Which name does the text give for ${phrase}?`,
      ]);
}

function wrap(relation: Relation, phrase: string): string {
  const wrapped: Readonly<Record<Relation, string>> = {
    maker: `the maker of ${phrase}`,
    teacher: `the teacher of ${phrase}`,
    kept: `the town where ${phrase} is kept`,
    born: `the birthplace of ${phrase}`,
    river: `the river on which ${phrase} lies`,
    patron: `the patron of ${phrase}`,
    founded: phrase,
  };
  return wrapped[relation];
}

/** Other wordings that count as the same name. */
function otherWays(name: string): string[] {
  return name === notInText
    ? ['it is not in the text']
    : [`the ${name}`, `the river ${name}`, `river ${name}`];
}
