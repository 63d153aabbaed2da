/**
 * A text of lines that is changed step by step. The task asks for short texts in full, and for the line ends of long
 * ones.
 */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import type { Random } from '../../../random.ts';
import type { Kind, Task } from '../../task.ts';
import { drawEdit, type Edit, type Lines } from './edits.ts';
import { inventVocabulary, wordCounts } from './words.ts';

const editCounts: Readonly<Record<Level, number>> = { 1: 1, 2: 2, 3: 3, 4: 5, 5: 7, 6: 9, 7: 11, 8: 13 };
const wordsPerLine: Readonly<Record<Level, number>> = { 1: 5, 2: 6, 3: 8, 4: 16, 5: 32, 6: 36, 7: 40, 8: 44 };
const minLines = 3;
/** Sets of changes that are tried on the same text. */
const maxEditLists = 20;

export const editKind: Kind = {
  name: 'edit',
  make(random, level) {
    return firstDraft(() => {
      const lines = drawLines(random, level);
      for (let attempt = 0; attempt < maxEditLists; attempt += 1) {
        const edits = drawEdits(random, lines, editCounts[level]);
        const task = makeEdit(random, level, lines, edits);
        if (task !== null) return task;
      }
      return null;
    });
  },
};

function drawLines(random: Random, level: Level): Lines {
  const width = wordsPerLine[level];
  const vocabulary = inventVocabulary(random, Math.round(wordCounts[level] / 2));
  return Array.from({ length: Math.round(wordCounts[level] / width) }, () =>
    random.sample(vocabulary, width + random.int(-1, 1)),
  );
}

function drawEdits(random: Random, lines: Lines, count: number): Edit[] {
  const edits: Edit[] = [];
  let current = lines;
  for (let draw = 0; draw < 3 * count && edits.length < count && current.length >= minLines; draw += 1) {
    const edit = drawEdit(random, current);
    if (edits.some(({ text }) => text === edit.text)) continue;
    edits.push(edit);
    current = edit.apply(current);
  }
  return edits;
}

/** Null if a change could be left out without affecting the result. */
function makeEdit(random: Random, level: Level, lines: Lines, edits: readonly Edit[]): Task | null {
  const apply = (list: readonly Edit[]) => list.reduce((now, edit) => edit.apply(now), lines);
  const isWhole = level <= 3;
  const show = isWhole ? showLines : showEnds;
  const result = apply(edits);
  if (edits.length < editCounts[level] || result.length < minLines) return null;
  const right = show(result);
  const mistakes = [show(lines)];
  for (const left of edits.keys()) mistakes.push(show(apply(edits.toSpliced(left, 1))));
  if (mistakes.includes(right)) return null;
  const backwards = show(apply(edits.toReversed()));
  const what = isWhole
    ? 'the resulting text on one line, its lines joined by " / "'
    : 'the first and the last word of each line of the result, line by line, all of them separated by commas';
  const steps = edits.map(({ text }, at) => `${at + 1}. ${text}`).join('\n');
  const text = lines.map((line) => line.join(' ')).join('\n');
  const opening = random.pick([
    `Change this text of ${lines.length} lines step by step. Each step is applied to the result of the one before it, and line numbers mean the lines as they stand by then.`,
    `Here is a text of ${lines.length} lines, and changes to be made in the order given. A line number always counts the lines as they are at that step.`,
  ]);
  return exactTask({
    prompt: `${opening}\n\nText:\n${text}\n\n${edits.length === 1 ? 'Change' : 'Changes'}:\n${steps}\n\n${askForAnswer(random, what)}`,
    type: isWhole ? 'line' : 'list',
    value: isWhole ? right : right.split(', '),
    skill: 'editing',
    mistakes: [...mistakes, backwards],
  });
}

function showLines(lines: Lines): string {
  return lines.map((line) => line.join(' ')).join(' / ');
}

function showEnds(lines: Lines): string {
  return lines.map((line) => `${line[0] ?? ''}, ${line.at(-1) ?? ''}`).join(', ');
}
