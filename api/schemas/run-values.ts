/** Values that eval runs and agent runs have in common. */
import { Type } from 'typebox';
import { component, nullable, object } from './object.ts';
import { oneOf } from './values.ts';

/** @param description names the value of the interval */
export function interval(description: string) {
  return object({ low: Type.Number(), high: Type.Number() }, { description });
}

/** The level of a run, or of the mean of several. */
export function level() {
  return component(
    'Level',
    object(
      {
        value: Type.Number({ minimum: 0, maximum: 6 }),
        se: Type.Number({ minimum: 0, description: 'Standard error.' }),
        top: Type.Boolean({
          description: 'The agent broke down at no level of the ladder: its level is at least `value`.',
        }),
      },
      { description: 'The level at which the agent breaks down, from 0 to 6.' },
    ),
  );
}

export function tokenUsage(description: string) {
  return object(
    { input_tokens: Type.Integer({ minimum: 0 }), output_tokens: Type.Integer({ minimum: 0 }) },
    { description },
  );
}

/** The private pack of a suite. */
export function pack() {
  return component('Pack', nullable(object({ name: Type.String(), hash: Type.String() })));
}

export function charge() {
  return component(
    'Charge',
    object({
      tokens: Type.Integer({ minimum: 0 }),
      free: Type.Boolean(),
      state: oneOf(['held', 'consumed', 'refunded']),
    }),
  );
}
