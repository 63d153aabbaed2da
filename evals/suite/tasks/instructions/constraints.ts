/** A short text under rules that compete for the same words. */
import type { Level } from '../../ladder/ladder.ts';
import { firstDraft } from '../../language/draft.ts';
import { listOf } from '../../language/sentence.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import { drawText } from './draw-text.ts';
import { gradeWriting, type WritingTask } from './grade-writing.ts';
import { readRules } from './read-rules.ts';
import { askForBareText, askForText, listRules } from './writing-prompt.ts';
import { writingReplies } from './writing-replies.ts';

const ruleCounts: Readonly<Record<Level, number>> = { 1: 1, 2: 2, 3: 4, 4: 6, 5: 9, 6: 10, 7: 11, 8: 12 };

export const constraintsKind: Kind = {
  name: 'constraints',
  make(random, level) {
    return firstDraft(() => {
      const text = drawText(random, level, ruleCounts[level]);
      const rules = text === null ? null : readRules(random, text);
      if (text === null || rules === null) return null;
      const task = { lineCount: text.lines.length, names: text.names, rules };
      // The text proves that the rules can be followed together.
      if (!gradeWriting(text.lines.join('\n'), task).passed) return null;
      const prompt = describe(random, task);
      if (gradeWriting(prompt, task).passed) return null;
      return {
        turns: [prompt],
        expected: `A text of ${task.lineCount} lines that names ${listOf(task.names)} and follows every rule, such as: ${text.lines.join(' / ')}`,
        answer: null,
        ...writingReplies(text.lines, task, prompt),
        grade: ([reply = '']) => gradeWriting(reply, task),
      };
    });
  },
};

function describe(random: Random, task: WritingTask): string {
  const texts = task.rules.map(({ text }) => text);
  return askForText(random, task, { ...listRules(random, texts), end: [askForBareText(random)] });
}
