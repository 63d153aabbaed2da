/** What a row of the table of faults says. */
import type { Dialect } from '#db/database.ts';
import type { FaultWorld } from './world.ts';

export interface Fault {
  /** What is broken, and how. */
  readonly name: string;
  /** On which stores it can happen. */
  readonly dialects: readonly Dialect[];
  /**
   * The codes that callers may be refused with while it lasts and until the hub has recovered. With none, all are served
   * all the time.
   */
  readonly refusals: readonly string[];
  /** A code that somebody must be refused with while it lasts, where the fault might miss them. */
  readonly mustRefuse?: string;
  /** How long it lasts, when the usual does not show it. */
  readonly lastsMs?: number;
  /** Breaks it; what comes back mends it. */
  readonly strike: (world: FaultWorld) => Promise<() => Promise<void>>;
}

export const bothStores: readonly Dialect[] = ['sqlite', 'postgres'];
