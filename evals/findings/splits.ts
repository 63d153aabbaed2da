/** What sets cases apart that software treats in another way: length, what prompts hold, and what they ask for. */
import { chanceMax, chanceOfSplit } from './chance.ts';
import type { Observation } from './observation.ts';

interface Split {
  /** The cases, as the beginning of a sentence. */
  readonly cases: string;
  readonly applies: (seen: Observation) => boolean;
}

/** There are ten splits. */
const splitChanceMax = chanceMax / 10;
const longReplyCharacters = 1_500;

const holds = (pattern: RegExp) => (seen: Observation) => pattern.test(seen.sent.prompt);

const splits: readonly Split[] = [
  { cases: 'Calls made at once', applies: ({ sent }) => sent.atOnce },
  { cases: 'Prompts with braces', applies: holds(/[{}]/) },
  { cases: 'Prompts with tags such as <b>', applies: holds(/<\w+>/) },
  { cases: 'Prompts with characters outside ASCII', applies: holds(/[^\0-\x7f]/) },
  { cases: 'Prompts with a link or an e-mail address', applies: holds(/https?:\/\/|\w@\w/) },
  { cases: 'Prompts with backslashes', applies: holds(/\\/) },
  { cases: 'Prompts with tabs', applies: holds(/\t/) },
  {
    cases: 'Prompts that ask for a long reply',
    applies: ({ sent }) => (sent.copied?.length ?? 0) > longReplyCharacters,
  },
  { cases: 'Prompts that ask for JSON', applies: ({ sent }) => sent.record !== undefined },
  { cases: 'Conversations of several messages', applies: ({ sent }) => sent.turns > 1 },
  { cases: 'Cases with tools', applies: ({ calls }) => calls !== undefined },
];

/** What all of the first have and the others, beyond chance, do not; as the beginning of a sentence. */
export function cleanSplit(those: readonly Observation[], others: readonly Observation[]): string | null {
  const isThat = (one: Observation) => those.includes(one);
  const longest = Math.max(0, ...others.map(({ sent }) => sent.characters));
  const areLonger = longest > 0 && those.every(({ sent }) => sent.characters > longest);
  if (areLonger && chanceOfSplit(those, others, isThat) < splitChanceMax)
    return `Prompts of more than ${longest.toLocaleString('en-US')} characters`;
  const found = splits.find(({ applies }) => {
    const first = [...those, ...others.filter(applies)];
    const second = others.filter((one) => !applies(one));
    return those.every(applies) && chanceOfSplit(first, second, isThat) < splitChanceMax;
  });
  return found?.cases ?? null;
}
