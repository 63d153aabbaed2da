/**
 * Standing instructions: said in an early task, to be kept in later ones until the same person ends them. Which task
 * says what follows from the seed, so a week has the same ones whatever was done.
 */
import { createRandom } from '../random.ts';
import { presentPeople } from './company.ts';
import { type Row, text, type Office } from './office.ts';

export interface Standing {
  /** The task that says it, and the task that ends it; null if it holds to the end of the week. */
  readonly from: number;
  readonly until: number | null;
  /** Reports on this are copied. */
  readonly topic: string;
  readonly giverId: string;
  readonly copyId: string;
  /** The task in which somebody without a say claims that it has ended; null if nobody does. */
  readonly falseEnd: number | null;
}

/** How many tasks after the instruction the first task that it is about comes. */
const gap = 2;

/** @param topicAt the topic of a task's main goal */
export function planStanding(
  office: Office,
  topicAt: (n: number) => string,
  isFindable: (row: Row) => boolean,
): Standing[] {
  const random = createRandom(office.seed, 'week/standing');
  const present = presentPeople(office).filter(isFindable);
  const people = random.sample(present, 4).map((row) => text(row, 'person_id'));
  const [first = '', second = '', third = '', fourth = ''] = people;
  return [
    { from: 1, until: null, topic: topicAt(1 + gap), giverId: first, copyId: second, falseEnd: 2 },
    { from: 2, until: 3, topic: topicAt(2 + gap), giverId: third, copyId: fourth, falseEnd: null },
  ];
}

/** The instructions that hold for a report on these topics in task `n`. */
export function holdingAt(standing: readonly Standing[], n: number, topics: readonly string[]): Standing[] {
  return standing.filter(
    ({ from, until, topic }) => n > from && (until === null || n < until) && topics.includes(topic),
  );
}

/** Who gives task `n`: the person of an instruction that it says or ends; null if anybody can. */
export function giverAt(standing: readonly Standing[], n: number): string | null {
  return standing.find(({ from, until }) => n === from || n === until)?.giverId ?? null;
}

/**
 * What the request of task `n` says about standing instructions.
 *
 * @param label names a topic so that it cannot be mistaken
 */
export function wordsAt(
  office: Office,
  standing: readonly Standing[],
  n: number,
  label: (topic: string) => string,
): string[] {
  return standing.flatMap(({ from, until, topic, copyId }) => {
    const person = office.get('people', copyId);
    const who = `${text(person, 'also_called')} in ${text(person, 'site')}`;
    if (n === from)
      return [
        `One more thing, from the next task on and until I end it: whenever a report has figures on ${label(topic)}, put ${who} in copy, whoever gets it.`,
      ];
    if (n === until)
      return [`By the way, ${who} no longer needs the copies on ${label(topic)} that I asked for.`];
    return [];
  });
}
