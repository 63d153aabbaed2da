/** JSON values whose numbers keep all of their digits. JavaScript rounds integers above 2^53 and long fractions. */
import { type Static, Type } from 'typebox';
import { type Decimal, isSameNumber, maxDecimalCharacters, parseDecimal } from './decimal.ts';
import { normalizeText } from '#runtime/normalize-text.ts';
import { plainForm } from './text-forms.ts';

const numberForm = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** A number that JavaScript would round, as documents, replies and stored calls hold it. */
const ExactNumber = Type.Object(
  {
    $number: Type.String({
      pattern: numberForm.source,
      maxLength: maxDecimalCharacters,
      'x-rule': 'be a number',
    }),
  },
  { additionalProperties: false },
);
type ExactNumber = Static<typeof ExactNumber>;

/** A number of a document. */
export const Numeric = Type.Union([Type.Number(), ExactNumber]);
export type Numeric = Static<typeof Numeric>;
/** Shorter numbers are never rounded. */
const safeCharacters = 15;

/** @param source a number as JSON or YAML write it */
function isRounded(source: string): boolean {
  if (source.length <= safeCharacters && !/[eE]/.test(source)) return false;
  const [exact, rounded] = [parseDecimal(source), parseDecimal(String(Number(source)))];
  return exact === null || rounded === null || !isSameNumber(exact, rounded);
}

function isExactNumber(value: unknown): value is ExactNumber {
  if (typeof value !== 'object' || value === null) return false;
  const text: unknown = Reflect.get(value, '$number');
  return typeof text === 'string' && numberForm.test(text) && Object.keys(value).length === 1;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Whether it is an object with fields of its own, not a list or an {@link ExactNumber}. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export function isNumber(value: unknown): value is Numeric {
  return typeof value === 'number' || isExactNumber(value);
}

/** As JavaScript rounds it; null if it is no number. */
export function roundedIn(value: unknown): number | null {
  return isNumber(value) ? Number(writeExactJson(value)) : null;
}

/** Null if it is no number, or has more digits than are compared. */
export function decimalIn(value: unknown): Decimal | null {
  if (isExactNumber(value)) return parseDecimal(value.$number);
  return typeof value === 'number' ? parseDecimal(String(value)) : null;
}

/** What a number of YAML becomes. @param source such as `9007199254740993`, `+.5` or `0xff` */
export function exactOf(value: number, source: string): Numeric {
  const digits = /^0[xo]/.test(source) ? String(BigInt(source)) : source.replace(/^\+/, '');
  if (!Number.isFinite(value) && !/\d/.test(digits)) return value;
  return isRounded(digits)
    ? { $number: digits.replace(/^(-?)\./, '$10.').replace(/\.(?=[eE]|$)/, '') }
    : value;
}

/** @throws RangeError if it has more digits than are compared */
export function decimalOf(value: Numeric): Decimal {
  const decimal = decimalIn(value);
  if (decimal === null) throw new RangeError(`${writeExactJson(value)} is not a finite number.`);
  return decimal;
}

/** In every text with a number that would be rounded: only long ones and exponents are. */
export const longNumber = /\d[\d.]{14}\d|\d[eE][+-]?\d/;

/** As `JSON.parse`, with an `ExactNumber` for each number that would be rounded. @throws SyntaxError */
export function parseExactJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

/** @param context is passed by engines that know the source of each value */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = typeof value === 'number' ? context?.source : undefined;
  return source !== undefined && isRounded(source) ? { $number: source } : value;
}

/** Whether it has more levels of objects and arrays. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (!Array.isArray(value) && !isFields(value)) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** A JSON value with its names and texts in the form in which they are compared. */
export function inNfc(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value, 'NFC');
  if (Array.isArray(value)) return value.map(inNfc);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [normalizeText(name, 'NFC'), inNfc(each)]),
  );
}

/** Any other text there would break the JSON. */
const writtenNumber = /\{"\$number":"(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)"\}/g;

/** A value as JSON, in which no number is rounded. */
export function writeExactJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  // Inside a text, the quotes would be escaped.
  return text.includes('{"$number":"') ? text.replaceAll(writtenNumber, '$1') : text;
}

/** A text as it is, anything else as JSON writes it. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeExactJson(value);
}

/** Whether two JSON values are equal: numbers as decimals, texts in their plain form, and properties in any order. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (isNumber(one)) return isNumber(other) && haveSameNumber(one, other);
  if (typeof one === 'string')
    return typeof other === 'string' && (one === other || plainForm(one) === plainForm(other));
  if (typeof one !== 'object' || one === null) return one === other;
  if (typeof other !== 'object' || other === null || isExactNumber(other)) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isSameValue(Reflect.get(one, name), Reflect.get(other, name)),
    )
  );
}

function haveSameNumber(one: Numeric, other: Numeric): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one === other;
  const [left, right] = [decimalIn(one), decimalIn(other)];
  return left !== null && right !== null && isSameNumber(left, right);
}
