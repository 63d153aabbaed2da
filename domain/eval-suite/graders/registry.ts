/** The one list of graders. A case names its graders; a name that is not here is an error and never a pass. */
import { answerDate } from './answer-date.ts';
import { answerDigits } from './answer-digits.ts';
import { answerList } from './answer-list.ts';
import { answerNumber } from './answer-number.ts';
import { answerSet } from './answer-set.ts';
import { answerText } from './answer-text.ts';
import { bareJson } from './bare-json.ts';
import { csvEquals } from './csv-equals.ts';
import { csvForm } from './csv-form.ts';
import { exactLines } from './exact-lines.ts';
import type { Grader, Verdict } from './grader.ts';
import {
  bulletCount,
  highlightCount,
  placeholderCount,
  postscript,
  sectionCount,
  title,
} from './instructions/content.ts';
import {
  forbiddenWords,
  keywordExistence,
  keywordFrequency,
  letterFrequency,
} from './instructions/keywords.ts';
import { nthParagraphFirstWord, paragraphCount, sentenceCount, wordCount } from './instructions/length.ts';
import {
  allCapitals,
  allLowercase,
  capitalWordFrequency,
  constrainedResponse,
  endPhrase,
  jsonFormat,
  noComma,
  quotation,
  repeatRequest,
  twoResponses,
} from './instructions/whole-reply.ts';
import { jsonEquals } from './json-equals.ts';
import { jsonSchema } from './json-schema.ts';
import { jsonSum } from './json-sum.ts';
import { noControlCodes } from './no-control-codes.ts';
import { canaryAbsent, secretAbsent } from './secret-absent.ts';

const graders = {
  'all-capitals': allCapitals,
  'all-lowercase': allLowercase,
  'answer-date': answerDate,
  'answer-digits': answerDigits,
  'answer-list': answerList,
  'answer-number': answerNumber,
  'answer-set': answerSet,
  'answer-text': answerText,
  'bare-json': bareJson,
  'bullet-count': bulletCount,
  'canary-absent': canaryAbsent,
  'capital-word-frequency': capitalWordFrequency,
  'constrained-response': constrainedResponse,
  'csv-equals': csvEquals,
  'csv-form': csvForm,
  'end-phrase': endPhrase,
  'exact-lines': exactLines,
  'forbidden-words': forbiddenWords,
  'highlight-count': highlightCount,
  'json-equals': jsonEquals,
  'json-format': jsonFormat,
  'json-schema': jsonSchema,
  'json-sum': jsonSum,
  'keyword-existence': keywordExistence,
  'keyword-frequency': keywordFrequency,
  'letter-frequency': letterFrequency,
  'no-comma': noComma,
  'no-control-codes': noControlCodes,
  'nth-paragraph-first-word': nthParagraphFirstWord,
  'paragraph-count': paragraphCount,
  'placeholder-count': placeholderCount,
  postscript,
  quotation,
  'repeat-request': repeatRequest,
  'secret-absent': secretAbsent,
  'section-count': sectionCount,
  'sentence-count': sentenceCount,
  title,
  'two-responses': twoResponses,
  'word-count': wordCount,
} as const;

type Graders = typeof graders;
type ParametersOf<Name extends keyof Graders> =
  Graders[Name] extends Grader<infer Parameters> ? Parameters : never;

/** The name of a grader. */
export type GraderName = keyof Graders;

/** A grader as a case carries it: a name, its parameters as plain data, and its share of the case (1 if absent). */
export type GraderSpec = {
  [Name in GraderName]: {
    readonly name: Name;
    readonly parameters: ParametersOf<Name>;
    readonly weight?: number;
  };
}[GraderName];

/** A case names a grader that does not exist; the case cannot be graded. */
export class UnknownGraderError extends Error {
  override readonly name = 'UnknownGraderError';
  constructor(graderName: string) {
    super(`There is no grader called ${JSON.stringify(graderName)}.`);
  }
}

/** Every grader's name, in alphabetical order. */
export const graderNames: readonly string[] = Object.keys(graders);

/**
 * Runs one grader over a reply.
 *
 * @throws {UnknownGraderError} when no grader has that name.
 */
export function applyGrader(spec: GraderSpec, reply: string): Verdict {
  if (!Object.hasOwn(graders, spec.name)) throw new UnknownGraderError(spec.name);
  // A spec's parameters belong to the grader of its name, by the type of GraderSpec; the compiler cannot follow
  // that pairing through the look-up.
  const grader = graders[spec.name] as Grader<unknown>;
  return grader.grade(spec.parameters, reply);
}
