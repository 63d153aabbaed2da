/**
 * Graders for instructions about the whole reply: choice, JSON, two answers, repetition, ending, letter case,
 * commas.
 */
import { quote } from '../../../graders/grader.ts';
import { readJson } from '../../../graders/read-json.ts';
import { withoutFence } from '../../../graders/read-answer.ts';
import { type CountParameters, holds, instructionGrader, type Judgement } from './instruction-grader.ts';
import { splitAtLines } from './length.ts';

type None = Readonly<Record<string, never>>;

export const constrainedResponse = instructionGrader<{ readonly options: readonly string[] }>(
  'constrained-response',
  ({ options }, reply) => ({
    passed: options.includes(reply.trim()),
    expected: `exactly one of the ${options.length} given sentences`,
    found: quote(reply.trim()),
  }),
);

/** A code fence around the document is allowed, as in IFEval; other text is not. */
export const jsonFormat = instructionGrader<None>('json-format', (_parameters, reply) => {
  const whole = reply.trim();
  const read = readJson(withoutFence(whole) ?? whole);
  const isDocument = read.ok && read.bare && typeof read.value === 'object' && read.value !== null;
  const found = isDocument ? 'it' : read.ok ? 'something else' : read.reason;
  return { passed: isDocument, expected: 'one JSON object or array as the whole reply', found };
});

export const twoResponses = instructionGrader<None>('two-responses', (_parameters, reply) => {
  const parts = splitAtLines(reply, '******').map((part) => part.trim());
  const different = new Set(parts).size === parts.length;
  return {
    passed: parts.length === 2 && !parts.includes('') && different,
    expected: 'two different answers separated by a line of ******',
    found: `${parts.length}${different ? '' : ' that are the same'}`,
  };
});

export const repeatRequest = instructionGrader<{ readonly request: string }>(
  'repeat-request',
  ({ request }, reply) => {
    const text = reply.trimStart();
    const repeated = text.startsWith(request);
    const answered = repeated && text.slice(request.length).trim() !== '';
    return {
      passed: answered,
      expected: 'the request word for word and then an answer',
      found: answered ? 'both' : repeated ? 'no answer' : quote(text),
    };
  },
);

export const endPhrase = instructionGrader<{ readonly phrase: string }>('end-phrase', ({ phrase }, reply) => {
  const end = reply.trimEnd();
  return {
    passed: end.endsWith(phrase),
    expected: `the reply to end with ${quote(phrase)}`,
    found: quote(end.slice(-phrase.length).toWellFormed()),
  };
});

export const quotation = instructionGrader<None>('quotation', (_parameters, reply) => {
  const text = reply.trim();
  const passed = text.length > 2 && /^["“]/.test(text) && /["”]$/.test(text);
  return {
    passed,
    expected: 'the whole reply in double quotation marks',
    found: `${quote(text.slice(0, 10))} to ${quote(text.slice(-10).toWellFormed())}`,
  };
});

/** Words of two or more letters, all of them capitals. */
export const capitalWordFrequency = instructionGrader<CountParameters>(
  'capital-word-frequency',
  (parameters, reply) => {
    const found = countCapitalWords(reply);
    return {
      passed: holds(parameters, found),
      expected: `${parameters.relation} ${parameters.count} words in capitals`,
      found,
    };
  },
);

export const allCapitals = instructionGrader<None>('all-capitals', (_parameters, reply) =>
  judgeCase(reply, reply.toUpperCase(), 'capital letters'),
);

export const allLowercase = instructionGrader<None>('all-lowercase', (_parameters, reply) =>
  judgeCase(reply, reply.toLowerCase(), 'lower-case letters'),
);

export const noComma = instructionGrader<None>('no-comma', (_parameters, reply) => {
  const found = reply.split(/[,，،]/).length - 1;
  return { passed: found === 0, expected: 'no comma', found };
});

function judgeCase(reply: string, wanted: string, name: string): Judgement {
  const hasLetters = reply.toLowerCase() !== reply.toUpperCase();
  const different = wanted.length === reply.length ? firstDifference(reply, wanted) : 0;
  const found = hasLetters
    ? different < 0
      ? 'them'
      : quote(reply.slice(different, different + 10).toWellFormed())
    : 'no letters';
  return { passed: hasLetters && reply === wanted, expected: `${name} only`, found };
}

function firstDifference(left: string, right: string): number {
  if (left === right) return -1;
  let position = 0;
  while (left[position] === right[position]) position += 1;
  return position;
}

function countCapitalWords(text: string): number {
  let count = 0;
  let letters = 0;
  let capital = true;
  for (let position = 0; position <= text.length; position += 1) {
    const character = text.charAt(position);
    const lower = character.toLowerCase();
    const upper = character.toUpperCase();
    if (lower !== upper) {
      letters += 1;
      capital &&= character === upper;
    } else {
      if (letters >= 2 && capital) count += 1;
      letters = 0;
      capital = true;
    }
  }
  return count;
}
