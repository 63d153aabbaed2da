/**
 * Grades a table of decisions request by request. Only a table without any mistake passes, because an office does not
 * look each decision up again; a table with mistakes earns at most half of the score. What a copy of the draft, or one
 * line for all requests, would have got right earns nothing.
 */
import type { Check } from '../../eval-case.ts';
import { quote } from '../../graders/grader.ts';
import { gradeWith } from '../../grading/grade-checks.ts';
import type { TaskGrade } from '../../task.ts';
import { type Column, readTable } from './read-table.ts';

export interface Decided {
  /** The name of the goods in which its sender deals. */
  readonly id: string;
  /** What the request tests, for the scorecard. */
  readonly skill: string;
  readonly row: readonly string[];
}

export interface Given {
  readonly columns: readonly Column[];
  readonly decided: readonly Decided[];
  /** The decisions of a colleague; null without any. */
  readonly drafted: readonly (readonly string[])[] | null;
}

const partialShare = 0.5;

export function gradeDecisions(reply: string, given: Given): TaskGrade {
  const { columns, decided } = given;
  const { rows, fault } = readTable(
    reply,
    decided.map(({ id }) => id),
    columns,
  );
  const found = rows.size === 0 ? null : [...rows].map(([id, row]) => `${id}: ${String(row)}`).join('; ');
  if (fault !== null)
    return gradeWith(0, [check('table', false, 'one line for each request', fault)], { found });
  const checks = decided.map(({ id, skill, row }) => {
    const read = rows.get(id);
    const text = read === undefined ? 'no line' : typeof read === 'string' ? read : quote(read.join(', '));
    return check(
      skill,
      Array.isArray(read) && String(read) === String(row),
      `${quote(row.join(', '))} for ${id}`,
      text,
    );
  });
  const right = checks.filter(({ passed }) => passed).length;
  if (right === decided.length) return gradeWith(1, checks, { found });
  const free = freeRows(given);
  const share = Math.max(0, (right - free) / (decided.length - free));
  return gradeWith(partialShare * share, checks, { found });
}

function check(name: string, passed: boolean, expected: string, found: string): Check {
  return { name, passed, message: `Expected ${expected}, found ${passed ? 'that' : found}.` };
}

/** How many requests one line for all of them, or a copy of the draft, gets right. */
function freeRows({ decided, drafted }: Given): number {
  const groups = Map.groupBy(decided, ({ row }) => String(row));
  const same = Math.max(...[...groups.values()].map((own) => own.length));
  const copied = decided.filter(({ row }, at) => String(row) === String(drafted?.[at])).length;
  return Math.min(decided.length - 1, Math.max(same, copied));
}

export function tableOf({ columns }: Pick<Given, 'columns'>, decided: readonly Decided[]): string {
  const names = ['sender', ...columns.map(({ name }) => name)];
  const lines = [names, names.map(() => '---'), ...decided.map(({ id, row }) => [id, ...row])];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
