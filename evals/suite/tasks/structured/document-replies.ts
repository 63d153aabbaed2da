/** Accepted and refused replies for tasks that ask for a document. */
import type { Task } from '../../task.ts';

const maxMistakes = 6;

/** @param mistakes documents with a wrong value */
export function documentReplies(
  right: string,
  language: string,
  mistakes: readonly string[],
): Pick<Task, 'accepted' | 'refused'> {
  const wrong = [...new Set(mistakes)].filter((mistake) => mistake !== right).slice(0, maxMistakes);
  return {
    accepted: [
      [right],
      [`\`\`\`${language}\n${right}\n\`\`\``],
      [`<think>First the notes, then the corrections.</think>\n\n${right}\n`],
    ],
    refused: [
      [''],
      [`<think>${right}`],
      [`Here you are:\n\n${right}\n\nShall I change anything?`],
      ...wrong.map((mistake) => [mistake]),
      ...wrong
        .slice(0, 1)
        .map((mistake) => [`\`\`\`${language}\n${right}\n\`\`\`\nor\n\`\`\`${language}\n${mistake}\n\`\`\``]),
    ],
  };
}
