/** Grades the values of a JSON reply. The order of keys and white space are ignored. */
import type { Grader } from '../../../graders/grader.ts';
import { quote } from '../../../graders/grader.ts';
import { readJson } from '../../../graders/read-json.ts';
import type { JsonValue } from '../../../graders/read-json.ts';

type JsonEqualsParameters = {
  readonly expected: JsonValue;
};

export const jsonEquals: Grader<JsonEqualsParameters> = {
  name: 'json-equals',
  grade({ expected }, reply) {
    const read = readJson(reply);
    if (!read.ok)
      return { passed: false, message: `Expected the stated values as JSON, found ${read.reason}.` };
    const difference = findDifference(expected, read.value, '');
    if (difference === null)
      return { passed: true, message: 'Expected the stated values and found all of them.' };
    const { path, wanted, found } = difference;
    return {
      passed: false,
      message: `Expected ${show(wanted)} at ${quote(path === '' ? '/' : path)}, found ${show(found)}.`,
    };
  },
};

interface Difference {
  readonly path: string;
  readonly wanted: JsonValue | undefined;
  readonly found: JsonValue | undefined;
}

/** The first difference. The depth of the expected document bounds the recursion. */
function findDifference(
  wanted: JsonValue | undefined,
  found: JsonValue | undefined,
  path: string,
): Difference | null {
  if (wanted === found) return null;
  const left = asEntries(wanted);
  const right = asEntries(found);
  if (left === null || right === null || Array.isArray(wanted) !== Array.isArray(found))
    return { path, wanted, found };
  for (const [key, value] of left) {
    const difference = findDifference(value, right.get(key), `${path}/${key}`);
    if (difference !== null) return difference;
  }
  for (const [key, value] of right) {
    if (!left.has(key)) return { path: `${path}/${key}`, wanted: undefined, found: value };
  }
  return null;
}

function asEntries(value: JsonValue | undefined): ReadonlyMap<string, JsonValue> | null {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}

function show(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : quote(JSON.stringify(value));
}
