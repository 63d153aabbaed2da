/**
 * Looks for other answers beside the one that was read. A reply that offers many candidates answers nothing, wherever
 * the right one stands among them.
 */
import type { AnswerType, AnswerValue, Parse, Reading } from './answer.ts';
import { isClosing } from './chatter.ts';
import { isFiller } from './parse-word.ts';
import { undress } from './undress.ts';

/** An agent may correct itself once; with a third value, it is guessing. */
const otherCandidatesMax = 1;
/** Candidates are about as long as the answer. */
const lengthRatioMax = 4;
const lengthSlack = 80;

const label =
  /^[^\p{L}\p{N}]{0,12}(?:so |therefore |thus )?(?:(?:the|my|our) )?(?:(?:final|correct|right|only|possible) ){0,2}(?:answer|result|solution)(?: \d{1,3}| is)?[*_`]{0,3}(?: ?[:=]| is(?= )|(?<= is)(?= ))[*_`]{0,3}[ ]*/iu;
const markupLine = /^<[^<>\n]{1,80}>$/;
const rule = /^(?:[-*_=~─—]{3,80}|[`~]{3,8}\w{0,20}|(?:\* ){3,})$/;

interface Candidate {
  readonly key: string;
  readonly labelled: boolean;
}

/** @param text the reply without its reasoning and markup */
export function hasOtherCandidates(text: string, reading: Reading, type: AnswerType, parse: Parse): boolean {
  const own = new Set([reading.value, ...(reading.others ?? [])].map(keyOf));
  const before: Candidate[] = [];
  const after: Candidate[] = [];
  let isLabelled = false;
  for (const line of [...linesOf(text, reading.value), ...blocksOf(text, type)]) {
    const found = candidatesIn(line, reading.value, type, parse);
    const right = found.filter(({ key }) => own.has(key));
    if (right.length > 0 && right.length < found.length) return true;
    isLabelled ||= right.some(({ labelled }) => labelled);
    (right.length > 0 || after.length > 0 || isLabelled ? after : before).push(...found);
  }
  // Values without a label before a labelled answer are working.
  const equal = [...before.filter(({ labelled }) => labelled || !isLabelled), ...after];
  const others = new Set(equal.map(({ key }) => key).filter((key) => !own.has(key)));
  return others.size > otherCandidatesMax;
}

/** The lines that may be candidates or contain some. */
function linesOf(text: string, value: AnswerValue): readonly string[] {
  const lengthMax = lengthRatioMax * String(value).length + lengthSlack;
  return text.split('\n').filter((line) => {
    const trimmed = line.trim();
    const isShort = trimmed.length <= lengthMax || trimmed.includes(';');
    return trimmed !== '' && isShort && !markupLine.test(trimmed);
  });
}

/** Blocks of several lines, which may be lists. */
function blocksOf(text: string, type: AnswerType): readonly string[] {
  if (type !== 'list' && type !== 'set') return [];
  const blocks: string[][] = [[]];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '' || rule.test(trimmed)) blocks.push([]);
    else if (label.test(trimmed)) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter(({ length }) => length > 1).map((lines) => lines.join('\n'));
}

/** The candidates of a line: itself, or its parts between semicolons. */
function candidatesIn(
  line: string,
  value: AnswerValue,
  type: AnswerType,
  parse: Parse,
): readonly Candidate[] {
  const whole = candidateOf(line, value, type, parse);
  if (whole !== null) return [whole];
  const isDivided = type !== 'line' && line.includes(';') && !line.includes('\n');
  return (isDivided ? line.split(';') : [line]).flatMap(
    (part) => candidateOf(part, value, type, parse) ?? startOf(part, value, type, parse) ?? [],
  );
}

function candidateOf(text: string, value: AnswerValue, type: AnswerType, parse: Parse): Candidate | null {
  const trimmed = text.trim();
  const labelled = label.test(trimmed);
  const bare = undress(trimmed.replace(label, ''));
  if (bare === '' || bare.endsWith(':') || isFiller(bare) || isClosing(bare)) return null;
  const found = parse(bare);
  if (found === null || !isAlike(found, value, type, labelled)) return null;
  return { key: keyOf(found), labelled };
}

/** A labelled line that starts with a single value and goes on in words. */
function startOf(text: string, value: AnswerValue, type: AnswerType, parse: Parse): Candidate | null {
  const trimmed = text.trim();
  if (type === 'line' || type === 'list' || type === 'set' || !label.test(trimmed)) return null;
  const start = /^[^ ]{1,80}(?= )/.exec(undress(trimmed.replace(label, '')))?.[0] ?? '';
  return start === '' ? null : candidateOf(`Answer: ${start.replace(/[,;.]$/, '')}`, value, type, parse);
}

/** Whether `found` is of the same form as the answer. With a label, every form is an answer. */
function isAlike(found: AnswerValue, value: AnswerValue, type: AnswerType, labelled: boolean): boolean {
  if (typeof found === 'string' || typeof value === 'string') {
    if (type !== 'line') return !(type === 'word' && / /.test(String(found)));
    return labelled || (hasParts(value) && hasParts(found));
  }
  // A line of the answer has some of its items.
  if (found.length < value.length && found.every((item) => value.includes(item))) return false;
  if (labelled) return true;
  if (type === 'set' || value.length === 1) return found.every((item) => !item.includes(' '));
  const isAsLong = found.length === value.length || found.length > Math.max(2, value.length / 2);
  return found.length > 1 && (isAsLong || found.some((item) => value.includes(item)));
}

function hasParts(text: AnswerValue): boolean {
  return String(text).includes(' / ');
}

function keyOf(value: AnswerValue): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase();
}
