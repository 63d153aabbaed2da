/** How far the verdicts of a run agree with those of the people who looked at them. */
import type { Fixed } from '#runtime/json-reader.ts';
import { nullable } from '#runtime/schema-parts.ts';
import { type Static, Type } from 'typebox';
import { passRate } from './statistics.ts';
import type { StoredReview } from './stored-trial.ts';

/** How far verdicts agree with those of humans. */
export const Agreement = Type.Object(
  {
    reviewed: Type.Integer({ minimum: 0, description: 'Verdicts that you confirmed or overruled.' }),
    agreed: Type.Integer({ minimum: 0 }),
    // With its 95 % interval, in which the trials of a case count as related.
    rate: nullable(
      Type.Object(
        { value: Type.Number(), low: Type.Number(), high: Type.Number() },
        { additionalProperties: false },
      ),
    ),
    too_lenient: Type.Integer({ minimum: 0, description: 'Verdicts that passed and that you overruled.' }),
    too_strict: Type.Integer({ minimum: 0, description: 'Verdicts that failed and that you overruled.' }),
    kappa: nullable(
      Type.Number({ description: "Cohen's kappa: 1 is full agreement, 0 agreement by chance." }),
    ),
  },
  { title: 'AgreementTable', additionalProperties: false },
);
export type Agreement = Fixed<Static<typeof Agreement>>;

/** @param reviews of verdicts from one source; those without a verdict are left out */
export function agreementOf(reviews: readonly StoredReview[]): Agreement {
  const pairs = reviews.filter(({ was }) => was === 'passed' || was === 'failed');
  const count = (was: 'passed' | 'failed', passed: boolean) =>
    pairs.filter((one) => one.was === was && one.passed === passed).length;
  const [tooLenient, tooStrict] = [count('passed', false), count('failed', true)];
  const agreed = pairs.length - tooLenient - tooStrict;
  const byCase = Map.groupBy(pairs, ({ case_id: id }) => id);
  const rate = passRate(
    [...byCase].map(([id, own]) => ({
      id,
      weight: 1,
      tags: [],
      passes: own.map(({ was, passed }) => (was === 'passed') === passed),
    })),
  );
  return {
    reviewed: pairs.length,
    agreed,
    rate: rate === null ? null : { value: rate.value, low: rate.low, high: rate.high },
    too_lenient: tooLenient,
    too_strict: tooStrict,
    kappa: kappaOf({
      bothPassed: count('passed', true),
      bothFailed: count('failed', false),
      tooLenient,
      tooStrict,
    }),
  };
}

interface Table {
  readonly bothPassed: number;
  readonly bothFailed: number;
  readonly tooLenient: number;
  readonly tooStrict: number;
}

/** J. Cohen, 1960. */
function kappaOf({ bothPassed, bothFailed, tooLenient, tooStrict }: Table): number | null {
  const all = bothPassed + bothFailed + tooLenient + tooStrict;
  if (all === 0) return null;
  const [judge, person] = [(bothPassed + tooLenient) / all, (bothPassed + tooStrict) / all];
  const byChance = judge * person + (1 - judge) * (1 - person);
  return byChance === 1 ? null : ((bothPassed + bothFailed) / all - byChance) / (1 - byChance);
}
