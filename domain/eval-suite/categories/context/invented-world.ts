/**
 * A small invented world of towns, people and things. Each relation has one value, so a question along a
 * chain of relations has at most one answer.
 */
import { inventNames } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';

/** Some relations lead to another entity, others end in a plain value. */
export type Relation = 'maker' | 'kept' | 'teacher' | 'born' | 'river' | 'patron' | 'founded';

/** `value` is the only value of `subject` under `relation`. */
export interface Fact {
  readonly subject: string;
  readonly relation: Relation;
  readonly value: string;
}

export interface World {
  readonly things: readonly string[];
  readonly people: readonly string[];
  readonly towns: readonly string[];
  readonly facts: readonly Fact[];
}

export interface WorldSize {
  readonly towns: number;
  readonly people: number;
  readonly things: number;
}

export function inventWorld(random: Random, size: WorldSize): World {
  const names = inventNames(random, size.towns * 3 + size.people + size.things);
  const take = (count: number) => names.splice(0, count);
  const towns = take(size.towns);
  const rivers = take(size.towns);
  const patrons = take(size.towns);
  const people = take(size.people);
  const things = take(size.things);
  const facts: Fact[] = [];
  const state = (subject: string, relation: Relation, value: string) =>
    void facts.push({ subject, relation, value });
  for (const [position, town] of towns.entries()) {
    state(town, 'river', rivers[position] ?? '');
    state(town, 'patron', patrons[position] ?? '');
    state(town, 'founded', String(random.int(812, 1_899)));
  }
  for (const [position, person] of people.entries()) {
    state(person, 'born', random.pick(towns));
    if (position > 0) state(person, 'teacher', random.pick(people.slice(0, position)));
  }
  for (const thing of things) {
    state(thing, 'maker', random.pick(people));
    state(thing, 'kept', random.pick(towns));
  }
  return { things, people, towns, facts };
}

export function findFact(facts: readonly Fact[], subject: string, relation: Relation): Fact | undefined {
  return facts.find((fact) => fact.subject === subject && fact.relation === relation);
}
