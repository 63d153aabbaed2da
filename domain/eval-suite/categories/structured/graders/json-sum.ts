/** Grades a rule that a schema cannot express: the numbers in a list must have a given sum. */
import type { Grader } from '../../../graders/grader.ts';
import { quote } from '../../../graders/grader.ts';
import { readJson } from '../../../graders/read-json.ts';

type JsonSumParameters = {
  readonly property: string;
  readonly expected: number;
};

export const jsonSum: Grader<JsonSumParameters> = {
  name: 'json-sum',
  grade({ property, expected }, reply) {
    const wanted = `Expected the numbers in ${quote(property)} to sum to ${expected}`;
    const read = readJson(reply);
    if (!read.ok) return { passed: false, message: `${wanted}, found ${read.reason}.` };
    const document: object = typeof read.value === 'object' && read.value !== null ? read.value : {};
    const found: unknown = Object.hasOwn(document, property) ? Reflect.get(document, property) : undefined;
    if (!Array.isArray(found) || found.length === 0)
      return { passed: false, message: `${wanted}, found no such list.` };
    let sum = 0;
    for (const item of found) {
      if (typeof item !== 'number')
        return { passed: false, message: `${wanted}, found an item that is not a number.` };
      sum += item;
    }
    return { passed: sum === expected, message: `${wanted}, found the sum ${sum}.` };
  },
};
