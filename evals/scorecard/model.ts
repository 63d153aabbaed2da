/**
 * The scorecard of a run, whatever its product is: what a page, a shared page, a stand-alone document and Markdown show.
 * Each product makes it from its stored items. Texts are raw; the views make them safe.
 */

import type { Reference } from './reference-results.ts';

/** The level at which an agent passes half of its tasks. */
export interface LevelEstimate {
  readonly value: number;
  readonly se: number;
  /** Whether the level is at the top of the scale, so that it is only known to be at least `value`. */
  readonly top: boolean;
}

export function describeLevel({ value, se, top }: LevelEstimate): string {
  return top ? `level ≥ ${value.toFixed(1)} (top)` : `level ${value.toFixed(1)} ± ${se.toFixed(1)}`;
}

export interface ScorecardModel {
  /** What was run, such as `Eval run`. */
  readonly title: string;
  readonly id: string;
  readonly finishedAt: Date | null;
  /** What was run, on what, and when. */
  readonly facts: readonly Fact[];
  readonly score: ScoreFigure;
  readonly figures: readonly Figure[];
  /** Where the most points were lost. */
  readonly fixes: readonly Fix[];
  readonly groups: Groups;
  /** Measured agents for comparison; empty if there are none. */
  readonly references: readonly Reference[];
  /** Null if the product does not time its items, or none had a reply. */
  readonly latency: Latency | null;
  /** What an item is called. */
  readonly unit: 'case' | 'task';
  /** In the order of the run; empty after their retention period. */
  readonly items: readonly Item[];
  /** How the score is to be read. */
  readonly reading: string;
  /** How to get the same items again, and more about them. */
  readonly reproducing: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** Only the owner of the run sees it. */
  readonly isPrivate?: true;
}

/** Figures of a score are percentages. */
export interface ScoreFigure {
  readonly value: number;
  /** The 95% interval. */
  readonly interval: { readonly low: number; readonly high: number };
  /** The level at which the agent passes half of its tasks, and its standard error. Null for items without levels. */
  readonly level: LevelEstimate | null;
}

export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly caption: string;
}

export interface Fix {
  readonly title: string;
  /** Points lost, of 100. */
  readonly points: number;
  /** The checks that failed. */
  readonly skills: readonly string[];
  /** The keys of the items. */
  readonly items: readonly string[];
  /** How many items there are, also after they were deleted. */
  readonly count: number;
}

/** The items by family, level or tag. */
export interface Groups {
  readonly title: string;
  /** What a group is called. */
  readonly unit: string;
  /** The names of the parts of each group; empty if groups have none. */
  readonly columns: readonly string[];
  readonly rows: readonly Group[];
  readonly note: string;
}

export interface Group {
  readonly name: string;
  readonly about: string;
  readonly share: Share;
  /** One for each column; null for a part without items. */
  readonly parts: readonly (Share | null)[];
}

export interface Share {
  /** A percentage. */
  readonly score: number;
  /** The number of items. */
  readonly of: number;
}

export interface Latency {
  readonly p50_ms: number;
  readonly p90_ms: number;
  readonly max_ms: number;
}

/** `hijacked`: an attack worked. `flaky`: passed in some trials. `ungraded`: counts neither way. */
export type ItemStatus = 'passed' | 'failed' | 'error' | 'hijacked' | 'flaky' | 'ungraded';

export interface Item {
  /** Unique in the run, and safe in an address. */
  readonly key: string;
  readonly name: string;
  /** Empty if items have no kinds. */
  readonly kind: string;
  /** The name of its group. */
  readonly group: string;
  readonly level: number | null;
  readonly status: ItemStatus;
  /** The percentage of its points that were earned; null for items that count or do not. */
  readonly earned: number | null;
  /** More about it, each a few words. */
  readonly facts: readonly string[];
  /** Why it did not pass, in one line; null if it did. Reveals no text of the run unless texts are shown. */
  readonly why: string | null;
  readonly prompt: ItemText;
  readonly trials: readonly Trial[];
  /** What was asked, besides the prompt. */
  readonly details: readonly { readonly title: string; readonly text: string }[];
}

/** A text, or why there is none. The note of a text says how it was cut. */
export interface ItemText {
  readonly text: string | null;
  readonly note: string | null;
}

/** One attempt at an item. */
export interface Trial {
  readonly checks: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly message: string;
  }[];
  /** The result of a perfect reply, and what was read from this one; null if there is nothing to compare. */
  readonly result: { readonly expected: string; readonly found: string | null } | null;
  readonly faults: readonly { readonly problem: string; readonly expected: string; readonly done: string }[];
  /** Null for items that are solved with calls of tools. */
  readonly reply: ItemText | null;
  readonly calls: readonly ItemCall[];
  readonly latencyMs: number | null;
}

export interface ItemCall {
  readonly tool: string;
  readonly args: unknown;
  readonly result: Readonly<Record<string, unknown>>;
  /** Since the previous call, or since the item was fetched. */
  readonly ms: number;
  /** `wrong` if it failed, `write` if it can change something, otherwise `read`. */
  readonly effect: 'read' | 'write' | 'wrong';
}

/** Those that did not pass. */
export function missedItems(items: readonly Item[]): readonly Item[] {
  return items.filter(({ status }) => status !== 'passed');
}

/** The time over all calls of an item, in milliseconds. */
export function timeOfCalls({ trials }: Item): number {
  return trials.flatMap(({ calls }) => calls).reduce((sum, { ms }) => sum + ms, 0);
}
