/** A CSV file: selected and sorted records, a column that needs quotation marks, and a closing line of totals. */
import { parse } from 'csv-parse/sync';
import { quote } from '../../graders/grader.ts';
import { gradeWith } from '../../grading/grade-checks.ts';
import { formCheck, valueShare } from '../../grading/grade-json.ts';
import { readDocuments } from '../../grading/read-document.ts';
import { firstDraft } from '../../language/draft.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import { maxCsvCharacters } from '../../../limits.ts';
import type { Random } from '../../../random.ts';
import type { Kind, TaskGrade } from '../../task.ts';
import { documentReplies } from './document-replies.ts';
import { draftDocument, orders } from './draft-documents.ts';
import { describeMaterial } from './material.ts';
import { type Depot, listNames, type Parcel } from './parcels.ts';
import requests from './requests.json' with { type: 'json' };

type Rows = readonly (readonly string[])[];

const wordings = requests.table;

interface Content {
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly cell: (parcel: Parcel) => string;
}

interface Column {
  readonly name: string;
  readonly content: Content;
}

const contents: readonly Content[] = [
  { ...wordings.columns.town, cell: ({ town }) => town },
  { ...wordings.columns.goods, cell: ({ goods }) => goods.name },
  { ...wordings.columns.due, cell: ({ due }) => due },
  { ...wordings.columns.fragile, cell: ({ fragile }) => (fragile ? 'yes' : 'no') },
];

/** Each has the goods, so that every table does. */
const labels: readonly Content[] = [
  { ...wordings.columns.label, cell: ({ town, goods }) => `${town}, ${goods.name}` },
  { ...wordings.columns.note, cell: ({ goods }) => `"${goods.name}"` },
];

export const tableKind: Kind = {
  name: 'table',
  make(random, level) {
    return firstDraft(() => {
      const label = random.pick(labels);
      const drawn = random.shuffle([...random.sample(contents, random.int(2, 3)), label]);
      const chosen = drawn.map((content) => ({ name: random.pick(content.names), content }));
      const order = random.pick(orders);
      const solve = (parcels: readonly Parcel[]) => makeRows(parcels.toSorted(order.compare), chosen);
      const draft = draftDocument(random, level, solve);
      if (draft === null) return null;
      const { depot, corrections, value, mistakes } = draft;
      const right = writeCsv(value);
      const untotalled = value.slice(0, -1);
      return {
        turns: [describe(random, chosen, order.texts, depot, describeMaterial(random, depot, corrections))],
        expected: right,
        answer: null,
        ...documentReplies(right, 'csv', [
          ...mistakes.map(writeCsv),
          writeCsv(untotalled),
          value.map((row) => row.join(',')).join('\n'),
        ]),
        grade: ([reply = '']) => gradeCsv(reply, value),
      };
    });
  },
};

function makeRows(parcels: readonly Parcel[], chosen: readonly Column[]): Rows {
  const total = parcels.reduce((sum, { weight }) => sum + weight, 0);
  return [
    ['mark', ...chosen.map(({ name }) => name), 'kg'],
    ...parcels.map((parcel) => [
      parcel.id,
      ...chosen.map(({ content }) => content.cell(parcel)),
      String(parcel.weight),
    ]),
    ['total', ...chosen.map(() => ''), String(total)],
  ];
}

function writeCsv(rows: Rows): string {
  return rows.map((row) => row.map(writeCell).join(',')).join('\n');
}

function writeCell(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function describe(
  random: Random,
  chosen: readonly Column[],
  orderTexts: readonly string[],
  depot: Depot,
  material: string,
): string {
  const meanings = [
    drawWording(random, wordings.mark),
    ...chosen.map(({ name, content }) => `${name} (${drawWording(random, content.texts)})`),
    drawWording(random, wordings.kg),
  ];
  const rules = [
    fillIn(drawWording(random, wordings.openings), { order: drawWording(random, orderTexts) }),
    fillIn(drawWording(random, wordings.headers), {
      names: ['mark', ...chosen.map(({ name }) => name), 'kg'].join(', '),
      meanings: meanings.join('; '),
    }),
    fillIn(drawWording(random, requests.contents), { names: listNames(random, depot).join(', ') }),
    drawWording(random, wordings.quoting),
    drawWording(random, wordings.totals),
  ];
  return `${rules.join(' ')}\n\n${material}\n\n${drawWording(random, wordings.closings)}`;
}

function gradeCsv(reply: string, expected: Rows): TaskGrade {
  const documents = readDocuments(reply);
  const [document] = documents;
  const isUnclear = new Set(documents.map(({ text }) => text.trim())).size > 1;
  const read = document === undefined || isUnclear ? null : readCsv(document.text);
  const rows = read?.rows ?? null;
  const fault = isUnclear
    ? 'more than one document'
    : rows === null
      ? 'no CSV'
      : findDifference(rows, expected);
  const values = {
    name: 'values',
    passed: fault === null,
    message: `Expected every value to be right, found ${fault ?? 'all of them'}.`,
    weight: valueShare,
  };
  const found = rows === null ? null : writeCsv(rows);
  if (fault !== null) return gradeWith(0, [values], { found });
  const isExact = rows?.every((row, at) => row.join('\n') === expected[at]?.join('\n')) === true;
  const kept = isExact && read?.alone === true && document?.alone === true;
  return gradeWith(kept ? 1 : valueShare, [values, formCheck(kept)], {
    found,
    formKept: kept,
    ...(kept ? {} : { rightValueWrongWrapping: true }),
  });
}

/** @returns the records, and whether there is other text around them */
function readCsv(text: string): { readonly rows: Rows; readonly alone: boolean } | null {
  const lines = text.trim();
  if (lines === '' || lines.length > maxCsvCharacters) return null;
  const whole = parseCsv(lines);
  if (whole !== null && /^"?mark"?$/i.test(whole[0]?.[0]?.trim() ?? '')) return { rows: whole, alone: true };
  const inner = parseCsv(trimProse(lines));
  return inner === null ? null : { rows: inner, alone: false };
}

function parseCsv(text: string): Rows | null {
  try {
    return parse(text, { record_delimiter: ['\r\n', '\n'], relax_column_count: false });
  } catch {
    return null;
  }
}

/** The lines from the header to the total. */
function trimProse(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => /^"?mark"?,/i.test(line.trim()));
  const last = lines.findLastIndex((line) => /^"?total"?,/i.test(line.trim()));
  return first < 0 || last < first ? text : lines.slice(first, last + 1).join('\n');
}

/** Where the values differ; spaces around a cell and the case of the header are form. */
function findDifference(rows: Rows, expected: Rows): string | null {
  for (const [at, row] of expected.entries()) {
    const found = rows[at];
    if (found === undefined) return `${rows.length} of ${expected.length} lines`;
    const place = row.findIndex((cell, column) => {
      const other = found[column]?.trim() ?? '';
      return at === 0 ? other.toLowerCase() !== cell : other !== cell;
    });
    if (place >= 0) {
      return `${quote(found[place] ?? '')} instead of ${quote(row[place] ?? '')} in line ${at + 1}`;
    }
    if (found.length !== row.length) return `${found.length} cells in line ${at + 1}`;
  }
  return rows.length === expected.length ? null : `${rows.length} lines instead of ${expected.length}`;
}
