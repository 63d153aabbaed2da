/** Grades text line by line. Only spaces at the end of a line are ignored. */
import type { Grader } from '../../../graders/grader.ts';
import { quote } from '../../../graders/grader.ts';
import { readBlock } from './read-block.ts';

type ExactLinesParameters = {
  readonly expected: readonly string[];
};

export const exactLines: Grader<ExactLinesParameters> = {
  name: 'exact-lines',
  grade({ expected }, reply) {
    const { strict, loose } = readBlock(reply);
    const strictFault = findFault(expected, strict);
    if (strictFault === null)
      return { passed: true, message: `Expected ${expected.length} exact lines and found them.` };
    if (findFault(expected, loose) === null) {
      const message = `Expected ${expected.length} exact lines and nothing else, found them inside a code fence.`;
      return { passed: false, passedLoose: true, message };
    }
    return { passed: false, message: strictFault };
  },
};

function findFault(expected: readonly string[], text: string): string | null {
  const lines = text.split('\n');
  for (const [position, wanted] of expected.entries()) {
    const found = lines[position]?.trimEnd();
    if (found === wanted) continue;
    return `Expected line ${position + 1} to be ${quote(wanted)}, found ${found === undefined ? 'no such line' : quote(found)}.`;
  }
  if (lines.length === expected.length) return null;
  return `Expected ${expected.length} lines, found ${lines.length}.`;
}
