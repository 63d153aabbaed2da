/**
 * Measures work by the processor time of this thread, so that waiting for a busy processor does not count. On a slow
 * processor, or on a core whose other thread is busy, the limits grow by as much as a fixed amount of work slows down.
 */

/** The time of the fixed work on a quiet core of the machine on which the limits were set. */
const usualCalibrationMs = 22;
/** Work that takes more than this many times its limit is too slow on any machine. */
const maxSlowdown = 3;

/** Milliseconds of processor time that `work` took. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

export interface Timing {
  readonly ms: number;
  readonly fast: boolean;
}

/**
 * The fastest of several attempts to do `work` within `limitMs`, because compilation and garbage collection affect
 * some attempts, never all.
 */
export function timeWork(limitMs: number, attempts: number, work: () => void): Timing {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    fastest = Math.min(fastest, processorMs(work));
    if (fastest <= limitMs || fastest <= limitMs * slowdown()) return { ms: fastest, fast: true };
  }
  return { ms: fastest, fast: false };
}

/** How many times slower this thread is at the moment than on a quiet core: from 1 to 3. */
export function slowdown(): number {
  // The first call may still be interpreted.
  const fastest = Math.min(processorMs(calibrate), processorMs(calibrate));
  return Math.min(Math.max(fastest / usualCalibrationMs, 1), maxSlowdown);
}

let calibrations = 0;

/** Reads characters and builds strings, as the reader does. No two calls are alike, so no result comes from a cache. */
function calibrate(): void {
  calibrations += 1;
  let sum = calibrations;
  for (let place = 0; place < 48_000; place += 1) {
    const line = `${sum}: "ana" and **bel** come before ${place}`;
    for (let at = 0; at < line.length; at += 1) sum = (sum * 31 + line.charCodeAt(at)) % 65_536;
    sum += line.slice(3).trim().split(' ').length;
  }
  if (Number.isNaN(sum)) throw new Error('The calibration has no result.');
}
