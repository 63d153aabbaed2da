/** The grader of a table. */
import { parse as parseCsv } from 'csv-parse/sync';
import { Type } from 'typebox';
import { isNumber, Numeric, textOf } from '../exact-json.ts';
import { comparable, comparableNumber, hiddenIn, Ignore, quoteText, trimmed } from '../text-forms.ts';
import { grader, unclear, verdict } from './grader.ts';
import { maxReplyWork } from '../limits.ts';
import { blocksOf } from './read-json.ts';
import { reasoningSteps } from './spoken.ts';

const maxRows = 2_000;
const maxColumns = 100;
/** Of a row of a reply: the library takes long for text that is no table. */
const maxRowCharacters = 20_000;
/** Steps of a cell of a table, and of each of its characters. */
const cellSteps = 50;
const formSteps = 8;

/** Steps of a character of a reply. */
const replySteps = 60;
/** Steps of a character of the table, in the suite and in the reply. */
const tableSteps = replySteps + formSteps + reasoningSteps;

const Cell = Type.Union([Type.String({ maxLength: 2_000 }), Numeric]);

/**
 * Passes if the reply is a CSV, TSV or Markdown table with these rows, the header first; `order: any` allows the others
 * in any order.
 */
export const rows = grader({
  name: 'rows',
  stepsPerCharacter: replySteps,
  fields: {
    rows: Type.Array(Type.Array(Cell, { minItems: 1, maxItems: maxColumns }), {
      minItems: 1,
      maxItems: maxRows,
    }),
    order: Type.Optional(Type.Enum(['same', 'any'])),
    ignore: Type.Optional(Ignore),
  },
  check(spec, { fault }) {
    if (spec.rows.some((row) => row.length !== spec.rows[0]?.length))
      return fault('All `rows` must have as many cells as the first, the header.', 'rows');
    const steps = spec.rows
      .flat()
      .reduce<number>((sum, cell) => sum + cellSteps + tableSteps * (textOf(cell).length + 1), 0);
    return steps > maxReplyWork
      ? fault('`rows` takes too long to grade: use fewer or shorter rows, or several cases.', 'rows')
      : [];
  },
  prepare(spec, _inner, work) {
    for (const row of spec.rows)
      for (const cell of row) work.spend(cellSteps + formSteps * textOf(cell).length);
    // Texts such as `3.10` are versions or codes, unless their column has numbers.
    const columns = spec.rows[0]?.map((_, at) => spec.rows.some((row) => isNumber(row[at]))) ?? [];
    const rowOf = (row: readonly string[]) =>
      JSON.stringify(
        row.map((cell, at) => (columns[at] === true ? comparableNumber : comparable)(cell, spec.ignore)),
      );
    const given = spec.rows.map((row) => row.map(textOf));
    const [head = '', ...body] = given.map(rowOf);
    const wanted = spec.order === 'any' ? body.toSorted() : body;
    const expected = `a table of ${body.length} rows under ${quoteText(given[0]?.join(', ') ?? '')}${spec.order === 'any' ? ', in any order' : ''}`;
    return ({ text }) => {
      const table = tableOf(text);
      if (typeof table === 'string') return verdict(false, expected, table);
      if ('unclear' in table) return unclear(expected, table.unclear);
      const [foundHead, ...foundBody] = table.map(rowOf);
      if (foundHead !== head)
        return verdict(false, expected, `the head ${quoteText(table[0]?.join(', ') ?? '')}`);
      const found = spec.order === 'any' ? foundBody.toSorted() : foundBody;
      const at = wanted.findIndex((row, place) => row !== found[place]);
      if (at < 0 && found.length === wanted.length) return verdict(true, expected, 'it');
      if (found.length !== wanted.length) return verdict(false, expected, `${found.length} rows`);
      return verdict(
        false,
        expected,
        spec.order === 'any'
          ? `other rows${hiddenIn(found.join(','))}`
          : `row ${at + 1}: ${quoteText(table[at + 1]?.join(', ') ?? '')}${hiddenIn(found[at] ?? '')}`,
      );
    };
  },
});

interface Unclear {
  readonly unclear: string;
}

/** The rows of the only table in a reply, or why there is none, or more than one. */
function tableOf(text: string): readonly (readonly string[])[] | string | Unclear {
  const blocks = blocksOf(text);
  if (blocks.length > 1) return { unclear: `${blocks.length} fenced blocks` };
  const body = blocks[0]?.trim() ?? '';
  if (body === '') return 'an empty reply';
  const lines = body.split('\n').map((line) => line.trim());
  const marked = markdownRowsOf(lines);
  if (marked !== null) return marked;
  try {
    return parseCsv(body, {
      delimiter: delimiterOf(body),
      skip_empty_lines: true,
      relax_column_count: true,
      to: maxRows + 1,
      max_record_size: maxRowCharacters,
    });
  } catch {
    return 'text that is not a table';
  }
}

/** That of the header. Excel writes `;` in many countries. */
function delimiterOf(body: string): string {
  if (body.includes('\t')) return '\t';
  const [head = ''] = body.split('\n', 1);
  return head.includes(';') && !head.includes(',') ? ';' : ',';
}

/**
 * The rows of a Markdown table, whose lines need not begin and end with a pipe.
 * @returns null if the lines have another form
 */
function markdownRowsOf(lines: readonly string[]): readonly (readonly string[])[] | Unclear | null {
  const header = lines.findIndex((line, at) => isHeader(line, lines[at + 1] ?? ''));
  if (header < 0) return null;
  const head = cellsOf(lines[header] ?? '');
  const below = lines.slice(header + 1);
  const end = below.findIndex((line) => !line.includes('|') && !isRule(line));
  const [own, rest] = end < 0 ? [below, []] : [below.slice(0, end), below.slice(end)];
  const isRow = (line: string) =>
    !isRule(line) && (isClosed(line) || (line.includes('|') && cellsOf(line).length === head.length));
  if ([...lines.slice(0, header), ...rest].some(isRow)) return { unclear: 'rows above or below the table' };
  // Further down, a line such as `| - | - |` is a row.
  const rows = own.filter((line, at) => !isRule(line) || (at > 0 && !/[-—–=]{3}/.test(line)));
  return [head, ...rows.map(cellsOf)];
}

function isHeader(line: string, next: string): boolean {
  return line.includes('|') && !isRule(line) && (isRule(next) || (isClosed(line) && isClosed(next)));
}

function isClosed(line: string): boolean {
  return line.length > 1 && line.startsWith('|') && line.endsWith('|');
}

/** A line such as `---|:--:`, or `+----+---+` of a drawn table. */
function isRule(line: string): boolean {
  if (!/^[|+ :=—–-]{2,2000}$/.test(line) || !/[|+]/.test(line)) return false;
  const cells = trimmed(line, /[|+ ]/).split(/[|+]/);
  return cells.every((cell) => /^:?[-—–=]+:?$/.test(cell.trim()));
}

function cellsOf(line: string): readonly string[] {
  const start = line.startsWith('|') ? 1 : 0;
  const end = line.length > start && line.endsWith('|') && !line.endsWith('\\|') ? -1 : undefined;
  return line
    .slice(start, end)
    .split(/(?<!\\)\|/)
    .map((cell) => trimmed(cell.replaceAll('\\|', '|'), /[\s*_`]/));
}
