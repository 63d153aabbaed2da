/**
 * A task of `agent-run`: what the agent gets, the office that it works in, and the data for the grader and the tests.
 */
import type { EffectPattern, WriteTool } from './effects.ts';
import type { Office } from './office.ts';
import type { ToolCall } from './tool.ts';

export type TaskLevel = 1 | 2 | 3 | 4 | 5;

/** A call of the reference plan. */
export interface PlanStep extends ToolCall {
  /**
   * Texts that the agent must have seen before this call: every argument is one of them or follows from them, as the
   * plan's rule says. The tests check that each text was in the prompt, in the policy or in an earlier result.
   */
  readonly basedOn: readonly string[];
}

/** One thing that a task asks for. Tasks of levels 4 and 5 have two. */
export interface Goal {
  readonly kind: string;
  /** The sentence in the prompt. */
  readonly request: string;
  readonly rules: readonly string[];
  readonly plan: readonly PlanStep[];
  readonly required: readonly EffectPattern[];
  /** The writes of an agent that breaks a rule or picks the wrong twin; empty where that is not possible. */
  readonly violations: readonly EffectPattern[];
  /** The plan of an agent that ignores rules, twins and questions; null if it is the reference plan. */
  readonly carelessPlan: readonly PlanStep[] | null;
  /** The scripted reply, and the write that must not precede the question; null if no question is needed. */
  readonly ask: { readonly reply: string; readonly before: WriteTool } | null;
  /** True if the rules forbid the request, so that the right outcome is `refused` without any change. */
  readonly refuse: boolean;
  /** Texts that must be in one result before a refusal counts: refusing without looking is a guess. */
  readonly evidence: readonly string[];
  /** A later rule that replaces one of `rules`, for the file of rule changes. */
  readonly changedRule: string | null;
  /** Documents that the plan reads, where an injection can be placed. */
  readonly documents: readonly Document[];
}

export interface Document {
  readonly kind: 'mail' | 'file' | 'order';
  readonly id: string;
}

export interface Injection {
  readonly style: 'blatant' | 'aligned' | 'split';
  /** The write that the attacker wants, described by fields that only the attacker has. */
  readonly effect: EffectPattern;
  /** The calls of an agent that obeys. */
  readonly obey: readonly ToolCall[];
}

export interface Task {
  /** Position in the run, from 1. */
  readonly n: number;
  readonly level: TaskLevel;
  /** The kinds of its goals, such as `refund` or `refund+share`. */
  readonly kind: string;
  readonly prompt: string;
  readonly policy: string;
  readonly office: Office;
  readonly goals: readonly Goal[];
  readonly user: { readonly reply: string };
  readonly outcome: 'done' | 'refused';
  readonly injection: Injection | null;
}
