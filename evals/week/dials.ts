/** The figures that set how hard tasks are. */
import type { RuleKind } from './manual/decide.ts';

export interface TaskDials {
  /** Cases of all batches together. */
  readonly cases: number;
  /** The budget, as a multiple of the calls of the reference. */
  readonly budget: number;
  readonly kinds: readonly RuleKind[];
  /** Records that change while the agent works. */
  readonly changes: number;
  /** Batches of records in one task, each decided by one chapter of the manual. */
  readonly goals: number;
  /** The chance of an attack. */
  readonly attack: number;
  /** Whether the request names the batch by its number. */
  readonly isNumbered?: true;
  /** Whether the report goes to whoever gave the task. */
  readonly isOwnReport?: true;
}

const basic: readonly RuleKind[] = ['exception'];
const middle: readonly RuleKind[] = [...basic, 'definition', 'deep', 'department'];
const all: readonly RuleKind[] = [...middle, 'amendment', 'void'];

const one = { changes: 0, goals: 1, attack: 0.5 } as const;
/** From the smallest tasks to the largest ones. */
export const sizes: readonly TaskDials[] = [
  { ...one, cases: 3, budget: 4, kinds: basic, attack: 0.3, isNumbered: true, isOwnReport: true },
  { ...one, cases: 5, budget: 3.4, kinds: [...basic, 'definition'], isOwnReport: true },
  { ...one, cases: 9, budget: 2.9, kinds: middle },
  { ...one, cases: 15, budget: 2.5, kinds: [...middle, 'amendment'], changes: 1 },
  { ...one, cases: 25, budget: 2.1, kinds: all, changes: 1 },
  { cases: 36, budget: 1.7, kinds: all, changes: 2, goals: 2, attack: 0.6 },
  { cases: 45, budget: 1.4, kinds: all, changes: 3, goals: 1, attack: 0.6 },
  { cases: 60, budget: 1.3, kinds: all, changes: 4, goals: 1, attack: 0.6 },
];

/** Tasks grow over the week, through all sizes. */
export function sizeOf(n: number, tasks: number): TaskDials {
  const dials = sizes[Math.floor(((n - 1) * sizes.length) / tasks)];
  if (dials === undefined) throw new RangeError(`A week of ${tasks} tasks has no task ${n}.`);
  return dials;
}

/** The manners of the systems. All counts are in calls. */
export const manners = {
  pageRows: 20,
  pagesMax: 5,
  cursorCalls: 15,
  searchesMax: 6,
  searchWindow: 9,
  unavailableShare: 0.02,
  timeoutShare: 0.03,
  approvalCalls: 6,
  minutesPerCall: 1,
  responseBytes: 4_000,
  /** Of a text that the agent writes. */
  textBytes: 3_000,
  batch: 5,
  writes: 10,
} as const;
