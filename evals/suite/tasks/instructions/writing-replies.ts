/** Accepted and refused replies for tasks that ask for a text under rules. */
import type { Task } from '../../task.ts';
import { gradeWriting, type WritingTask } from './grade-writing.ts';

/** @param lines a text that follows all rules */
export function writingReplies(
  lines: readonly string[],
  task: WritingTask,
  prompt: string,
): Pick<Task, 'accepted' | 'refused'> {
  const text = lines.join('\n');
  const isRefused = (reply: string) => !gradeWriting(reply, task).passed;
  const shortened = lines.map((line, at) => (at === 0 ? line.replace(/ \S+ /, ' ') : line)).join('\n');
  const filler = lines.map(() => `${task.names.join(' go ')} go go go go go.`).join('\n');
  return {
    accepted: [
      [text],
      [`<think>I try each rule in turn.</think>\n\n${lines.join('\n\n')}`],
      [`Here is the text:\n\n${text}`],
      [`\`\`\`\n${text}\n\`\`\``],
    ],
    refused: [
      [''],
      [lines.slice(0, -1).join('\n')],
      [filler],
      [prompt],
      [`<think>${text}`],
      ...[shortened, lines.toReversed().join('\n')].filter(isRefused).map((reply) => [reply]),
    ],
  };
}
