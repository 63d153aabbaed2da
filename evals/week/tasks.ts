/** What a task is made of: goals with cases, a request, a report, answers, and a reference that works through tools. */
import type { Random } from '../random.ts';
import type { TaskDials } from './dials.ts';
import type { Chapter, Company } from './company.ts';
import type { Outcome } from './manual/decide.ts';
import type { Amendment, Facts, Law, PolicySpec } from './manual/rules.ts';
import type { Oracle } from './oracle.ts';
import type { Tool } from './tools/tool.ts';
import type { Answer, CaseTruth, Lookup, Office, Row, TableName } from './office.ts';

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

/** Records that one policy decides. Areas differ in records, facts and tools. */
export interface Batch {
  /** The name of the policy. */
  readonly policy: string;
  readonly table: TableName;
  readonly tool: string;
  /** The sentences of the request. */
  readonly request: string;
  readonly caseIds: readonly string[];
  readonly figures: readonly Figure[];
  readonly answers: readonly Answer[];
  /** The other records that a case's facts are in. */
  readonly linked: (lookup: Lookup, id: string) => { readonly table: TableName; readonly id: string }[];
  /** Finds the cases through tools, as the request names them. */
  readonly collect: (oracle: Oracle) => readonly string[];
  readonly factsOf: (lookup: Lookup, id: string) => Facts;
  /** The fields of the tool by the values of the policy's questions; null if the case must be left alone. */
  readonly fieldsOf: (lookup: Lookup, id: string, outcome: Outcome) => Row | null;
  /** Makes one open case change, as something that happens while the agent works. */
  readonly change: (office: Office, id: string) => void;
  /** More that has to be done once the records are known. */
  readonly prepare?: (oracle: Oracle, ids: readonly string[]) => void;
}

/** A part of a task: a batch to decide. */
export interface Goal extends Batch {
  /** The word for the policy in mails. */
  readonly topic: string;
  /** What is right for a case, as the office stands; or what it would be under other amendments or values. */
  truth(office: Office, id: string, other?: Otherwise): CaseTruth;
  /**
   * Works the goal off through the tools.
   *
   * @param read how the rules are understood; rightly by default
   */
  play(oracle: Oracle, read?: ReadLaw): void;
}

export interface GoalInput {
  readonly office: Office;
  readonly company: Company;
  readonly random: Random;
  readonly dials: TaskDials;
  readonly cases: number;
}

/** A chapter of the manual, the records that it decides, and the tool that books the decisions. */
export interface Area {
  readonly policy: PolicySpec;
  /** The post that keeps the chapter. */
  readonly owner: string;
  readonly tool: Tool;
  /** Adds records of the kind that its cases are, unrelated to any task. */
  addBackground(input: Pick<GoalInput, 'office' | 'company' | 'random'>, count: number): void;
  make(input: GoalInput): Goal;
}
