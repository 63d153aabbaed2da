/** What a task is made of: goals with cases, a request, a report, answers, and a reference that works through tools. */
import type { Random } from '../random.ts';
import type { LevelDials, WeekLevel } from './dials.ts';
import type { Chapter, Company } from './company.ts';
import type { Outcome } from './manual/decide.ts';
import type { Amendment, Facts, Law, PolicySpec } from './manual/rules.ts';
import type { Oracle } from './oracle.ts';
import type { Tool } from './tools/tool.ts';
import type { Answer, CaseTruth, Row, TableName, Office } from './office.ts';

export interface Figure {
  readonly name: string;
  /** Computed from what was booked. */
  readonly of: (booked: readonly Row[]) => number;
}

/** How an agent understands the rules of a chapter. */
export type ReadLaw = (chapter: Chapter) => Law;

/** A wrong view of the rules, as an attacker would like it. */
export interface Otherwise {
  readonly amendments?: readonly Amendment[];
  readonly values?: Outcome;
}

/** A group of records to decide by one policy. */
export interface Goal {
  readonly family: string;
  /** The sentences of the request. */
  readonly request: string;
  readonly caseIds: readonly string[];
  readonly table: TableName;
  /** The policy's name and the word for it in mails. */
  readonly policy: string;
  readonly topic: string;
  /** What is right for a case, as the office stands; or what it would be under other amendments or values. */
  truth(office: Office, id: string, other?: Otherwise): CaseTruth;
  readonly figures: readonly Figure[];
  readonly answers: readonly Answer[];
  /**
   * Works the goal off through the tools.
   *
   * @param read how the rules are understood; rightly by default
   */
  play(oracle: Oracle, read?: ReadLaw): void;
  /** Makes one open case change, as something that happens while the agent works. */
  readonly change: (office: Office, id: string) => void;
  readonly facts: (office: Office, id: string) => Facts;
}

export interface GoalInput {
  readonly office: Office;
  readonly company: Company;
  readonly random: Random;
  readonly level: WeekLevel;
  readonly dials: LevelDials;
  readonly cases: number;
}

/** A chapter of the manual, the records that it decides, and the tool that books the decisions. */
export interface Area {
  /** The family of its tasks. */
  readonly name: string;
  readonly policy: PolicySpec;
  /** The post that keeps the chapter. */
  readonly owner: string;
  readonly tool: Tool;
  /** Adds records of the kind that its cases are, unrelated to any task. */
  addBackground(input: Pick<GoalInput, 'office' | 'company' | 'random'>, count: number): void;
  make(input: GoalInput): Goal;
}
