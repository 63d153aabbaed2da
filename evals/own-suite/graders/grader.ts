/** What a grader is. A file of this folder declares some; `registry.ts` lists them. */
import type { Static, TObject } from 'typebox';
import type { Fault } from '../fault.ts';
import type { GraderSpec, Reply } from '../document.ts';

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
  /** What a grader of the suite ran out of. */
  readonly exhausted?: 'time' | 'memory';
}

export interface GradeContext {
  /**
   * Asks the judge behind a webhook of the suite's owner. Null where judges are not called, as in the check of a
   * document.
   */
  readonly judge: ((webhook: string, reply: Reply) => Promise<Verdict | Ungraded>) | null;
}

export type Grade = (reply: Reply, context: GradeContext) => Verdict | Ungraded | Promise<Verdict | Ungraded>;

export interface Grader {
  readonly name: string;
  /** What passes, in one sentence for the guide. */
  readonly passes: string;
  /** The fields, one of which is the name. */
  readonly schema: TObject;
  /** Faults that the schema cannot express. Called only with a value that has the form of the schema. */
  readonly check: (spec: GraderSpec, at: GraderPlace) => readonly Fault[];
  /** Prepares a grader without faults for many replies. */
  readonly prepare: (spec: GraderSpec, inner: (spec: GraderSpec) => Grade) => Grade;
}

export interface GraderPlace {
  readonly path: readonly (string | number)[];
  /** The number of combinators around the grader. */
  readonly depth: number;
  /** Checks a grader inside this one. */
  readonly inner: (spec: unknown, path: readonly (string | number)[], depth: number) => readonly Fault[];
}

interface Declaration<Fields extends TObject> {
  readonly name: string;
  readonly passes: string;
  readonly schema: Fields;
  readonly check?: (spec: Static<Fields>, at: GraderPlace) => readonly Fault[];
  readonly prepare: (spec: Static<Fields>, inner: (spec: GraderSpec) => Grade) => Grade;
}

/** Declares a grader with the types of its own fields. */
export function grader<Fields extends TObject>(declared: Declaration<Fields>): Grader {
  return {
    name: declared.name,
    passes: declared.passes,
    schema: declared.schema,
    // The form of a spec is checked against the schema before either function is called.
    check: (spec, at) => declared.check?.(spec as Static<Fields>, at) ?? [],
    prepare: (spec, inner) => declared.prepare(spec as Static<Fields>, inner),
  };
}

export function verdict(passed: boolean, expected: string, found: string): Verdict {
  return { share: passed ? 1 : 0, expected, found };
}
