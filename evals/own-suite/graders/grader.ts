/** What a grader is. A file of this folder declares some; `registry.ts` lists them. */
import type { Static, TObject } from 'typebox';
import type { Fault, Path } from '../fault.ts';
import type { GraderSpec, Reply } from '../document.ts';
import type { WorkBudget } from '../work-budget.ts';

/** The judgement of one grader on one reply. */
export interface Verdict {
  /** From 0 to 1. */
  readonly share: number;
  readonly expected: string;
  readonly found: string;
}

/** A judge that gave no judgement, or a grader that took too long: the trial counts neither way. */
export interface Ungraded {
  readonly ungraded: string;
  /** What the graders of the suite ran out of: each grading of the reply would end so. */
  readonly exhausted?: 'work' | 'time' | 'memory';
}

export interface GradeContext {
  /**
   * Asks the judge behind a webhook of the suite's owner. Null where judges are not called, as in the check of a
   * document.
   */
  readonly judge: ((webhook: string, reply: Reply) => Promise<Verdict | Ungraded>) | null;
  /** What grading the reply may cost. */
  readonly work: WorkBudget;
}

export type Grade = (reply: Reply, context: GradeContext) => Verdict | Ungraded | Promise<Verdict | Ungraded>;

export interface Grader {
  readonly name: string;
  /** What passes, in one sentence for the guide. */
  readonly passes: string;
  /** Steps of work for each character of a reply, measured for hostile ones. The rest is spent where it arises. */
  readonly stepsPerCharacter: number;
  /** The fields, one of which is the name. */
  readonly schema: TObject;
  /** Faults that the schema cannot express. Called only with a value that has the form of the schema. */
  readonly check: (spec: GraderSpec, at: GraderPlace) => readonly Fault[];
  /** Prepares a grader without faults for many replies. */
  readonly prepare: (spec: GraderSpec, inner: (spec: GraderSpec) => Grade, work: WorkBudget) => Grade;
}

export interface GraderPlace {
  /** What checking the document may cost. */
  readonly work: WorkBudget;
  readonly path: readonly (string | number)[];
  /** Takes a sentence about something that is allowed and may surprise. */
  readonly warn: (path: Path, message: string) => void;
  /** The number of combinators around the grader. */
  readonly depth: number;
  /** Checks a grader inside this one. */
  readonly inner: (spec: unknown, path: readonly (string | number)[], depth: number) => readonly Fault[];
}

interface Declaration<Fields extends TObject> {
  readonly name: string;
  readonly passes: string;
  readonly stepsPerCharacter?: number;
  readonly schema: Fields;
  readonly check?: (spec: Static<Fields>, at: GraderPlace) => readonly Fault[];
  readonly prepare: (spec: Static<Fields>, inner: (spec: GraderSpec) => Grade, work: WorkBudget) => Grade;
}

/** Declares a grader with the types of its own fields. */
export function grader<Fields extends TObject>(declared: Declaration<Fields>): Grader {
  return {
    name: declared.name,
    passes: declared.passes,
    stepsPerCharacter: declared.stepsPerCharacter ?? 0,
    schema: declared.schema,
    // The form of a spec is checked against the schema before either function is called.
    check: (spec, at) => declared.check?.(spec as Static<Fields>, at) ?? [],
    prepare: (spec, inner, work) => declared.prepare(spec as Static<Fields>, inner, work),
  };
}

export function verdict(passed: boolean, expected: string, found: string): Verdict {
  return { share: passed ? 1 : 0, expected, found };
}
