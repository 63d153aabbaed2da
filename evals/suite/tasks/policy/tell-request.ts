/** Writes the file of a request: what the register says, and what a letter says, which may be wrong. */
import { longDay } from '../../../week/days.ts';
import { fill } from './manual/grammar.ts';
import { attributeOf, drawValue, type Facts, type Value } from './manual/rules.ts';
import { capital, sentence as toSentence } from '../../language/sentence.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Desk } from './desk.ts';
import wordings from './wordings.json' with { type: 'json' };

export interface FileDials {
  /** The share of facts of which a letter says something else. */
  readonly disputed: number;
  /** The share of facts that only the letter has. */
  readonly lettered: number;
  /** The share of facts that the register had wrong until it was corrected. */
  readonly corrected: number;
}

/** What the parts of a file are called. */
type Labels = (typeof wordings.labels)[number];

/** How the files are read, as far as their `dials` need it. */
export function describeFiles(
  random: Random,
  { disputed, lettered, corrected }: FileDials,
  { register, letter }: Labels,
): string {
  return [
    drawWording(random, wordings.files),
    ...(disputed + lettered > 0 ? [fillIn(drawWording(random, wordings.letters), { register, letter })] : []),
    ...(corrected > 0 ? [fillIn(drawWording(random, wordings.corrections), { register })] : []),
  ].join(' ');
}

interface ToldRequest {
  /** The line on who sent it. */
  readonly sender: string;
  readonly facts: Facts;
  readonly dials: FileDials;
  readonly labels: Labels;
}

export function tellRequest(
  random: Random,
  desk: Desk,
  { sender, facts, dials, labels }: ToldRequest,
): string {
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
    sender,
    `${capital(labels.register)}: ${register.join(' ')}`,
    ...(later.length === 0 ? [] : [`${labels.later}: ${later.join(' ')}`]),
    ...(letter.length === 0 ? [] : [`${capital(labels.letter)}: ${random.shuffle(letter).join(' ')}`]),
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
  return toSentence(text);
}
