/** Grades a piece of writing by its rules, all of which must hold at once. */
import type { Check } from '../../eval-case.ts';
import { gradeAll } from '../../grading/grade-checks.ts';
import { readWriting, type Writing, type WrittenLine } from '../../grading/read-writing.ts';
import type { TaskGrade } from '../../task.ts';
import { allWords, type Rule } from './rule.ts';

export interface WritingTask {
  readonly lineCount: number;
  /** Names that the text must mention. They are invented, so a text written for another task fails. */
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  /** A name that must not occur. */
  readonly unwanted?: string | null;
}

const minLineWords = 3;
/** All words of a prompt on one line are no text; the longest line of a task's own text has 15. */
const maxLineWords = 30;
/** "go go go" is not a text. */
const minDifferentShare = 0.55;

export function gradeWriting(reply: string, task: WritingTask): TaskGrade {
  const { lineCount, rules } = task;
  const writing = readWriting(reply);
  if (writing === null) {
    return gradeAll([check('content', 'a text', 'none that can be read')], { found: null });
  }
  const checks = [
    check('content', 'a text that names what it has to', findContentFault(writing, task)),
    check(
      'line-count',
      `${lineCount} lines`,
      writing.lines.length === lineCount ? null : `${writing.lines.length}`,
    ),
    ...rules.map((rule) => check(rule.name, rule.text.replace(/\.$/, ''), rule.findFault(writing))),
  ];
  return gradeAll(checks, { found: writing.lines.map(({ text }) => text).join(' / ') });
}

function check(name: string, expected: string, fault: string | null): Check {
  return {
    name,
    passed: fault === null,
    message: `Expected: ${expected}; found ${fault ?? 'that'}.`,
  };
}

function findContentFault(writing: Writing, { names, unwanted }: WritingTask): string | null {
  const words = allWords(writing);
  const known = new Set(words.map((word) => word.replace(/['’]s?$/, '')));
  const missing = names.find((name) => !known.has(name.toLowerCase()));
  if (missing !== undefined) return `no ${missing}`;
  if (unwanted !== undefined && unwanted !== null && known.has(unwanted.toLowerCase())) return unwanted;
  if (!writing.lines.every(hasLineLength)) return 'a line that is too short or too long';
  return new Set(words).size < words.length * minDifferentShare ? 'the same words again and again' : null;
}

function hasLineLength({ words }: WrittenLine): boolean {
  return words.length >= minLineWords && words.length <= maxLineWords;
}
