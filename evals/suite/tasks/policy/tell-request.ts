/** Writes the file of a request: what the register says, and what a letter says, which may be wrong. */
import { longDay } from '../../../week/days.ts';
import { fill } from '../../../week/manual/grammar.ts';
import { attributeOf, drawValue, type Facts, type Value } from '../../../week/manual/rules.ts';
import type { Random } from '../../random.ts';
import type { Desk } from './desk.ts';

export interface FileDials {
  /** The share of facts of which a letter says something else. */
  readonly disputed: number;
  /** The share of facts that only the letter has. */
  readonly lettered: number;
  /** The share of facts that the register had wrong until it was corrected. */
  readonly corrected: number;
}

/** How the files are read, as far as their `dials` need it. */
export function describeFiles({ disputed, lettered, corrected }: FileDials): string {
  return [
    'What a file says is true of its request.',
    ...(disputed + lettered > 0
      ? [
          'Where the letter and the register differ, the register is right; what the register does not have is as the letter says.',
        ]
      : []),
    ...(corrected > 0 ? ['What a later entry of the register says replaces what the first one says.'] : []),
  ].join(' ');
}

/** @param id such as `Q-417` */
export function tellRequest(random: Random, desk: Desk, id: string, facts: Facts, dials: FileDials): string {
  const register = [`${desk.dayOf}: ${longDay(String(facts['day']))}.`];
  const later: string[] = [];
  const letter: string[] = [];
  for (const name of random.shuffle(Object.keys(desk.spec.attributes))) {
    const value = facts[name];
    if (value === undefined) throw new RangeError(`The request has no ${name}.`);
    const right = sentence(random, desk, name, value);
    const other = () => sentence(random, desk, name, drawOther(random, desk, name, value));
    if (random.chance(dials.lettered)) letter.push(right);
    else if (random.chance(dials.corrected)) {
      register.push(other());
      later.push(right);
    } else {
      register.push(right);
      const again = () => sentence(random, desk, name, value);
      const told = [other, again].find(() => random.chance(dials.disputed));
      if (told !== undefined) letter.push(told());
    }
  }
  return [
    id,
    `Register: ${register.join(' ')}`,
    ...(later.length === 0 ? [] : [`Register, later entry: ${later.join(' ')}`]),
    ...(letter.length === 0 ? [] : [`Letter: ${random.shuffle(letter).join(' ')}`]),
  ].join('\n');
}

function drawOther(random: Random, desk: Desk, name: string, value: Value): Value {
  const attribute = attributeOf(desk.law.policy, name);
  for (;;) {
    const drawn = drawValue(random, attribute);
    if (drawn !== value && !isSingular(drawn)) return drawn;
  }
}

/** "1 days" would be wrong, so no request has a fact with the number 1. */
export function isSingular(value: Value): boolean {
  return value === 1 || value === -1;
}

/** A fact as a sentence. A threshold's words state a number once "more than" is taken out of them. */
function sentence(random: Random, { law, manual }: Desk, name: string, value: Value): string {
  const attribute = attributeOf(law.policy, name);
  const text =
    attribute.kind === 'number'
      ? fill(manual.voice, random.pick(attribute.over).replace(/(?:more than|over|above) \{n\}/i, '{n}'), {
          n: Number(value).toLocaleString('en'),
        })
      : fill(manual.voice, random.pick(attribute.is), {
          v: fill(manual.voice, attribute.words?.[String(value)] ?? String(value)),
        });
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
