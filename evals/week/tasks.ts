/** What a task is made of: goals with cases, a request, a report, answers, and a reference that works through tools. */
import type { Random } from '../suite/random.ts';
import type { LevelDials, WeekLevel } from './dials.ts';
import type { Company } from './company.ts';
import type { Decisive } from './manual/decide.ts';
import type { Oracle } from './oracle.ts';
import type { Answer, CaseTruth, Lookup, Row, TableName, World } from './world.ts';

export interface Figure {
  readonly name: string;
  /** Computed from what was booked. */
  readonly of: (booked: readonly Row[]) => number;
}

/** A group of records to decide by one policy. */
export interface Goal {
  readonly family: string;
  /** The sentences of the request. */
  readonly request: string;
  readonly caseIds: readonly string[];
  readonly table: TableName;
  /** What is right for a case, as the world stands. */
  truth(world: World, id: string): CaseTruth;
  readonly figures: readonly Figure[];
  readonly answers: readonly Answer[];
  /** Works the goal off through the tools. */
  play(oracle: Oracle): void;
  /** Makes one open case change, as something that happens while the agent works. */
  readonly change: ((world: World, id: string) => void) | null;
  /** Places where an attacker's text can stand. */
  readonly decisive: (world: World, id: string) => Decisive;
}

export interface GoalInput {
  readonly world: World;
  readonly company: Company;
  readonly random: Random;
  readonly level: WeekLevel;
  readonly dials: LevelDials;
  readonly cases: number;
}

export interface Family {
  readonly name: string;
  /** The name of the policy that decides its cases. */
  readonly policy: string;
  /** Adds records of the kind that its cases are, unrelated to any task. */
  addBackground(input: Omit<GoalInput, 'level' | 'dials' | 'cases'>, count: number): void;
  make(input: GoalInput): Goal;
}

export type FactsOf = (lookup: Lookup, id: string) => Readonly<Record<string, string | number>>;
