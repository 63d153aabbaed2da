/** Grades form only: the reply must be one JSON document. The loose verdict ignores text around it. */
import type { Grader } from '../../../graders/grader.ts';
import { quote } from '../../../graders/grader.ts';
import { readJson } from '../../../graders/read-json.ts';

/** `root` is the kind of document, so that a stray number or word does not count as one. */
type BareJsonParameters = {
  readonly root: 'object' | 'array';
};

export const bareJson: Grader<BareJsonParameters> = {
  name: 'bare-json',
  grade({ root }, reply) {
    const wanted = `Expected one JSON ${root} and nothing else`;
    const read = readJson(reply);
    if (!read.ok)
      return { passed: false, message: `${wanted}, found ${read.reason}: ${quote(reply.trim())}.` };
    const isRoot = root === 'array' ? Array.isArray(read.value) : isPlainObject(read.value);
    if (!isRoot)
      return { passed: false, message: `${wanted}, found another JSON value: ${quote(reply.trim())}.` };
    if (read.bare) return { passed: true, message: `${wanted} and found it.` };
    return {
      passed: false,
      passedLoose: true,
      message: `${wanted}, found other text around it: ${quote(reply.trim())}.`,
    };
  },
};

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
