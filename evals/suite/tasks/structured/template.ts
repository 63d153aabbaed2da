/** Fixed lines after a pattern, with marks for special records and totals at the end. */
import { quote } from '../../graders/grader.ts';
import { gradeWith } from '../../grading/grade-checks.ts';
import { formCheck, valueShare } from '../../grading/grade-json.ts';
import { readDocuments } from '../../grading/read-document.ts';
import { firstDraft } from '../../language/draft.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Kind, TaskGrade } from '../../task.ts';
import { documentReplies } from './document-replies.ts';
import { draftDocument, orders } from './draft-documents.ts';
import { describeMaterial } from './material.ts';
import { type Depot, listNames, type Parcel } from './parcels.ts';
import requests from './requests.json' with { type: 'json' };

const wordings = requests.template;

interface Layout {
  /** With the names of the fields in braces. */
  readonly pattern: string;
  readonly sign: string;
  readonly upperTown: boolean;
  readonly lastLine: string;
  readonly order: (typeof orders)[number];
}

const maxLines = 200;

export const templateKind: Kind = {
  name: 'template',
  make(random, level) {
    return firstDraft(() => {
      const layout = {
        pattern: drawWording(random, wordings.patterns),
        sign: drawWording(random, wordings.signs),
        upperTown: random.chance(0.5),
        lastLine: drawWording(random, wordings.last_lines),
        order: random.pick(orders),
      };
      const draft = draftDocument(random, level, (parcels) => makeLines(parcels, layout));
      if (draft === null) return null;
      const { depot, corrections, value, mistakes } = draft;
      const right = value.join('\n');
      return {
        turns: [describe(random, layout, depot, describeMaterial(random, depot, corrections))],
        expected: right,
        answer: null,
        ...documentReplies(right, 'text', [
          ...mistakes.map((mistake) => mistake.join('\n')),
          value.slice(0, -1).join('\n'),
          value.slice(1).join('\n'),
        ]),
        grade: ([reply = '']) => gradeLines(reply, value),
      };
    });
  },
};

function makeLines(
  parcels: readonly Parcel[],
  { pattern, sign, upperTown, lastLine, order }: Layout,
): string[] {
  const lines = parcels.toSorted(order.compare).map((parcel) => {
    const town = upperTown ? parcel.town.toUpperCase() : parcel.town;
    const { id: mark, goods, weight: kg } = parcel;
    const line = fillIn(pattern, { mark, town, goods: goods.name, kg, day: dotted(parcel.due) });
    return `${parcel.fragile ? `${sign} ` : ''}${line}`;
  });
  const total = parcels.reduce((sum, { weight }) => sum + weight, 0);
  const careful = parcels.filter(({ fragile }) => fragile).length;
  return [...lines, `${lastLine}: parcels ${parcels.length}, fragile ${careful}, kg ${total}`];
}

function describe(
  random: Random,
  { pattern, sign, upperTown, lastLine, order }: Layout,
  depot: Depot,
  material: string,
): string {
  // The names of the fields stay in braces, so these texts are not filled in as a whole.
  const rules = [
    drawWording(random, wordings.goods).replace('{names}', listNames(random, depot).join(', ')),
    drawWording(random, wordings.day),
    ...(upperTown ? [drawWording(random, wordings.town)] : []),
    drawWording(random, wordings.sign).replace('{sign}', sign),
    drawWording(random, wordings.last).replace('{last}', lastLine),
  ];
  const task = fillIn(drawWording(random, wordings.openings), { order: drawWording(random, order.texts) });
  const rule = rules.join(' ');
  return `${task}\n${pattern}\n${rule}\n\n${material}\n\n${drawWording(random, wordings.closings)}`;
}

function gradeLines(reply: string, expected: readonly string[]): TaskGrade {
  const documents = readDocuments(reply);
  const [document] = documents;
  const isUnclear = new Set(documents.map(({ text }) => text.trim())).size > 1;
  const lines = isUnclear ? [] : linesOf(document?.text ?? '');
  const block = findBlock(lines, expected);
  const at = block.findIndex((line, place) => plain(line) !== plain(expected[place] ?? ''));
  const extra = lines.find((line) => !block.includes(line) && /\b[A-Z]{2}-\d{3}\b/.test(line));
  const isRight = at < 0 && extra === undefined && block.length === expected.length;
  const fault = isUnclear
    ? 'more than one document'
    : at >= 0
      ? `${quote(block[at] ?? '')} instead of ${quote(expected[at] ?? '')}`
      : extra === undefined
        ? `${block.length} of ${expected.length} lines`
        : `another line: ${quote(extra)}`;
  const values = {
    name: 'values',
    passed: isRight,
    message: `Expected every line to be right, found ${isRight ? 'all of them' : fault}.`,
    weight: valueShare,
  };
  const found = lines.length === 0 ? null : block.join(' / ');
  if (!isRight) return gradeWith(0, [values], { found });
  const isExact = lines.length === expected.length && lines.every((line, place) => line === expected[place]);
  const kept = isExact && document?.alone === true;
  return gradeWith(kept ? 1 : valueShare, [values, formCheck(kept)], {
    found,
    formKept: kept,
    ...(kept ? {} : { rightValueWrongWrapping: true }),
  });
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(0, maxLines);
}

/** The lines that the reply intends: up to the line of totals, as many as the prompt asks for. */
function findBlock(lines: readonly string[], expected: readonly string[]): readonly string[] {
  const start = plain(expected.at(-1) ?? '').split(':')[0] ?? '';
  const last = lines.findLastIndex((line) => plain(line).startsWith(`${start}:`));
  return last < 0 ? lines : lines.slice(Math.max(0, last + 1 - expected.length), last + 1);
}

/** A line without formatting: bullets, emphasis and runs of spaces. */
function plain(line: string): string {
  return line
    .trim()
    .replace(/^(?:[-*•] |\d{1,2}\. )/, '')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/\s{1,20}/g, ' ');
}

/** Such as 31.01.2030. */
function dotted(day: string): string {
  return day.split('-').toReversed().join('.');
}
