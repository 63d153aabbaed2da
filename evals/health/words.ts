/** Plain words, names and sentences from which the health check is written. None stands inside another. */
import type { Random } from '../random.ts';

export const words =
  `amber anchor apple basket beacon birch bottle bridge candle canyon carpet cedar chapel cherry cinder clover cobalt
  copper cotton cradle crystal desert dragon ember falcon feather fiddle forest fountain garlic garnet ginger glacier
  hammer harbor hazel helmet indigo island ivory jasmine jungle kettle ladder lantern lemon linen lizard magnet mango
  maple marble meadow mirror monsoon mosaic mustard nectar needle nickel nutmeg oasis olive orchid oyster paddle paper
  parrot peach pebble pepper pigeon pillow planet plum pocket pumpkin quartz rabbit raven ribbon river rocket saddle
  salmon sapphire scarlet shadow silver spider spiral sponge summit sunset tablet temple thunder ticket tiger timber
  tomato topaz tulip tunnel turtle umber vanilla velvet violet walnut whistle willow window winter zephyr`
    .split(/\s+/)
    .filter((word) => word !== '');

export const people =
  'Agnes Boris Carla Dmitri Edith Farid Greta Henrik Imani Jorge Katya Liam Nadia Oscar Petra Rosa Stefan Vera Yusuf Zelda'.split(
    ' ',
  );

export const goods =
  'chairs desks lamps mugs notebooks pens plates rugs shelves stools tables towels trays vases'.split(' ');

const openings = ['On Monday', 'After lunch', 'Last week', 'Before noon', 'In the evening', 'On Friday'];
const deeds = ['moved', 'counted', 'packed', 'cleaned', 'labelled', 'checked', 'returned', 'wrapped'];
const places = ['in the back room', 'near the door', 'at the counter', 'on the top floor', 'by the window'];

/** A sentence of a shop's log that says nothing anybody asks about. */
export function logSentence(random: Random): string {
  const count = random.int(12, 89);
  return `${random.pick(openings)}, ${random.pick(people)} ${random.pick(deeds)} ${count} ${random.pick(goods)} ${random.pick(places)}.`;
}

/** An expression for texts in which no word begins with this one. */
export function textWithout(word: string): string {
  const others = Array.from(word, (letter, at) => `${word.slice(0, at)}(?:[^${letter}]|$)`);
  return `(?:\\B(?s:.)|\\b(?:${others.join('|')}))*`;
}
