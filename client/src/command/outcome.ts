/** What a run says about the agent, in the same form for every product, and whether it meets the bars. */
import type { Options } from './options.ts';

/** The fields of a run that the command reads. */
export interface Run {
  readonly id: string;
  readonly product: string;
  readonly status: 'queued' | 'running' | 'completed' | 'failed';
  readonly progress: { readonly done: number; readonly total: number };
  readonly score: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly suite: { readonly name: string; readonly version: string | number };
  readonly label?: string | null;
  readonly cancelled?: true;
  readonly charge: { readonly tokens: number; readonly state: string };
  readonly failure: {
    readonly code: string;
    readonly message: string;
    readonly cause: { readonly excerpt: string | null; readonly expected: string | null } | null;
  } | null;
}

export interface Trial {
  readonly passed: boolean;
  /** Null in hidden suites. */
  readonly expected: string | null;
  readonly found: string | null;
  readonly latencyMs: number | null;
}

export interface Item {
  readonly id: string;
  readonly group: string;
  readonly trials: readonly Trial[];
}

/** The comparison with the baseline. The lists are empty for products whose cases differ in every run. */
export interface Change {
  readonly baseline: string;
  /** What the hub returned. */
  readonly comparison: unknown;
  readonly verdict: 'better' | 'worse' | 'no clear change';
  readonly p: number | null;
  readonly broken: readonly string[];
  readonly fixed: readonly string[];
  readonly flakyNow: readonly string[];
}

export interface Bar {
  readonly flag: string;
  readonly held: boolean;
  readonly message: string;
}

export interface Outcome {
  readonly run: Run;
  /** 0 to 1; null for products that have none. */
  readonly passRate: { readonly value: number; readonly low: number; readonly high: number } | null;
  readonly items: readonly Item[];
  /** Null without `--baseline`, and if there is no such run. */
  readonly change: Change | null;
  readonly bars: readonly Bar[];
  /** By case: why the program has not replied. */
  readonly programFaults: ReadonlyMap<string, string>;
}

/** Of the broken cases, in one line. */
const namedMax = 20;

export type Verdict = 'passing' | 'flaky' | 'failing' | 'ungraded';

export function verdictOf({ trials }: Item): Verdict {
  if (trials.length === 0) return 'ungraded';
  const passed = trials.filter((trial) => trial.passed).length;
  if (passed === trials.length) return 'passing';
  return passed === 0 ? 'failing' : 'flaky';
}

export function measureBars(
  { minPass, minScore, failOn, baseline }: Options,
  { run, passRate, change }: Omit<Outcome, 'bars' | 'items' | 'programFaults'>,
): readonly Bar[] {
  const bars: Bar[] = [];
  if (minPass !== null) {
    const rate = passRate?.value ?? 0;
    const message = `the pass rate is ${rate.toFixed(3)}, at least ${minPass} is required`;
    bars.push({ flag: `--min-pass ${minPass}`, held: rate >= minPass, message });
  }
  if (minScore !== null) {
    const score = run.score ?? 0;
    const message = `the score is ${score.toFixed(1)}, at least ${minScore} is required`;
    bars.push({ flag: `--min-score ${minScore}`, held: score >= minScore, message });
  }
  if (failOn !== null) {
    bars.push({ flag: `--fail-on ${failOn}`, ...comparedBar(failOn, baseline, change) });
  }
  return bars;
}

function comparedBar(
  failOn: 'broken' | 'worse',
  baseline: string | null,
  change: Change | null,
): Omit<Bar, 'flag'> {
  if (change === null) return { held: true, message: `there is no earlier run for --baseline ${baseline}` };
  if (failOn === 'worse') {
    const p = change.p === null ? '' : ` (p = ${change.p.toFixed(3)})`;
    return {
      held: change.verdict !== 'worse',
      message:
        change.verdict === 'no clear change' ? `no clear change${p}` : `the run is ${change.verdict}${p}`,
    };
  }
  const { broken } = change;
  if (broken.length === 0) return { held: true, message: 'no case broke' };
  const cases = broken.length === 1 ? '1 case broke' : `${broken.length} cases broke`;
  const more = broken.length > namedMax ? ` and ${broken.length - namedMax} more` : '';
  return { held: false, message: `${cases}: ${broken.slice(0, namedMax).join(', ')}${more}` };
}
