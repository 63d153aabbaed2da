/** Graders made of others, and those that leave the verdict to a judge. */
import { Type } from 'typebox';
import type { GraderSpec } from '../document.ts';
import { isFields } from '../exact-json.ts';
import { maxCombinatorDepth } from '../limits.ts';
import type { Fault } from '../fault.ts';
import {
  type Bounds,
  boundsOf,
  type Grade,
  grader,
  type GraderPlace,
  inverseBoundsOf,
  textsOf,
  type Ungraded,
  type Verdict,
  whyUngraded,
} from './grader.ts';

const Inner = Type.Array(Type.Unknown(), { minItems: 1, maxItems: 16 });

/** @param ignored the modifiers that have no effect inside */
function checkInner(
  name: string,
  specs: readonly unknown[],
  at: GraderPlace,
  ignored: readonly string[] = ['required', 'weight'],
): readonly Fault[] {
  if (at.depth >= maxCombinatorDepth)
    return at.fault(`\`all\`, \`any\` and \`not\` must be at most ${maxCombinatorDepth} deep.`);
  return specs.flatMap((spec, index) => {
    const path = name === 'not' ? [name] : [name, index];
    const field = isFields(spec) ? ignored.find((each) => Object.hasOwn(spec, each)) : undefined;
    return field === undefined
      ? at.inner(spec, [...at.path, ...path], at.depth + 1)
      : at.fault(insideRules[field] ?? '', ...path, field);
  });
}

const insideRules: Readonly<Record<string, string>> = {
  required:
    '`required` must be on an entry of `expect`; inside another grader it has no effect. Use `all` for graders that must all pass.',
  weight:
    '`weight` must be on an entry of `expect` or of an `any` with `at_least`; elsewhere it has no effect.',
};

type ShareOf = (shares: readonly number[]) => number;

interface Join {
  /** Never falls when a share rises. */
  readonly share: ShareOf;
  /** The share of `not`, from the inverse shares. Never falls when one of them rises. */
  readonly inverse: ShareOf;
  readonly expected: (texts: readonly string[]) => string;
}

/** Grades with all of `inner` and joins their verdicts. One without a verdict leaves none, only the bounds of the share. */
function joined(inner: readonly Grade[], { share: shareOf, inverse: inverseOf, expected }: Join): Grade {
  return async (reply, context) => {
    const judged: (Verdict | Ungraded)[] = [];
    for (const grade of inner) judged.push(await grade(reply, context));
    const bounds = joinBounds(shareOf, judged.map(boundsOf));
    const inverseBounds = joinBounds(inverseOf, judged.map(inverseBoundsOf));
    const texts = judged.map(textsOf);
    const said = {
      expected: expected(texts.map((each) => each.expected)),
      found: texts.map(({ found }) => found).join('; '),
    };
    const open = whyUngraded(judged);
    return open === null
      ? { share: bounds[0], inverse: inverseBounds[0], ...said }
      : { ...open, ...said, bounds, inverseBounds };
  };
}

function joinBounds(join: ShareOf, bounds: readonly Bounds[]): Bounds {
  return [join(bounds.map(([least]) => least)), join(bounds.map(([, most]) => most))];
}

const lowest: ShareOf = (shares) => Math.min(...shares);
const highest: ShareOf = (shares) => Math.max(...shares);

/** Passes if all of the graders pass; the share is the lowest of theirs. */
export const all = grader({
  name: 'all',
  seesReasoning: true,
  fields: { all: Inner },
  check: (spec, at) => checkInner('all', spec.all, at),
  prepare: (spec, inner) =>
    joined(prepared(spec.all, inner), {
      share: lowest,
      inverse: highest,
      expected: (texts) => texts.join(' and '),
    }),
});

/**
 * Passes if at least one of the graders passes, or with `at_least: 0.6` that share of them, by `weight`; the share is
 * the highest of theirs, or their mean.
 */
export const any = grader({
  name: 'any',
  seesReasoning: true,
  fields: { any: Inner, at_least: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })) },
  check: (spec, at) =>
    checkInner('any', spec.any, at, spec.at_least === undefined ? undefined : ['required']),
  prepare({ any: specs, at_least: least }, inner) {
    const reaches = (mean: number): boolean => least !== undefined && mean >= least - 1e-9;
    const share: ShareOf = (shares) => {
      const mean = meanOf(specs, shares);
      return reaches(mean) ? 1 : mean;
    };
    const inverse: ShareOf = (inverses) => (reaches(1 - meanOf(specs, inverses)) ? 0 : 1);
    return joined(prepared(specs, inner), {
      ...(least === undefined ? { share: highest, inverse: lowest } : { share, inverse }),
      expected: (texts) => `${least === undefined ? '' : `${least} of: `}${texts.join(' or ')}`,
    });
  },
});

/** By the weights of the graders. */
function meanOf(specs: readonly unknown[], shares: readonly number[]): number {
  const weights = specs.map((spec) => {
    // The form of the specs has been checked.
    const { weight } = spec as GraderSpec;
    return typeof weight === 'number' ? weight : 1;
  });
  const sum = shares.reduce((total, share, at) => total + share * (weights[at] ?? 1), 0);
  return sum / weights.reduce((total, weight) => total + weight, 0);
}

/** Passes if the grader does not pass. */
export const not = grader({
  name: 'not',
  seesReasoning: true,
  fields: { not: Type.Object({}) },
  check: (spec, at) => checkInner('not', [spec.not], at),
  prepare(spec, inner) {
    // Its form has been checked with the document.
    const grade = inner(spec.not as GraderSpec);
    return async (reply, context) => turnedRound(await grade(reply, context));
  },
});

/** The forms of the specs have been checked with the document. */
function prepared(specs: readonly unknown[], inner: (spec: GraderSpec) => Grade): readonly Grade[] {
  return specs.map((spec) => inner(spec as GraderSpec));
}

export function turnedRound(judged: Verdict | Ungraded): Verdict | Ungraded {
  const { expected, found } = textsOf(judged);
  const said = { expected: `not ${expected}`, found };
  const [bounds, inverseBounds] = [inverseBoundsOf(judged), boundsOf(judged)];
  return 'ungraded' in judged
    ? { ...judged, ...said, bounds, inverseBounds }
    : { share: bounds[0], inverse: inverseBounds[0], ...said };
}

/** Passes if the judge behind the webhook of this name accepts the reply; the webhook subscribes to `suite.grade`. */
export const webhook = grader({
  name: 'webhook',
  seesReasoning: true,
  fields: { webhook: Type.String({ minLength: 1, maxLength: 64 }) },
  prepare:
    (spec) =>
    async (reply, { judge }) =>
      judge === null ? { ungraded: 'Judges are not called here.' } : await judge(spec.webhook, reply),
});

/**
 * Passes if the judge of this name in `judges`, whom the runner of the suite asks, accepts the reply. `gradeReply`
 * leaves it open: the judge is asked when the run has ended.
 */
export const judge = grader({
  name: 'judge',
  seesReasoning: true,
  fields: { judge: Type.String({ minLength: 1, maxLength: 40 }) },
  check: (_, { depth, fault }) =>
    depth === 0 ? [] : fault('A judge must be an entry of `expect`, not part of another grader.'),
  prepare: () => () => ({ ungraded: 'Judges are not called here.' }),
});
