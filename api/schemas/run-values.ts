/** Values that eval runs and agent runs have in common. */
import { Type } from 'typebox';
import { object } from './object.ts';
import { oneOf } from './values.ts';

/** @param description names the value of the interval */
export function interval(description: string) {
  return object({ low: Type.Number(), high: Type.Number() }, { description });
}

export function charge() {
  return object({
    tokens: Type.Integer({ minimum: 0 }),
    free: Type.Boolean(),
    state: oneOf(['held', 'consumed', 'refunded']),
  });
}
