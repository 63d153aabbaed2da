/** The grader of the length of the reply. */
import { Type } from 'typebox';
import { plainForm } from '../text-forms.ts';
import { grader, verdict } from './grader.ts';

const counters = {
  words: (text: string) => text.match(/\S+/g)?.length ?? 0,
  characters: (text: string) => Array.from(text).length,
  lines: (text: string) => (text === '' ? 0 : text.split('\n').length),
};

/** Passes if the reply has between `min` and `max` words, characters (code points) or lines. */
export const length = grader({
  name: 'length',
  stepsPerCharacter: 8,
  fields: {
    length: Type.Enum(['words', 'characters', 'lines']),
    min: Type.Optional(Type.Integer({ minimum: 0, maximum: 262_144 })),
    max: Type.Optional(Type.Integer({ minimum: 0, maximum: 262_144 })),
  },
  check: (spec, { fault }) =>
    (spec.min === undefined && spec.max === undefined) || (spec.min ?? 0) > (spec.max ?? Infinity)
      ? fault('`length` needs `min`, `max` or both, and `min` must not exceed `max`.')
      : [],
  prepare: (spec) => (reply) => {
    const count = counters[spec.length](plainForm(reply.text));
    const passed = count >= (spec.min ?? 0) && count <= (spec.max ?? Infinity);
    return verdict(
      passed,
      `${spec.min ?? 0} to ${spec.max ?? 'any number of'} ${spec.length}`,
      `${count} ${spec.length}`,
    );
  },
});
