/**
 * 10,000 random results, with weights, trials, errors and comparisons: every bar and `held` equal what whole numbers give.
 */
import { expect, test } from 'bun:test';
import { type CaseTrials, passAll, passRate } from '#evals/own-suite/statistics.ts';
import { marksOfStatuses, passesOf } from '#evals/own-suite/trial-marks.ts';
import { createRandom, type Random } from '#evals/random.ts';
import { type Change, measureBars, outcomeOf } from '#evals/report/bars.ts';
import { summarize } from '#evals/report/summary.ts';
import type { ExportedTrial } from '#evals/export/run-export.ts';
import { changeOf, item, runOf, trial } from '#test/evals/export/exported-runs.ts';

const rounds = 10_000;
const seed = process.env['TEST_SEED'] ?? `${Date.now()}`;
/** Divisible by every number of trials, so that shares of cases are whole. */
const whole = 60;

type Status = ExportedTrial['status'];

interface Drawn {
  /** In tenths. */
  readonly weight: number;
  readonly statuses: readonly Status[];
}

function drawCases(random: Random): readonly Drawn[] {
  const isWeighted = random.chance(0.4);
  const kinds: readonly Status[] = random.pick([
    ['passed'],
    ['passed', 'failed'],
    ['passed', 'passed', 'passed', 'failed', 'error'],
    ['passed', 'failed', 'error', 'ungraded'],
    ['error'],
  ]);
  const trials = random.int(1, 5);
  return Array.from({ length: random.int(1, 12) }, () => ({
    weight: isWeighted ? random.int(1, 40) : 10,
    statuses: Array.from({ length: trials }, () => random.pick(kinds)),
  }));
}

function trialsOf({ weight, statuses }: Drawn, at: number): CaseTrials {
  return { id: `case-${at}`, weight: weight / 10, tags: [], passes: passesOf(marksOfStatuses(statuses)) };
}

/** The pass rate as two whole numbers: a trial without a reply or a verdict did not pass. */
function countedRate(cases: readonly Drawn[]): readonly [bigint, bigint] {
  let [passed, all] = [0, 0];
  for (const { weight, statuses } of cases) {
    passed += (weight * whole * statuses.filter((status) => status === 'passed').length) / statuses.length;
    all += weight * whole;
  }
  return [BigInt(passed), BigInt(all)];
}

async function summaryOf(cases: readonly Drawn[]) {
  const items = cases.map(({ statuses }, at) =>
    item(
      `case-${at}`,
      statuses.map((status, n) => trial({ index: n, trial: n + 1, status })),
    ),
  );
  return summarize(runOf(items));
}

function drawChange(random: Random): Change {
  const cases = random.int(1, 40);
  const compared = random.int(0, cases);
  const broken = Array.from(
    { length: random.chance(0.5) ? 0 : random.int(0, compared) },
    (_, at) => `c-${at}`,
  );
  const verdict =
    compared === 0 ? 'not comparable' : random.pick(['better', 'worse', 'no clear change'] as const);
  return changeOf(
    { verdict, broken },
    { compared, cases, changed: Array.from({ length: cases - compared }, (_, at) => `d-${at}`) },
  );
}

test('every bar and `held` are what the counts say', async () => {
  process.stdout.write(`seed ${seed}\n`);
  const random = createRandom(seed, 'random results');
  for (let round = 0; round < rounds; round += 1) {
    const cases = drawCases(random);
    const rate = passRate(cases.map(trialsOf));
    const [passed, all] = countedRate(cases);
    const summary = await summaryOf(cases);
    const statuses = cases.flatMap((one) => one.statuses);
    const errors = statuses.filter((status) => status === 'error').length;
    expect(summary).toMatchObject({ items: cases.length, trials: statuses.length, errors });
    if (rate === null) throw new Error('Each run has a rate.');
    expect(rate.exact.numerator * all).toBe(passed * rate.exact.denominator);

    const digits = random.int(0, 6);
    const unit = 10 ** digits;
    // Often next to the rate, where rounding would show.
    const near = (scale: number) =>
      Math.round((Number(passed) / Number(all)) * scale * unit) + random.int(-1, 1);
    const passParts = Math.min(unit, Math.max(0, near(1)));
    const scoreParts = Math.min(100 * unit, Math.max(0, near(100)));
    const change = random.chance(0.7) ? drawChange(random) : null;
    const failOn = random.pick(['broken', 'worse'] as const);
    const comparedParts = random.int(0, 100);
    const bars = measureBars(
      { minPass: passParts / unit, minScore: scoreParts / unit, failOn, minCompared: comparedParts / 100 },
      { passRate: rate.exact, change, baseline: 'latest' },
    );
    const wanted = {
      min_pass: passed * BigInt(unit) >= BigInt(passParts) * all,
      min_score: 100n * passed * BigInt(unit) >= BigInt(scoreParts) * all,
      fail_on:
        change === null ||
        (failOn === 'broken'
          ? change.broken.length === 0
          : change.verdict !== 'worse' && (change.broken.length === 0 || change.reach.compared >= 10)),
      ...(change === null
        ? {}
        : { min_compared: 100 * change.reach.compared >= comparedParts * change.reach.cases }),
    };
    expect(Object.fromEntries(bars.map(({ bar, held }) => [bar, held]))).toEqual(wanted);
    const outcome = outcomeOf(bars, summary, 0);
    if (errors === statuses.length) expect(outcome).toBe('not_possible');
    else expect(outcome).toBe(Object.values(wanted).includes(false) ? 'fell_short' : 'held');
    const whenAll = cases.filter((one) => one.statuses.every((status) => status === 'passed'));
    const weightOf = (some: readonly Drawn[]) => some.reduce((sum, { weight }) => sum + weight, 0);
    expect(passAll(cases.map(trialsOf))?.value).toBeCloseTo(weightOf(whenAll) / weightOf(cases), 12);
  }
}, 120_000);
