/** Reads a table of decisions: one line for each request, in any of the usual forms. */
import { quote } from '../../graders/grader.ts';
import { goods } from '../../language/goods.ts';
import { maxReplyCharacters } from '../../../limits.ts';
import { cleanTransport } from '../../../own-suite/graders/clean-transport.ts';
import { dropReasoning } from '../../../own-suite/graders/drop-reasoning.ts';

export interface Column {
  readonly name: string;
  /** The outcomes that are possible, as they are written. */
  readonly values: readonly string[];
}

export interface ReadTable {
  /** By request: the outcomes in the order of the columns; the fault as text if a line cannot be read. */
  readonly rows: ReadonlyMap<string, readonly string[] | string>;
  /** What makes the table as a whole no answer, or null. */
  readonly fault: string | null;
}

/** Longer replies are no table of twenty lines. */
const maxLines = 400;
const maxLineCharacters = 600;

const goodsNames: ReadonlySet<string> = new Set(goods.map(({ name }) => name));

/** @param ids the names of goods with which the lines begin */
export function readTable(reply: string, ids: readonly string[], columns: readonly Column[]): ReadTable {
  const rows = new Map<string, readonly string[] | string>();
  const spoken = reply.length > maxReplyCharacters ? null : dropReasoning(cleanTransport(reply));
  if (spoken === null) return { rows, fault: 'no reply that can be read' };
  const lines = spoken.split('\n');
  if (lines.length > maxLines) return { rows, fault: `${lines.length} lines` };
  for (const line of lines) {
    if (line.length > maxLineCharacters) return { rows, fault: 'a line that is too long' };
    const [first = '', ...cells] = cellsOf(line);
    const id = first.toLowerCase().replace(/^answer:? ?/, '');
    // A sentence with commas is part of the working, unlike a line with bars.
    if (!goodsNames.has(id) || (cells.length !== columns.length && !line.includes('|'))) continue;
    if (!ids.includes(id)) return { rows, fault: `a line for ${quote(id)}, which no sender deals in` };
    const row = readRow(cells, columns);
    const before = rows.get(id);
    if (before !== undefined && String(before) !== String(row)) {
      return { rows, fault: `two different lines for ${id}` };
    }
    rows.set(id, row);
  }
  return { rows, fault: rows.size === 0 ? 'no line of a table' : null };
}

/** The cells of a line with bars, tabs, semicolons or commas between them. */
function cellsOf(line: string): string[] {
  const text = line.trim().replaceAll(/^[-*•>]\s+|^\d{1,2}[.)]\s+/g, '');
  const separator = ['|', '\t', ';', ','].find((mark) => text.includes(mark));
  if (separator === undefined) return [];
  const inner = separator === '|' ? text.replace(/^\|/, '').replace(/\|$/, '') : text;
  return inner.split(separator).map((cell) => cell.replaceAll(/[*`"“”]/g, '').trim());
}

function readRow(cells: readonly string[], columns: readonly Column[]): readonly string[] | string {
  if (cells.length !== columns.length) return `${cells.length} outcomes instead of ${columns.length}`;
  const row: string[] = [];
  for (const [at, { name, values }] of columns.entries()) {
    const cell = plain(cells[at] ?? '');
    const value = values.find((other) => plain(other) === cell);
    if (value === undefined) return `${name} ${quote(cells[at] ?? '')}`;
    row.push(value);
  }
  return row;
}

function plain(cell: string): string {
  return cell
    .toLowerCase()
    .replace(/^the /, '')
    .replace(/ ?(?:%|eur|€|days?|months?|percent)$/, '')
    .replaceAll(/(?<=\d)[, ](?=\d{3}$)/g, '')
    .replace(/\.0+$/, '')
    .trim();
}
