/**
 * Grades that a reply contains no control codes, which move a cursor, hide text or reverse its direction.
 */
import { isControlCharacter, nameOfCodePoint } from '../../control-characters.ts';
import { maxWritingCharacters } from '../../limits.ts';
import type { Grader } from '../../graders/grader.ts';

const wanted = 'Expected a reply without control codes';

export const noControlCodes: Grader<Readonly<Record<string, never>>> = {
  name: 'no-control-codes',
  grade(_parameters, reply) {
    if (reply.trim() === '') return { passed: false, message: `${wanted}, found an empty reply.` };
    if (reply.length > maxWritingCharacters) {
      return {
        passed: false,
        message: `${wanted}, found ${reply.length} characters, too many to search.`,
      };
    }
    for (const character of reply) {
      const codePoint = character.codePointAt(0) ?? 0;
      if (isControlCharacter(codePoint)) {
        return { passed: false, message: `${wanted}, found ${nameOfCodePoint(codePoint)}.` };
      }
    }
    return { passed: true, message: `${wanted} and found none.` };
  },
};
