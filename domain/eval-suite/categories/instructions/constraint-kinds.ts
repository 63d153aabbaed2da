/**
 * The kinds of instruction: all 25 of IFEval (Zhou et al. 2023, table 1) except response language. Two kinds conflict
 * when no reply can follow both, or when a careful reader could take one to rule out the other.
 */
import type { ConstraintKind } from './constraint.ts';
import * as frame from './frame-kinds.ts';
import * as content from './graders/content.ts';
import type { InstructionName } from './graders/instruction-grader.ts';
import * as keywords from './graders/keywords.ts';
import * as lengths from './graders/length.ts';
import * as whole from './graders/whole-reply.ts';
import * as length from './length-kinds.ts';
import * as words from './word-kinds.ts';

export const constraintKinds: readonly ConstraintKind[] = [
  { grader: keywords.keywordExistence, make: words.makeKeywordExistence },
  { grader: keywords.keywordFrequency, make: words.makeKeywordFrequency },
  { grader: keywords.forbiddenWords, make: words.makeForbiddenWords },
  { grader: keywords.letterFrequency, make: words.makeLetterFrequency },
  { grader: whole.capitalWordFrequency, make: words.makeCapitalWordFrequency },
  { grader: whole.allCapitals, make: words.makeAllCapitals },
  { grader: whole.allLowercase, make: words.makeAllLowercase },
  { grader: whole.noComma, make: words.makeNoComma },
  { grader: lengths.sentenceCount, make: length.makeSentenceCount },
  { grader: lengths.wordCount, make: length.makeWordCount },
  { grader: lengths.paragraphCount, make: length.makeParagraphCount },
  { grader: lengths.nthParagraphFirstWord, make: length.makeNthParagraphFirstWord },
  { grader: content.bulletCount, make: length.makeBulletCount },
  { grader: content.sectionCount, make: length.makeSectionCount },
  { grader: content.highlightCount, make: length.makeHighlightCount },
  { grader: content.placeholderCount, make: length.makePlaceholderCount },
  { grader: content.title, make: frame.makeTitle },
  { grader: content.postscript, make: frame.makePostscript },
  { grader: whole.endPhrase, make: frame.makeEndPhrase },
  { grader: whole.quotation, make: frame.makeQuotation },
  { grader: whole.jsonFormat, make: frame.makeJsonFormat },
  { grader: whole.twoResponses, make: frame.makeTwoResponses },
  { grader: whole.repeatRequest, make: frame.makeRepeatRequest },
  { grader: whole.constrainedResponse, make: frame.makeConstrainedResponse },
];

/** These kinds change the reply so much that they combine only with the kinds listed. */
const allowed = new Map<InstructionName, readonly InstructionName[]>([
  ['constrained-response', []],
  ['repeat-request', ['end-phrase', 'keyword-existence', 'postscript']],
  ['json-format', ['keyword-existence', 'forbidden-words']],
  [
    'two-responses',
    ['keyword-existence', 'forbidden-words', 'no-comma', 'all-lowercase', 'all-capitals', 'title'],
  ],
]);

const layouts: readonly InstructionName[] = [
  'paragraph-count',
  'nth-paragraph-first-word',
  'bullet-count',
  'section-count',
];
const oneCase: readonly InstructionName[] = [
  'capital-word-frequency',
  'postscript',
  'section-count',
  'end-phrase',
];

const conflicts = new Map<InstructionName, readonly InstructionName[]>([
  ['paragraph-count', layouts],
  ['nth-paragraph-first-word', [...layouts, 'title', 'postscript']],
  ['bullet-count', layouts],
  ['section-count', layouts],
  ['sentence-count', [...layouts, 'postscript']],
  ['highlight-count', ['bullet-count', 'paragraph-count']],
  ['all-capitals', ['all-lowercase', ...oneCase]],
  ['all-lowercase', ['all-capitals', ...oneCase]],
  ['end-phrase', ['postscript', 'quotation']],
  ['quotation', [...layouts, 'title', 'postscript']],
]);

/** Whether one case may have both kinds. */
export function canCombine(left: InstructionName, right: InstructionName): boolean {
  if (left === right) return false;
  return allows(left, right) && allows(right, left);
}

function allows(kind: InstructionName, other: InstructionName): boolean {
  return (allowed.get(kind)?.includes(other) ?? true) && !(conflicts.get(kind)?.includes(other) ?? false);
}
