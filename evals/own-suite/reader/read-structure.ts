/** Extracts the answer from a JSON document or a Markdown table, as text to be read on its own. */
import { readJson } from '../graders/read-json.ts';
import type { JsonValue } from '../graders/read-json.ts';

/** The text or items of the answer, and the position of the structure in its text. */
export interface Structure {
  readonly content: string | readonly string[];
  readonly start: number;
  readonly end: number;
  readonly doubted: boolean;
  /** Whether a key or a heading announces the answer. */
  readonly named: boolean;
}

const answerKeys =
  /^(?:answer|finalanswer|ans|final|result|finalresult|value|output|response|solution|reply|antwort|respuesta|réponse)$/;
const sideKeys =
  /^(?:reasoning|explanation|confidence|steps?|notes?|thinking|thought|thoughts|rationale|work|working|unit|units|type|question|format|comment|comments|status|verified|id|task|method|analysis|justification|source|sources|error|success|ok|summary|certainty|check|version|model|role|name|function|tool|index|created|object|usage|finishreason|callid)$/;
const rivalKeys = /alternativ|other|second|backup|candidate|possib|fallback|maybe/;

export function readStructure(text: string): Structure | null {
  return readJsonAnswer(text) ?? readTable(text);
}

function readJsonAnswer(text: string): Structure | null {
  const start = text.search(/[{[]/);
  if (start < 0) return null;
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  if (!/^[{[][^]{0,200}?["\d\]]/.test(text.slice(start, start + 400))) return null;
  const parsed = readJson(text.slice(start, end));
  if (!parsed.ok || !parsed.bare) return null;
  const content = contentOf(parsed.value, 0);
  if (content === null) return null;
  const repeated = (text.match(/"(?:final[_ ]?)?answer"\s{0,8}:/gi) ?? []).length > 1;
  const named =
    /"(?:final[_ ]?)?(?:answer|result|response|output|solution|content|text|message)"\s{0,8}:/i.test(text);
  return { content, start, end, doubted: repeated || hasDoubt(parsed.value), named };
}

function contentOf(value: JsonValue, depth: number): string | readonly string[] | null {
  if (depth > 4 || value === null || typeof value === 'boolean') return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (isArray(value)) {
    const items = value.map((item) => contentOf(item, depth + 1));
    return items.every((item) => typeof item === 'string') ? items : null;
  }
  const keys = Object.keys(value);
  const named = keys.filter((key) => answerKeys.test(plainKey(key)));
  const main = named.length > 0 ? named : keys.filter((key) => !sideKeys.test(plainKey(key)));
  const contents = main.map((key) => contentOf(value[key] ?? null, depth + 1));
  const first = contents[0];
  if (first === undefined) return null;
  return contents.every((content) => JSON.stringify(content) === JSON.stringify(first)) ? first : null;
}

function hasDoubt(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object' || isArray(value)) return false;
  return Object.entries(value).some(([key, content]) => {
    if (rivalKeys.test(plainKey(key))) return content !== null && JSON.stringify(content) !== '[]';
    if (!/^(?:confidence|certainty)$/.test(plainKey(key))) return false;
    return typeof content === 'number'
      ? content < 0.5
      : typeof content === 'string' && /low|medium|moderate/i.test(content);
  });
}

function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[ _-]/g, '');
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The only cell of a table, the cell next to or below "Answer", or the column of items. */
function readTable(text: string): Structure | null {
  const match = /^[^|\n]{0,6}\|.*\|[^|\n]{0,40}(?:\n[ ]*\|.*\|[^|\n]{0,40}){1,2000}$/m.exec(text);
  if (match === null) return null;
  const all = match[0].split('\n').map((line) =>
    line
      .slice(line.indexOf('|') + 1, line.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
  const rule = all.findIndex((cells) => cells.every((cell) => /^:?-{1,40}:?$/.test(cell)));
  const head = rule > 0 ? (all[rule - 1] ?? []) : [];
  const rows = rule < 0 ? all : all.slice(rule + 1);
  const content = cellsOf(head, rows);
  return content === null
    ? null
    : { content, start: match.index, end: match.index + match[0].length, doubted: false, named: true };
}

function cellsOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string | readonly string[] | null {
  const named = head.findIndex((cell) => isAnswerCell(cell));
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (named >= 0) return columnOf(rows, named);
  if (head.length === 2 && isAnswerCell(head[0] ?? '') && rows.every((row) => row.join('') === ''))
    return head[1] ?? null;
  const beside = rows.findLast((row) => row.length === 2 && isAnswerCell(row[0] ?? ''));
  if (beside !== undefined) return beside[1] ?? null;
  if (width === 1) return columnOf(rows, 0);
  const counted = rows.every((row, place) => Number(row[0]?.replaceAll(/[*#.)]/g, '')) === place + 1);
  return counted && width === 2 ? columnOf(rows, 1) : null;
}

function columnOf(rows: readonly (readonly string[])[], column: number): string | readonly string[] | null {
  const cells = rows.map((row) => row[column] ?? '').filter((cell) => cell !== '');
  return cells.length === 1 ? (cells[0] ?? null) : cells.length === 0 ? null : cells;
}

function isAnswerCell(cell: string): boolean {
  return answerKeys.test(plainKey(cell.replaceAll(/[*_`:]/g, '')));
}
