/**
 * The Wilson score interval (E. B. Wilson, 1927). Unlike mean ± error it holds near 0 and 1 and for few
 * cases.
 */

/** Standard normal quantile for 95%. */
const z = 1.959964;

/**
 * A 95% interval for a share.
 *
 * @param share between 0 and 1. Partial scores vary less than 0 and 1 do, so their interval is somewhat too
 * wide.
 * @param count the number of trials, or the effective number `(Σw)² / Σw²` when they are weighted.
 */
export function wilsonInterval(share: number, count: number): { low: number; high: number } {
  if (count <= 0) return { low: 0, high: 1 };
  const scale = 1 + (z * z) / count;
  const centre = (share + (z * z) / (2 * count)) / scale;
  const reach = (z / scale) * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}
