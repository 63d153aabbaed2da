/** Graders made of others, and those that leave the verdict to a judge. */
import { Type } from 'typebox';
import type { GraderSpec } from '../document.ts';
import { maxCombinatorDepth } from '../limits.ts';
import type { Fault } from '../fault.ts';
import {
  boundsOf,
  type Grade,
  grader,
  type GraderPlace,
  textsOf,
  type Ungraded,
  type Verdict,
  whyUngraded,
} from './grader.ts';

const Inner = Type.Array(Type.Unknown(), { minItems: 1, maxItems: 16 });

function checkInner(name: string, specs: readonly unknown[], at: GraderPlace): readonly Fault[] {
  if (at.depth >= maxCombinatorDepth)
    return at.fault(`\`all\`, \`any\` and \`not\` must be at most ${maxCombinatorDepth} deep.`);
  return specs.flatMap((spec, index) =>
    at.inner(spec, name === 'not' ? [...at.path, name] : [...at.path, name, index], at.depth + 1),
  );
}

interface Join {
  /** Never falls, or never rises, with a share. */
  readonly share: (shares: readonly number[]) => number;
  readonly expected: (texts: readonly string[]) => string;
}

/** Grades with all of `inner` and joins their verdicts. One without a verdict leaves none, only the bounds of the share. */
function joined(inner: readonly Grade[], join: Join): Grade {
  return async (reply, context) => {
    const judged: (Verdict | Ungraded)[] = [];
    for (const grade of inner) judged.push(await grade(reply, context));
    return joinedOf(judged, join);
  };
}

function joinedOf(
  judged: readonly (Verdict | Ungraded)[],
  { share: shareOf, expected }: Join,
): Verdict | Ungraded {
  const bounds = judged.map(boundsOf);
  const share = shareOf(bounds.map(([least]) => least));
  const other = shareOf(bounds.map(([, most]) => most));
  const texts = judged.map(textsOf);
  const said = {
    expected: expected(texts.map((each) => each.expected)),
    found: texts.map(({ found }) => found).join('; '),
  };
  const open = whyUngraded(judged);
  if (open === null) return { share, ...said };
  return { ...open, ...said, bounds: [Math.min(share, other), Math.max(share, other)] };
}

/** Passes if all of the graders pass; the share is the lowest of theirs. */
export const all = grader({
  name: 'all',
  seesReasoning: true,
  fields: { all: Inner },
  check: (spec, at) => checkInner('all', spec.all, at),
  prepare: (spec, inner) =>
    joined(prepared(spec.all, inner), {
      share: (shares) => Math.min(...shares),
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
  check: (spec, at) => checkInner('any', spec.any, at),
  prepare: ({ any: specs, at_least: least }, inner) =>
    joined(prepared(specs, inner), {
      share: (shares) => {
        const reached = least === undefined ? Math.max(...shares) : meanOf(specs, shares);
        return least !== undefined && reached >= least - 1e-9 ? 1 : reached;
      },
      expected: (texts) => `${least === undefined ? '' : `${least} of: `}${texts.join(' or ')}`,
    }),
});

const inverse: Join = {
  share: ([share = 0]) => 1 - share,
  expected: ([text = '']) => `not ${text}`,
};

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
  prepare: (spec, inner) => joined(prepared([spec.not], inner), inverse),
});

/** The forms of the specs have been checked with the document. */
function prepared(specs: readonly unknown[], inner: (spec: GraderSpec) => Grade): readonly Grade[] {
  return specs.map((spec) => inner(spec as GraderSpec));
}

export function turnedRound(judged: Verdict | Ungraded): Verdict | Ungraded {
  return joinedOf([judged], inverse);
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
