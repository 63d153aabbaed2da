/** Rates as exact fractions, so that what is decided on them does not depend on rounding, and how they are printed. */
import type { Decimal } from './own-suite/decimal.ts';
import { decimalOf } from './own-suite/exact-json.ts';

/** In lowest terms, with a positive denominator. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export interface WeightedShare {
  readonly weight: number;
  readonly passed: number;
  /** At least 1. */
  readonly of: number;
}

/** The weighted mean of the shares; null if there is none. */
export function exactMean(shares: readonly WeightedShare[]): Fraction | null {
  if (shares.length === 0) return null;
  const weights = shares.map(({ weight }) => decimalOf(weight));
  const scale = Math.max(...weights.map((weight) => weight.scale));
  const whole = shares.reduce((unit, { of }) => leastCommonMultiple(unit, BigInt(of)), 1n);
  let [sum, total] = [0n, 0n];
  for (const [at, { passed, of }] of shares.entries()) {
    const weight = scaled(weights[at] ?? { digits: 0n, scale: 0 }, scale);
    sum += weight * BigInt(passed) * (whole / BigInt(of));
    total += weight * whole;
  }
  return reduced(sum, total);
}

/** Of a number as it is written: 0.1 is a tenth. */
export function fractionOf(value: number): Fraction {
  const { digits, scale } = decimalOf(value);
  return reduced(digits, 10n ** BigInt(scale));
}

export function isAtLeast(one: Fraction, other: Fraction): boolean {
  return one.numerator * other.denominator >= other.numerator * one.denominator;
}

const digitsKept = 18n;

export function numberOf({ numerator, denominator }: Fraction): number {
  const whole = numerator / denominator;
  const rest = ((numerator % denominator) * 10n ** digitsKept) / denominator;
  return Number(whole) + Number(rest) / 10 ** Number(digitsKept);
}

/** From a share to points of 100. */
export function hundredfold({ numerator, denominator }: Fraction): Fraction {
  return reduced(100n * numerator, denominator);
}

function reduced(numerator: bigint, denominator: bigint): Fraction {
  const factor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator);
  return { numerator: numerator / factor, denominator: denominator / factor };
}

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  let [large, small] = [one, other];
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}

function leastCommonMultiple(one: bigint, other: bigint): bigint {
  return (one / greatestCommonDivisor(one, other)) * other;
}

function scaled({ digits, scale }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}

/**
 * A rate from 0 to `most`, rounded half up: it becomes `most` only if it is, and 0 only if it is. The small addend
 * prevents 62.45, which has no exact binary form, from becoming 62.4.
 */
export function roundRate(rate: number, digits = 1, most = 100): number {
  const unit = 10 ** digits;
  if (rate <= 0 || rate >= most) return Math.min(most, Math.max(0, rate));
  const rounded = Math.round(rate * unit + 1e-9);
  return Math.min(most * unit - 1, Math.max(1, rounded)) / unit;
}

/** For programs, as the score beside it. */
export function roundInterval({ low, high }: { readonly low: number; readonly high: number }) {
  return { low: roundRate(low), high: roundRate(high) };
}

/** Points of 100, such as `99.9`. `100.0` says that all passed, and `0.0` that none did. */
export function pointsText(points: number, digits = 1): string {
  return roundRate(points, digits).toFixed(digits);
}

/** Such as `99.9%`. */
export function percentText(share: number, digits = 1): string {
  return `${pointsText(100 * share, digits)}%`;
}
