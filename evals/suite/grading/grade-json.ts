/**
 * Grades a JSON reply: the values decide, and the form (right types, nothing around the document) is worth a quarter.
 */
import type { Check } from '../eval-case.ts';
import { quote } from '../graders/grader.ts';
import { type JsonValue, readJson } from '../../own-suite/graders/read-json.ts';
import type { TaskGrade } from '../task.ts';
import { gradeWith } from './grade-checks.ts';
import { readDocuments } from './read-document.ts';

/** The share of the score for right values in a wrong form. */
export const valueShare = 0.75;

interface Found {
  readonly value: JsonValue;
  readonly bare: boolean;
}

export function gradeJson(reply: string, expected: JsonValue): TaskGrade {
  const read = findJson(reply);
  if ('reason' in read) return gradeWith(0, [check('values', false, read.reason)], { found: null });
  const inside = unwrap(read.value, expected);
  const difference = firstDifference(inside, expected, '');
  const kept = difference === null && read.bare && inside === read.value && haveSameTypes(inside, expected);
  const valueCheck = check('values', difference === null, difference ?? 'all of them');
  const found = JSON.stringify(read.value);
  if (difference !== null) return gradeWith(0, [valueCheck], { found });
  return gradeWith(kept ? 1 : valueShare, [valueCheck, formCheck(kept)], {
    found,
    formKept: kept,
    ...(kept ? {} : { rightValueWrongWrapping: true }),
  });
}

export function formCheck(kept: boolean): Check {
  return {
    name: 'form',
    passed: kept,
    message: `Expected the form that was asked for and nothing around it, ${kept ? 'and found it' : 'found another one'}.`,
    weight: 1 - valueShare,
  };
}

function check(name: string, passed: boolean, found: string): Check {
  return {
    name,
    passed,
    message: `Expected every value to be right, found ${found}.`,
    weight: valueShare,
  };
}

/** The only JSON document of the reply. Two different ones are two candidates. */
function findJson(reply: string): Found | { readonly reason: string } {
  let found: Found | null = null;
  let reason = 'no JSON document';
  for (const { text, alone } of readDocuments(reply)) {
    const read = readJson(text);
    if (!read.ok) {
      reason = read.reason;
      continue;
    }
    if (found !== null && JSON.stringify(found.value) !== JSON.stringify(read.value)) {
      return { reason: 'more than one JSON document' };
    }
    found = { value: read.value, bare: alone && read.bare };
  }
  return found ?? { reason };
}

/** The content of an object with one key, when something else was asked for. */
function unwrap(value: JsonValue, expected: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const [content, ...others] = Object.values(value);
  if (content === undefined || others.length > 0) return value;
  const sameKeys = isObject(expected) && Object.keys(expected).join() === Object.keys(value).join();
  return sameKeys ? value : content;
}

/** Where the values differ, or null. Keys may be in any order, and `"34"` counts as 34. */
function firstDifference(found: JsonValue, expected: JsonValue, path: string): string | null {
  const place = path === '' ? 'the document' : path.slice(1);
  if (isArray(expected)) {
    if (!isArray(found)) return `no array in ${place}`;
    for (const [at, item] of expected.entries()) {
      const other = found[at];
      if (other === undefined) return `only ${found.length} of ${expected.length} items in ${place}`;
      const difference = firstDifference(other, item, `${path}.${at}`);
      if (difference !== null) return difference;
    }
    return found.length === expected.length
      ? null
      : `${found.length} items instead of ${expected.length} in ${place}`;
  }
  if (isObject(expected)) {
    if (!isObject(found)) return `no object in ${place}`;
    const extra = Object.keys(found).find((key) => !Object.hasOwn(expected, key));
    if (extra !== undefined) return `the key ${quote(extra)} in ${place}`;
    for (const [key, item] of Object.entries(expected)) {
      const other = Object.hasOwn(found, key) ? found[key] : undefined;
      if (other === undefined) return `no ${quote(key)} in ${place}`;
      const difference = firstDifference(other, item, `${path}.${key}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (isArray(found) || isObject(found)) return `no single value in ${place}`;
  return String(found).trim() === String(expected)
    ? null
    : `${quote(String(found))} instead of ${quote(String(expected))} in ${place}`;
}

/** @param found without a difference from `expected` */
function haveSameTypes(found: JsonValue, expected: JsonValue): boolean {
  if (isArray(expected)) {
    return isArray(found) && expected.every((item, at) => haveSameTypes(found[at] ?? null, item));
  }
  if (isObject(expected)) {
    return (
      isObject(found) &&
      Object.entries(expected).every(([key, item]) => haveSameTypes(found[key] ?? null, item))
    );
  }
  return found === expected;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
