/** The task of an instruction case: a short text about an invented place. */
import { inventNames } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';

export interface WritingTask {
  /** The whole request, without the instructions. */
  readonly request: string;
  /**
   * Words that a text on the subject is likely to use: to be used, to be counted and to be avoided. No word
   * is in two lists.
   */
  readonly wanted: readonly string[];
  readonly counted: string;
  readonly forbidden: readonly string[];
  readonly placeName: string;
}

const subjects: readonly (readonly [subject: string, words: string])[] = [
  ['the lighthouse on the cliff', 'lamp storm keeper light sea ship rocks beam night'],
  ['the weekly market', 'stall bread price trader basket cheese crowd fruit bargain'],
  ['the old stone bridge', 'river arch repair water toll stones mason flood cart'],
  ['the school garden', 'seeds pupils spade beans teacher soil compost harvest beetle'],
  ['the night train', 'track whistle carriage ticket platform driver station engine window'],
  ['the glass workshop', 'furnace bottle sand heat apprentice colour vase flame mould'],
  ['the town library', 'shelf reader silence novel librarian card lamp archive loan'],
  ['the mountain hut', 'snow path stove guest blanket summit guide map boots'],
  ['the fishing harbour', 'net boat tide salt crew anchor gull catch rope'],
  ['the bakery that opened last week', 'oven flour loaf morning queue crust butter recipe yeast'],
  ['the clock tower', 'bell hour gears pendulum hands noon wind keeper oil'],
  ['the summer theatre', 'stage actor curtain costume audience rehearsal song mask director'],
  ['the bicycle repair shop', 'chain wheel brake pump tyre saddle wrench spoke gear'],
  ['the botanical collection', 'fern label orchid pot moss greenhouse petal root leaf'],
];

const forms = [
  'a short letter to a friend',
  'a notice for the town board',
  'a diary entry',
  'a brief speech',
  'a small guide for visitors',
  'a report for the council',
  'an advertisement',
  'a story for children',
  'a note of thanks',
  'a set of remarks for a newspaper',
];

const voices = [
  'Write it as someone who sees the place for the first time.',
  'Write it as someone who has worked there for many years.',
  'Keep the tone friendly.',
  'Keep the tone dry and factual.',
  'Let some pride show through.',
  'Mention one thing that ought to change there.',
];

export function makeWritingTask(random: Random): WritingTask {
  const [subject, words] = random.pick(subjects);
  const [placeName = '', person = ''] = inventNames(random, 2);
  const [first = '', second = '', third = '', counted = '', ...forbidden] = random.shuffle(words.split(' '));
  const about = random.pick([
    `about ${subject} in ${placeName}`,
    `on the subject of ${subject} at ${placeName}`,
    `about ${placeName} and ${subject} there`,
  ]);
  const voice = random.pick([...voices, `Mention ${person} who looks after it.`]);
  return {
    request: `Write ${random.pick(forms)} ${about}. ${voice}`,
    wanted: [first, second, third],
    counted,
    forbidden: forbidden.slice(0, 4),
    placeName,
  };
}
