import { countWords } from '../../graders/count-units.ts';
import type { Random } from '../../random.ts';
import type { Fact, World } from './invented-world.ts';

/**
 * States the facts as running text, in random order. Sentences about the same names that no question asks
 * about fill the text up to `minWords` words.
 */
export function describeWorld(random: Random, world: World, minWords: number): string {
  const sentences = world.facts.map((fact) => describeFact(random, fact));
  let words = sentences.reduce((sum, sentence) => sum + countWords(sentence), 0);
  while (words < minWords) {
    const idle = random.chance(0.7) ? aside(random, world) : fillerSentence(random);
    sentences.push(idle);
    words += countWords(idle);
  }
  const order = random.shuffle(sentences);
  const paragraphs: string[] = [];
  while (order.length > 0) paragraphs.push(order.splice(0, random.int(5, 9)).join(' '));
  return paragraphs.join('\n\n');
}

function describeFact(random: Random, { subject, relation, value }: Fact): string {
  const ways: Readonly<Record<Fact['relation'], readonly string[]>> = {
    maker: [
      `The ${subject} was made by ${value}.`,
      `It was ${value} who made the ${subject}, in a single winter as people say.`,
      `Of all the works of ${value}, the ${subject} took the longest to make.`,
    ],
    kept: [
      `The ${subject} is kept in the town hall of ${value}.`,
      `Visitors to ${value} can see the ${subject} there.`,
      `For many years now the ${subject} has been on show in ${value}.`,
    ],
    teacher: [
      `${subject} learned the craft from ${value}.`,
      `The teacher of ${subject} was ${value}.`,
      `${value} taught ${subject} everything about the trade.`,
    ],
    born: [
      `${subject} was born in ${value}.`,
      `${subject} came into the world in ${value}, on a market day.`,
      `${value} is the birthplace of ${subject}.`,
    ],
    river: [
      `${subject} lies on the river ${value}.`,
      `The river ${value} runs through ${subject}.`,
      `The mills of ${subject} are driven by the river ${value}.`,
    ],
    patron: [
      `The patron of ${subject} is called ${value}.`,
      `${subject} honours ${value} as its patron.`,
      `A statue of ${value}, the patron of ${subject}, stands in the square there.`,
    ],
    founded: [
      `${subject} was founded in the year ${value}.`,
      `The founding of ${subject} goes back to the year ${value}.`,
      `In the year ${value} the town of ${subject} was founded.`,
    ],
  };
  return random.pick(ways[relation]);
}

/** A sentence about people, towns and things that states none of the relations. */
function aside(random: Random, { people, towns, things }: World): string {
  const [person = '', other = ''] = random.sample(people, 2);
  const [town = '', neighbour = ''] = random.sample(towns, 2);
  const thing = random.pick(things);
  return random.pick([
    `${person} once spent a ${random.pick(['rainy', 'long', 'quiet'])} week in ${town} and never went back.`,
    `${person} and ${other} wrote each other letters for ${random.int(3, 40)} years.`,
    `${town} buys its ${random.pick(['salt', 'rope', 'glass', 'candles'])} from ${neighbour}.`,
    `A copy of the ${thing}, and not a good one, can be bought in ${town}.`,
    `${person} is said to have dreamed of the ${thing} more than once.`,
    `The road from ${town} to ${neighbour} takes ${random.int(2, 9)} hours on foot.`,
    `${person} quarrelled with ${other} over the price of the ${thing}, although neither of them owned it.`,
    `In ${town}, a street is named after ${person}, and an inn after ${other}.`,
    `${random.int(2, 90)} people from ${town} signed a letter about the ${thing} in ${random.int(1_900, 1_990)}.`,
  ]);
}

function fillerSentence(random: Random): string {
  const season = random.pick(['spring', 'summer', 'autumn', 'winter']);
  const sort = random.pick(['travellers', 'merchants', 'scholars', 'neighbours', 'children', 'boatmen']);
  const habit = random.pick([
    'argue about the weather',
    'tell the same old jokes',
    'praise the local soup',
    'complain of the roads',
    'hum without noticing',
    'count the clouds',
  ]);
  return random.pick([
    `In ${season}, ${sort} like to ${habit}, and nobody minds.`,
    `It is said that ${sort} ${habit} most of all in ${season}.`,
    `When ${season} comes, the ${sort} of the region ${habit} as they always have.`,
    `Old letters mention ${sort} who ${habit}, but they give no names and no places.`,
    `Nothing much happens in ${season}, apart from ${sort} who ${habit}.`,
  ]);
}
