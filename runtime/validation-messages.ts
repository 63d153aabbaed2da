/**
 * Turns validation errors into sentences that name the field, the rule and, where it helps, the value:
 * "`title` must be at most 140 characters long; it has 151."
 */
import { closest, distance } from 'fastest-levenshtein';
import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';

const controls = /[\p{Cc}\p{Cs}]/gu;
const shownTextMax = 60;

/** One sentence for each error, in the order of validation. */
export function describeErrors(
  errors: readonly TLocalizedValidationError[],
  schema: TSchema,
  value: unknown,
  rootName: string,
): string[] {
  return [...new Set(locateErrors(errors, schema, value, rootName).map(({ sentence }) => sentence))];
}

/** The same, with the place of each error as the parts of its JSON pointer. */
export function locateErrors(
  errors: readonly TLocalizedValidationError[],
  schema: TSchema,
  value: unknown,
  rootName: string,
): { readonly parts: readonly string[]; readonly sentence: string }[] {
  return errors
    .filter((error) => isReported(error, schema, value))
    .flatMap((error) =>
      describe(error, schema, value, rootName).map((sentence) => ({
        parts: partsOf(error.instancePath),
        sentence,
      })),
    );
}

/**
 * Drops redundant errors. A closed object reports each unknown field and then all of them again. Of a union,
 * only the branch that matches the type of the value is reported, or the union itself if none does.
 */
function isReported(error: TLocalizedValidationError, schema: TSchema, value: unknown): boolean {
  if (error.keyword === 'anyOf') {
    const branches = nodeAt(schema, `${error.schemaPath}/anyOf`);
    const given = valueAt(value, error.instancePath);
    return !Array.isArray(branches) || !branches.some((branch) => isOfType(given, branch, branches));
  }
  // An enumeration says more than the type string; "empty" says more than a pattern mismatch.
  if (error.keyword === 'type') {
    if (field(nodeAt(schema, error.schemaPath), 'enum') !== undefined) return false;
  }
  if (error.keyword === 'pattern' && valueAt(value, error.instancePath) === '') {
    if (field(nodeAt(schema, error.schemaPath), 'minLength') !== undefined) return false;
  }
  const union = /^(.*\/anyOf)\/\d+$/.exec(error.schemaPath)?.[1];
  if (union === undefined) return true;
  if (error.keyword === 'enum') return isOnlyChoice(nodeAt(schema, union));
  return error.keyword !== 'type' && error.keyword !== 'const';
}

/** Whether a union has one branch, and perhaps null. */
function isOnlyChoice(branches: unknown): boolean {
  return Array.isArray(branches) && branches.filter((branch) => field(branch, 'type') !== 'null').length <= 1;
}

/** Whether the other rules of a branch are worth reporting. A constant has none, and an enumeration is one choice of many. */
function isOfType(given: unknown, branch: unknown, branches: readonly unknown[]): boolean {
  const type = field(branch, 'type');
  if (field(branch, 'const') !== undefined) return false;
  if (field(branch, 'enum') !== undefined && !isOnlyChoice(branches)) return false;
  return type === 'integer' ? Number.isInteger(given) : type === jsonType(given);
}

function describe(
  error: TLocalizedValidationError,
  schema: TSchema,
  value: unknown,
  rootName: string,
): readonly string[] {
  const { instancePath, schemaPath } = error;
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map(
      (property) => `\`${fieldName(`${instancePath}/${escapePointer(property)}`)}\` is required but missing.`,
    );
  }
  if (error.keyword === 'boolean') {
    return [unknownField(instancePath, nodeAt(schema, schemaPath.replace(/\/[^/]*$/, '')))];
  }
  if (error.keyword === 'additionalProperties') return [];
  const name = instancePath === '' ? rootName : `\`${fieldName(instancePath)}\``;
  return [`${name} ${describeValue(error, schema, valueAt(value, instancePath))}`];
}

