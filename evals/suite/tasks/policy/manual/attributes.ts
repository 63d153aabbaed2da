/** Attributes that the rules of several areas ask for. */
import type { ChoiceAttribute, NumberAttribute } from './rules.ts';

export const segment: ChoiceAttribute = {
  kind: 'choice',
  noun: 'the segment',
  values: ['private', 'trade', 'public body', 'reseller'],
  is: [
    'the directory lists the {customer} under the segment "{v}"',
    'the {customer} belongs to the segment "{v}"',
    'the segment of the {customer} is "{v}"',
  ],
};

/** @param who such as `the supplier` */
export function yearsWith(who: string): NumberAttribute {
  return {
    kind: 'number',
    noun: 'the years',
    min: 0,
    max: 14,
    step: 1,
    limits: [3, 4, 6, 8, 10],
    margin: 1,
    over: [
      `${who} has been with us for more than {n} years`,
      `we have worked with ${who} for more than {n} years`,
      `more than {n} years have passed since we first met ${who}`,
    ],
    under: [
      `${who} has been with us for less than {n} years`,
      `we have worked with ${who} for less than {n} years`,
      `less than {n} years have passed since we first met ${who}`,
    ],
  };
}

/** In EUR. @param noun such as `the list price` */
export function amount(
  noun: string,
  range: Pick<NumberAttribute, 'min' | 'max' | 'step' | 'limits' | 'margin'>,
): NumberAttribute {
  return {
    kind: 'number',
    noun,
    ...range,
    over: [
      `${noun} is more than {n} EUR`,
      `${noun} comes to more than {n} EUR`,
      `more than {n} EUR are at stake as ${noun}`,
    ],
    under: [
      `${noun} is less than {n} EUR`,
      `${noun} comes to less than {n} EUR`,
      `less than {n} EUR are at stake as ${noun}`,
    ],
  };
}
