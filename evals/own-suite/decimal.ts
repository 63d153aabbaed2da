/** Decimal arithmetic without rounding, so that `25.88 within 0.005` means what it says. */

/** The number `digits / 10 ** scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Longer numbers are not read: nobody asks for them, and multiplying them takes long. */
export const maxDecimalCharacters = 64;

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** @param text such as `-12.50` or `1e3`; null if it is not a number */
export function parseDecimal(text: string): Decimal | null {
  const match = text.length > maxDecimalCharacters ? null : form.exec(text);
  const digits = `${match?.[2] ?? ''}${match?.[3] ?? ''}`;
  if (match === null || digits === '') return null;
  const value = BigInt(`${match[1] === '-' ? '-' : ''}${digits}`);
  const scale = (match[3]?.length ?? 0) - Number(match[4] ?? 0);
  return scale < 0 ? { digits: value * 10n ** BigInt(-scale), scale: 0 } : { digits: value, scale };
}

/** Numbers of JSON and YAML, which JavaScript prints in the shortest form that is exact. */
export function decimalOf(value: number): Decimal {
  const parsed = parseDecimal(String(value));
  if (parsed === null) throw new RangeError(`${value} is not a finite number.`);
  return parsed;
}

/** Whether `found` differs from `wanted` by at most `within`, or by at most `percent` % of `wanted`. */
export function isWithin(
  found: Decimal,
  wanted: Decimal,
  tolerance: { within: Decimal } | { percent: Decimal },
): boolean {
  const difference = absolute(subtract(found, wanted));
  if ('within' in tolerance) return compare(difference, tolerance.within) <= 0;
  const allowed = multiply(absolute(wanted), tolerance.percent);
  return compare(multiply(difference, { digits: 100n, scale: 0 }), allowed) <= 0;
}

/** Whether `value` is a whole number of `unit`s. */
export function isMultiple(value: Decimal, unit: Decimal): boolean {
  const scale = Math.max(value.scale, unit.scale);
  return rescale(value, scale) % rescale(unit, scale) === 0n;
}

function subtract(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { digits: rescale(one, scale) - rescale(other, scale), scale };
}

function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale };
}

function absolute(value: Decimal): Decimal {
  return { digits: value.digits < 0n ? -value.digits : value.digits, scale: value.scale };
}

function compare(one: Decimal, other: Decimal): number {
  const { digits } = subtract(one, other);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

function rescale(value: Decimal, scale: number): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale);
}