type ValueError = Exclude<
  TLocalizedValidationError,
  { keyword: 'required' | 'boolean' | 'additionalProperties' }
>;

/** Completes a sentence that begins with the name of the value. */
function describeValue(error: ValueError, schema: TSchema, given: unknown): string {
  switch (error.keyword) {
    case 'type':
      return `must be ${typePhrase(error.params.type)}; it is ${valuePhrase(given)}.${quotesAdvice(given, [error.params])}`;
    case 'maxLength':
      return `must be at most ${characters(error.params.limit)} long; it has ${codePoints(given)}.`;
    case 'minLength':
      return error.params.limit === 1
        ? 'must not be empty.'
        : `must be at least ${characters(error.params.limit)} long; it has ${codePoints(given)}.`;
    case 'minimum':
      return `must be at least ${error.params.limit}; it is ${valuePhrase(given)}.`;
    case 'maximum':
      return `must be at most ${error.params.limit}; it is ${valuePhrase(given)}.`;
    case 'format':
    case 'pattern':
      return patternPhrase(ruleAt(schema, error.schemaPath) ?? 'have the documented form', given);
    case 'enum':
      return `must be one of ${wordList(error.params.allowedValues)}; it is ${valuePhrase(given)}.`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}; it is ${valuePhrase(given)}.${quotesAdvice(given, [{ const: error.params.allowedValue }])}`;
    case 'anyOf':
      return unionSentence(nodeAt(schema, `${error.schemaPath}/anyOf`), given);
    case 'maxItems':
      return `must hold at most ${error.params.limit} entries.`;
    case 'minItems':
      return `must hold at least ${error.params.limit} entries.`;
    case '~refine':
      return `must ${error.params.message}.`;
    case 'contains':
    case 'dependencies':
    case 'dependentRequired':
    case 'exclusiveMaximum':
    case 'exclusiveMinimum':
    case 'if':
    case 'maxProperties':
    case 'minProperties':
    case 'multipleOf':
    case 'not':
    case 'oneOf':
    case 'propertyNames':
    case 'unevaluatedItems':
    case 'unevaluatedProperties':
    case 'uniqueItems':
      // No schema uses these keywords yet, so the library's message is enough.
      return `${error.message}.`;
  }
}

function unknownField(pointer: string, parentSchema: unknown): string {
  const known = Object.keys(field(parentSchema, 'properties') ?? {});
  const allowed =
    known.length === 0 ? 'This object has no fields.' : `Known fields: ${known.map(code).join(', ')}.`;
  const meant = nearestName(partsOf(pointer).at(-1) ?? '', known);
  const proposal = meant === null ? '' : ` Did you mean ${code(meant)}?`;
  return `${code(fieldName(pointer))} is not a known field.${proposal} ${allowed}`;
}

/** The known name that `given` is probably meant to be: one character may differ, from four on two, from nine on a third. */
export function nearestName(given: string, known: readonly string[]): string | null {
  if (given.length > shownTextMax || known.length === 0) return null;
  const nearest = closest(given.toLowerCase(), known);
  return distance(given.toLowerCase(), nearest) <=
    (given.length < 4 ? 1 : Math.max(2, Math.floor(given.length / 3)))
    ? nearest
    : null;
}

function unionSentence(branches: unknown, given: unknown): string {
  const all: readonly unknown[] = Array.isArray(branches) ? branches : [];
  return `must be ${unionPhrase(all)}; it is ${valuePhrase(given)}.${quotesAdvice(given, all)}`;
}

function unionPhrase(branches: readonly unknown[]): string {
  if (branches.length === 0) return 'of a documented form';
  const phrases = branches.flatMap((branch: unknown) => {
    const [constant, values] = [field(branch, 'const'), field(branch, 'enum')];
    if (constant !== undefined) return JSON.stringify(constant);
    if (Array.isArray(values)) return values.map((each) => JSON.stringify(each));
    return typePhrase(field(branch, 'type'));
  });
  return [...new Set(phrases)].join(' or ');
}

/** A number or a truth value in quotation marks is a string, which looks right to its author. */
function quotesAdvice(given: unknown, branches: readonly unknown[]): string {
  const plain = unquoted(given);
  const fits = branches.some((branch) => {
    const [constant, type] = [field(branch, 'const'), field(branch, 'type')];
    if (constant !== undefined) return constant === plain;
    return type === typeof plain || (type === 'integer' && Number.isInteger(plain));
  });
  return plain === undefined || !fits ? '' : ` Send ${String(plain)} without quotation marks.`;
}

function unquoted(given: unknown): number | boolean | undefined {
  if (given === 'true' || given === 'false') return given === 'true';
  return typeof given === 'string' && /^-?\d{1,15}(\.\d{1,6})?$/.test(given) ? Number(given) : undefined;
}

function typePhrase(type: unknown): string {
  if (Array.isArray(type)) return type.map(typePhrase).join(' or ');
  switch (type) {
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'string':
      return 'a string';
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object';
    case 'array':
      return 'an array';
    case 'null':
      return 'null';
    default:
      return 'of a documented type';
  }
}

/** The value that the client sent, truncated. Only that client sees it. */
function valuePhrase(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? JSON.stringify(cut(value)) : typePhrase(jsonType(value));
}

/** Cuts between code points, never within one. */
function cut(text: string): string {
  const shown = Array.from(text.slice(0, 2 * shownTextMax))
    .slice(0, shownTextMax)
    .join('');
  return shown.length < text.length ? `${shown}…` : text;
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const characters = (count: number): string => (count === 1 ? '1 character' : `${count} characters`);
const codePoints = (value: unknown): number => (typeof value === 'string' ? Array.from(value).length : 0);
const wordList = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(', ');

/** An empty name is shown as "", which would otherwise be invisible. */
const code = (name: string): string => `\`${name === '' ? '""' : cut(name)}\``;

/** `/items/0/name` becomes `items[0].name`. */
function fieldName(pointer: string): string {
  return partsOf(pointer).reduce((name, part) => {
    if (name === '') return part;
    return /^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`;
  }, '');
}

/** Splits a JSON pointer (RFC 6901). */
function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const escapePointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

function valueAt(root: unknown, pointer: string): unknown {
  return partsOf(pointer).reduce(field, root);
}

/** Reads a path such as `#/properties/title` from a schema. */
function nodeAt(schema: TSchema, schemaPath: string): unknown {
  return valueAt(schema, schemaPath.replace(/^#/, ''));
}

function patternPhrase(rule: string, given: unknown): string {
  return `must ${rule}${typeof given === 'string' ? describeForbiddenCharacter(given, rule) : ''}.`;
}

function ruleAt(schema: TSchema, schemaPath: string): string | undefined {
  const rule = field(nodeAt(schema, schemaPath), 'x-rule');
  return typeof rule === 'string' ? rule : undefined;
}

function field(node: unknown, name: string): unknown {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
  return (node as Record<string, unknown>)[name]; // `hasOwn` has just shown that the field exists.
}

/**
 * Names the character that a text field rejects, because terminals and logs would not show it. Completes
 * "`field` must …"; empty if `text` is rejected for another reason than control characters.
 */
function describeForbiddenCharacter(text: string, rule: string): string {
  if (!rule.includes('control characters')) return '';
  const allowed = rule.includes('newline') ? '\n\t' : '';
  const found = text.match(controls)?.find((character) => !allowed.includes(character));
  if (found === undefined) return '';
  const code = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return `; it contains ${code}: ${remedyFor(found, allowed !== '')}`;
}

function remedyFor(character: string, isBlock: boolean): string {
  if (/\p{Cs}/u.test(character)) return 'send whole characters, not halves of a surrogate pair';
  if (character === '\r' && isBlock) return 'end lines with U+000A only';
  return /\s/.test(character) ? 'use a space instead' : 'remove it';
}
