/** Measured agents that put a score into perspective. */
import measured from './reference-results.json' with { type: 'json' };

export interface Reference {
  readonly name: string;
  /** 0 to 100. */
  readonly score: number;
  /** What was measured, and when. */
  readonly about: string;
}

/** Those of one version of a suite of the hub. */
export function referencesOf(product: string, suiteVersion: string): readonly Reference[] {
  return measured.results
    .filter((one) => one.product === product && one.suite_version === suiteVersion)
    .map(({ agent, score, about }) => ({ name: agent, score, about }));
}
