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

/** Whether `found` differs from `wanted` by at most `within`, or by at most `percent` % of `wanted`. */
export function isWithin(
  found: Decimal,
  wanted: Decimal,
  tolerance: { within: Decimal } | { percent: Decimal },
): boolean {
  const difference = absolute(subtract(found, wanted));
  if ('within' in tolerance) return compareDecimals(difference, tolerance.within) <= 0;
  const allowed = multiply(absolute(wanted), tolerance.percent);
  return compareDecimals(multiply(difference, { digits: 100n, scale: 0 }), allowed) <= 0;
}

/** Whether `value` is a whole number of `unit`s. */
export function isMultiple(value: Decimal, unit: Decimal): boolean {
  const scale = Math.max(value.scale, unit.scale);
  return rescale(value, scale) % rescale(unit, scale) === 0n;
}

export function isInteger(value: Decimal): boolean {
  return isMultiple(value, { digits: 1n, scale: 0 });
}

function subtract(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { digits: rescale(one, scale) - rescale(other, scale), scale };
}

export function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale };
}

function absolute(value: Decimal): Decimal {
  return { digits: value.digits < 0n ? -value.digits : value.digits, scale: value.scale };
}

export function isSameNumber(one: Decimal, other: Decimal): boolean {
  return compareDecimals(one, other) === 0;
}

/** `5`, `5.0` and `5e0` are written alike. */
export function canonicalDecimal({ digits, scale }: Decimal): string {
  let [value, places] = [digits, scale];
  while (places > 0 && value % 10n === 0n) [value, places] = [value / 10n, places - 1];
  return `${value}e-${places}`;
}

/** Below 0 if `one` is the smaller, above 0 if it is the larger. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const { digits } = subtract(one, other);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

function rescale(value: Decimal, scale: number): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale);
}
