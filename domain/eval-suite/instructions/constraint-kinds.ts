/**
 * The kinds of instruction, all of IFEval's 25 (Zhou et al. 2023, table 1) except response language, and which of
 * them can stand together. A pair is listed where following both is impossible, or where a careful reader could
 * take one to rule out the other.
 */
import type { GraderName } from '../graders/registry.ts';
import type { ConstraintKind } from './constraint.ts';
import * as frame from './frame-kinds.ts';
import * as length from './length-kinds.ts';
import * as words from './word-kinds.ts';

export const constraintKinds: readonly ConstraintKind[] = [
  { name: 'keyword-existence', draw: words.drawKeywordExistence },
  { name: 'keyword-frequency', draw: words.drawKeywordFrequency },
  { name: 'forbidden-words', draw: words.drawForbiddenWords },
  { name: 'letter-frequency', draw: words.drawLetterFrequency },
  { name: 'capital-word-frequency', draw: words.drawCapitalWordFrequency },
  { name: 'all-capitals', draw: words.drawAllCapitals },
  { name: 'all-lowercase', draw: words.drawAllLowercase },
  { name: 'no-comma', draw: words.drawNoComma },
  { name: 'sentence-count', draw: length.drawSentenceCount },
  { name: 'word-count', draw: length.drawWordCount },
  { name: 'paragraph-count', draw: length.drawParagraphCount },
  { name: 'nth-paragraph-first-word', draw: length.drawNthParagraphFirstWord },
  { name: 'bullet-count', draw: length.drawBulletCount },
  { name: 'section-count', draw: length.drawSectionCount },
  { name: 'highlight-count', draw: length.drawHighlightCount },
  { name: 'placeholder-count', draw: length.drawPlaceholderCount },
  { name: 'title', draw: frame.drawTitle },
  { name: 'postscript', draw: frame.drawPostscript },
  { name: 'end-phrase', draw: frame.drawEndPhrase },
  { name: 'quotation', draw: frame.drawQuotation },
  { name: 'json-format', draw: frame.drawJsonFormat },
  { name: 'two-responses', draw: frame.drawTwoResponses },
  { name: 'repeat-request', draw: frame.drawRepeatRequest },
  { name: 'constrained-response', draw: frame.drawConstrainedResponse },
];

/** Kinds that change the reply so much that they go with few others, which are listed. */
const company = new Map<GraderName, readonly GraderName[]>([
  ['constrained-response', []],
  ['repeat-request', ['end-phrase', 'keyword-existence', 'postscript']],
  ['json-format', ['keyword-existence', 'forbidden-words']],
  [
    'two-responses',
    ['keyword-existence', 'forbidden-words', 'no-comma', 'all-lowercase', 'all-capitals', 'title'],
  ],
]);

const layouts: readonly GraderName[] = [
  'paragraph-count',
  'nth-paragraph-first-word',
  'bullet-count',
  'section-count',
];
const oneCase: readonly GraderName[] = [
  'capital-word-frequency',
  'postscript',
  'section-count',
  'end-phrase',
];

const conflicts = new Map<GraderName, readonly GraderName[]>([
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

/** Whether the two kinds may stand in one case. */
export function canStandTogether(left: GraderName, right: GraderName): boolean {
  if (left === right) return false;
  return suits(left, right) && suits(right, left);
}

function suits(kind: GraderName, other: GraderName): boolean {
  return (company.get(kind)?.includes(other) ?? true) && !(conflicts.get(kind)?.includes(other) ?? false);
}
