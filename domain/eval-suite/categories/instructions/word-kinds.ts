/** Instructions about words and letters. */
import { graderSpec } from '../../graders/grader.ts';
import { forbiddenWords, keywordExistence, keywordFrequency, letterFrequency } from './graders/keywords.ts';
import { allCapitals, allLowercase, capitalWordFrequency, noComma } from './graders/whole-reply.ts';
import type { MakeConstraint } from './constraint.ts';

export const makeKeywordExistence: MakeConstraint = (random, { task }) => {
  const keywords = task.wanted.slice(0, random.int(2, 3));
  const list = keywords.map((word) => `"${word}"`).join(', ');
  return {
    sentence: random.pick([
      `Use each of these words at least once: ${list}.`,
      `The words ${list} must all appear in your text.`,
    ]),
    spec: graderSpec(keywordExistence, { keywords }),
    shape: (plan) => void plan.extraWords.push(...keywords),
  };
};

export const makeKeywordFrequency: MakeConstraint = (random, { task }) => {
  const relation = random.pick(['at least', 'fewer than'] as const);
  const count = relation === 'at least' ? random.int(2, 5) : random.int(2, 4);
  const uses = relation === 'at least' ? count : count - 1;
  return {
    sentence: random.pick([
      `The word "${task.counted}" must appear ${relation} ${count} times. Its other forms do not count.`,
      `Use the exact word "${task.counted}" ${relation} ${count} times.`,
    ]),
    spec: graderSpec(keywordFrequency, { keyword: task.counted, relation, count }),
    shape: (plan) => void plan.extraWords.push(...Array.from({ length: uses }, () => task.counted)),
  };
};

export const makeForbiddenWords: MakeConstraint = (random, { task }) => {
  const words = task.forbidden.slice(0, random.int(2, 4));
  const list = words.map((word) => `"${word}"`).join(', ');
  return {
    sentence: random.pick([`Do not use any of these words: ${list}.`, `Avoid the words ${list} altogether.`]),
    spec: graderSpec(forbiddenWords, { words }),
    shape: () => {},
  };
};

export const makeLetterFrequency: MakeConstraint = (random, { alone }) => {
  const relation = alone ? random.pick(['at least', 'fewer than'] as const) : 'at least';
  const letter =
    relation === 'at least' ? random.pick('bdfgkmpvwy'.split('')) : random.pick(['q', 'x', 'z', 'j']);
  const count = relation === 'at least' ? random.int(8, 25) : random.int(2, 4);
  return {
    sentence: random.pick([
      `The letter "${letter}" must occur ${relation} ${count} times in your whole reply, upper and lower case together.`,
      `Make sure that your reply contains the letter "${letter}" (in either case) ${relation} ${count} times.`,
    ]),
    spec: graderSpec(letterFrequency, { letter, relation, count }),
    shape: (plan) => {
      if (relation === 'at least')
        plan.extraWords.push(...Array.from({ length: count }, () => `${letter}a${letter}a`));
    },
  };
};

export const makeCapitalWordFrequency: MakeConstraint = (random) => {
  const relation = random.pick(['at least', 'fewer than'] as const);
  const count = relation === 'at least' ? random.int(2, 6) : random.int(3, 6);
  const uses = relation === 'at least' ? count : 1;
  return {
    sentence: `${random.pick(['Write', 'Put'])} ${relation} ${count} words in capital letters throughout, such as VERY. Only words of two or more letters count.`,
    spec: graderSpec(capitalWordFrequency, { relation, count }),
    shape: (plan) => void plan.extraWords.push(...Array.from({ length: uses }, () => 'VERY')),
  };
};

export const makeAllCapitals: MakeConstraint = (random) => ({
  sentence: random.pick([
    'Write your entire reply in capital letters.',
    'Use capital letters only; not one lower-case letter may appear.',
  ]),
  spec: graderSpec(allCapitals, {}),
  shape: (plan) => void (plan.letterCase = 'capitals'),
});

export const makeAllLowercase: MakeConstraint = (random) => ({
  sentence: random.pick([
    'Write your entire reply in lower-case letters, names included.',
    'Use lower-case letters only; not one capital letter may appear, not even in names.',
  ]),
  spec: graderSpec(allLowercase, {}),
  shape: (plan) => void (plan.letterCase = 'lower'),
});

export const makeNoComma: MakeConstraint = (random) => ({
  sentence: random.pick(['Do not use any commas.', 'Your reply must not contain a single comma.']),
  spec: graderSpec(noComma, {}),
  shape: () => {},
});
