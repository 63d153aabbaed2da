/** The definition of a kind of goal, and the steps that several kinds share. */
import type { EffectPattern } from '../effects.ts';
import type { Contact } from '../office.ts';
import type { OfficeDraft } from '../office-draft.ts';
import type { Goal, PlanStep } from '../task.ts';

export interface GoalWish {
  /** True for one of the run's tasks that the rules forbid; only kinds with `canRefuse` are asked for it. */
  readonly refuse: boolean;
  /** True if the goal may require a question to the user; at most one goal of a task may. */
  readonly mayAsk: boolean;
  /** True if a later rule, published in the file of rule changes, replaces one of the goal's rules. */
  readonly ruleChange: boolean;
}

export interface GoalKind {
  readonly name: string;
  readonly canRefuse: boolean;
  readonly canChangeRule: boolean;
  draft(office: OfficeDraft, wish: GoalWish): Goal;
}

type GoalParts = Partial<Goal> & Pick<Goal, 'kind' | 'request' | 'rules' | 'plan' | 'required' | 'documents'>;

/** A goal that requires no question and no refusal, unless `parts` says so. */
export function goal(parts: GoalParts): Goal {
  return {
    violations: [],
    carelessPlan: null,
    ask: null,
    refuse: false,
    evidence: [],
    changedRule: null,
    ...parts,
  };
}

/** The writes of a careless agent, and its plan; to be spread into `goal` where there is a trap. */
export function trap(violation: EffectPattern, carelessPlan: readonly PlanStep[]) {
  return { violations: [violation], carelessPlan };
}

export const ruleChangesName = 'Rule changes';

export function step(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  ...basedOn: readonly string[]
): PlanStep {
  return { tool, args, basedOn };
}

/** The steps that find a contact by name. From level 2 on, a role or company in the texts distinguishes twins. */
export function findContactStep(contact: Contact, ...basedOn: readonly string[]): PlanStep {
  return step('find_contact', { query: contact.name }, contact.name, ...basedOn);
}

export function isWithTwin(office: OfficeDraft): boolean {
  return office.level >= 2;
}
