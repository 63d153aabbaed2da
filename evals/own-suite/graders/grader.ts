/** What a grader is. A file of this folder declares some; `registry.ts` lists them. */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { Fault, Path } from '../fault.ts';
import { type GraderSpec, type Reply, Tag } from '../document.ts';
import { maxTurns } from '../limits.ts';
import type { WorkBudget } from '../work-budget.ts';

/** The judgement of one grader on one reply. */
export interface Verdict {
  /** From 0 to 1. */
  readonly share: number;
  /** The share with `not`; by default, 1 minus `share`. An unclear reply fails with and without `not`. */
  readonly inverse?: number;
  readonly expected: string;
  readonly found: string;
}

/**
 * A judge that gave no judgement, or a grader that ran out of work, time or memory: the reply has no verdict, unless the
 * other graders have failed it. Runs fail a reply that exhausts its graders.
 */
export interface Ungraded extends Partial<Pick<Verdict, 'expected' | 'found'>> {
  readonly ungraded: string;
  /** What the graders of the suite ran out of: each grading of the reply would end so. */
  readonly exhausted?: 'work' | 'time' | 'memory';
  /** Of the share, and of the share with `not`. By default, `anyShare`. */
  readonly bounds?: Bounds;
  readonly inverseBounds?: Bounds;
}

/** Of a share, whatever the verdicts that are missing say. */
export type Bounds = readonly [least: number, most: number];

export const anyShare: Bounds = [0, 1];

export function boundsOf(judged: Verdict | Ungraded): Bounds {
  return 'ungraded' in judged ? (judged.bounds ?? anyShare) : [judged.share, judged.share];
}

export function inverseBoundsOf(judged: Verdict | Ungraded): Bounds {
  if ('ungraded' in judged) return judged.inverseBounds ?? anyShare;
  const { share, inverse = 1 - share } = judged;
  return [inverse, inverse];
}

/** What a grader expected and found, also without a verdict. */
export function textsOf(judged: Verdict | Ungraded): Pick<Verdict, 'expected' | 'found'> {
  const { expected = 'a verdict', found = 'ungraded' in judged ? judged.ungraded : '' } = judged;
  return { expected, found };
}

/** Why there is no verdict; null if all have one. What the graders ran out of comes first. */
export function whyUngraded(judged: readonly (Verdict | Ungraded)[]): Ungraded | null {
  const open = judged.filter((each) => 'ungraded' in each);
  const first = open.find(({ exhausted }) => exhausted !== undefined) ?? open[0];
  if (first === undefined) return null;
  const { ungraded, exhausted } = first;
  return { ungraded, ...(exhausted === undefined ? {} : { exhausted }) };
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
  /** Whether it needs what the agent said last. */
  readonly readsText: boolean;
  /** Whether it sees the reasoning in a reply, or passes it on. */
  readonly seesReasoning: boolean;
  /** Whether it looks for something anywhere in a reply: with `not`, in the reasoning too, so that nothing hides there. */
  readonly findsAnywhere: boolean;
  /** Steps of work for each character of a reply, measured for hostile ones. The rest is spent where it arises. */
  readonly stepsPerCharacter: number;
  /** The fields, one of which is the name, and those of every grader. */
  readonly schema: TObject;
  /** Faults that the schema cannot express. Called only with a value that has the form of the schema. */
  readonly check: (spec: GraderSpec, at: GraderPlace) => readonly Fault[];
  /** Prepares a grader without faults for many replies. */
  readonly prepare: (spec: GraderSpec, inner: (spec: GraderSpec) => Grade, work: WorkBudget) => Grade;
}

export interface GraderPlace {
  /** What checking the document may cost. */
  readonly work: WorkBudget;
  readonly path: Path;
  /** One fault, in the field to which `keys` lead. */
  readonly fault: (message: string, ...keys: Path) => readonly Fault[];
  /** Takes a sentence about something that is allowed and may surprise. */
  readonly warn: (path: Path, message: string) => void;
  /** Names of the tools that the case offers; empty if it offers none, and calls may still be of the agent's own tools. */
  readonly tools: readonly string[];
  /** Whether it, or a grader around it, grades the reply of one turn. */
  readonly ofTurn: boolean;
  /** The number of combinators around the grader. */
  readonly depth: number;
  /** Checks a grader inside this one. */
  readonly inner: (spec: unknown, path: Path, depth: number) => readonly Fault[];
}

interface Declaration<Fields extends TProperties> extends Pick<Grader, 'name'> {
  readonly readsText?: boolean;
  readonly seesReasoning?: boolean;
  readonly findsAnywhere?: boolean;
  readonly stepsPerCharacter?: number;
  readonly fields: Fields;
  readonly check?: (spec: Static<TObject<Fields>>, at: GraderPlace) => readonly Fault[];
  readonly prepare: (
    spec: Static<TObject<Fields>>,
    inner: (spec: GraderSpec) => Grade,
    work: WorkBudget,
  ) => Grade;
}

/**
 * Fields of every grader. `not: true` inverts it; `required: true` fails the case if it fails; `weight` is 1 by default;
 * results have the share of the graders with a `metric` that passed; `turn` says whose reply it grades, of a case with
 * several.
 */
const modifiers = {
  not: Type.Optional(Type.Literal(true)),
  required: Type.Optional(Type.Boolean()),
  weight: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000 })),
  metric: Type.Optional(Tag),
  turn: Type.Optional(Type.Integer({ minimum: 1, maximum: maxTurns })),
};

/** Declares a grader with the types of its own fields. */
export function grader<Fields extends TProperties>({
  readsText = true,
  seesReasoning = false,
  findsAnywhere = false,
  stepsPerCharacter = 0,
  fields,
  check = () => [],
  prepare,
  ...rest
}: Declaration<Fields>): Grader {
  return {
    ...rest,
    readsText,
    seesReasoning,
    findsAnywhere,
    stepsPerCharacter,
    schema: Type.Object({ ...modifiers, ...fields }, { additionalProperties: false }),
    // The form of a spec is checked against the schema before either function is called.
    check: (spec, at) => check(spec as Static<TObject<Fields>>, at),
    prepare: (spec, inner, work) => prepare(spec as Static<TObject<Fields>>, inner, work),
  };
}

export function verdict(passed: boolean, expected: string, found: string): Verdict {
  return { share: passed ? 1 : 0, expected, found };
}

/** The verdict on a reply of which the grader cannot tell whether it passes. */
export function unclear(expected: string, found: string): Verdict {
  return { share: 0, inverse: 0, expected, found };
}
