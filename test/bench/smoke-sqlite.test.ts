import { expect, test } from 'bun:test';
import { measures } from '../../bench/measures/measures.ts';
import { runBench, timeoutMs } from './run-bench.ts';

/** Growth has a test of its own, as it fills two stores. */
const measured = Object.keys(measures).filter((measure) => measure !== 'growth');

test(
  'on sqlite every measure gives a figure',
  async () => {
    const table = await runBench('--store', 'sqlite', ...measured.flatMap((measure) => ['--only', measure]));
    for (const measure of [
      /accepted redemptions\/s +[\d,]+ .* bare inserts +\d+\.\d\d/,
      /eval jobs\/s.* no-op jobs +\d+\.\d{4}/,
      /GET \/v1\/tokens\/balance\/s +[\d,]+ .* bare route +\d+\.\d\d/,
      /seats\/s of one event, 64 connections +[\d,]+ .* row lock each +\d+\.\d\d/,
      /one reservation at a time, \/s +[\d,]+/,
      /eval jobs\/s of two processes.* +[\d,.]+ .* of one +\d+\.\d\d/,
      /audit of 2,000 ledger entries, seconds +\d+/,
      /hub at rest, \d+ processes: PSS, MB +\d+/,
    ]) {
      expect(table).toMatch(measure);
    }
  },
  timeoutMs,
);
