/** The settings of the stories: who came, with what, to which room, when. */
import { firstNames } from '../../language/first-names.ts';
import type { Random } from '../../../random.ts';

export interface Aspect {
  /** Asked for in the answer: "the name", "the thing carried". */
  readonly asked: string;
  /** The introduction to the list of values. */
  readonly label: string;
  readonly values: readonly string[];
  /** The person with `value`, as the subject of a sentence. */
  readonly who: (value: string) => string;
  /** The same, as a thing that somebody did: "carried the lantern". */
  readonly did: (value: string) => string;
}

export interface Scene {
  readonly place: string;
  readonly rooms: readonly string[];
  readonly deed: string;
}

const words = (text: string) => text.split(' ');

export const scenes: readonly Scene[] = [
  {
    place: 'the old museum',
    rooms: words('cellar attic library vault gallery workshop chapel kitchen'),
    deed: 'the blue vase was broken',
  },
  {
    place: 'a country house',
    rooms: words('pantry nursery ballroom study stable greenhouse cellar attic'),
    deed: 'the diary was stolen',
  },
  {
    place: 'the ferry to the island',
    rooms: words('bridge galley lounge hold saloon laundry bakery cinema'),
    deed: 'the alarm was set off',
  },
];

const carried: Aspect = {
  asked: 'the thing carried',
  label: 'Each carried a different thing:',
  values: words('lantern umbrella suitcase ladder basket trombone telescope parcel'),
  who: (value) => `whoever carried the ${value}`,
  did: (value) => `carried the ${value}`,
};

const worn: Aspect = {
  asked: 'the piece of clothing worn',
  label: 'Each wore a different piece of clothing:',
  values: words('scarf beret cloak apron monocle waistcoat turban poncho'),
  who: (value) => `the visitor with the ${value}`,
  did: (value) => `wore the ${value}`,
};

const arrived: Aspect = {
  asked: 'the means of transport',
  label: 'Each had come by a different means of transport:',
  values: words('tram bicycle taxi horse motorbike rowboat sledge scooter'),
  who: (value) => `the one who had come by ${value}`,
  did: (value) => `had come by ${value}`,
};

/** `count` aspects with `size` values each: who and where first. */
export function drawAspects(random: Random, scene: Scene, count: number, size: number): Aspect[] {
  const who: Aspect = {
    asked: 'the name',
    label: 'They were, in no particular order,',
    values: firstNames,
    who: (value) => value,
    did: (value) => `was ${value}`,
  };
  const where: Aspect = {
    asked: 'the room',
    label: 'Each went to a different room:',
    values: scene.rooms,
    who: (value) => `the visitor to the ${value}`,
    did: (value) => `was in the ${value}`,
  };
  return [who, where, ...random.sample([carried, worn, arrived], count - 2)].map((aspect) => ({
    ...aspect,
    values: random.sample(aspect.values, size),
  }));
}

/** Who reports a clue. */
export const witnesses: readonly string[] = [
  'The porter is sure that',
  'A neighbour noticed that',
  'The logbook proves that',
  'According to the cleaner,',
  'The police established that',
  'On a photograph one can see that',
  'The gardener swears that',
  'It is beyond doubt that',
];

/** Sentences without information. */
export const asides: readonly string[] = [
  'It had rained since the morning.',
  'Nobody had heard the dog bark.',
  'The clock in the hall was being repaired.',
  'The newspapers wrote about little else for a week.',
  'The insurance company sent three letters.',
  'A window had stood open, as on every day that summer.',
];
