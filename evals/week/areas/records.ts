/** Writes the facts of cases into ledger entries and what belongs to them, and reads them from there. */
import type { Random } from '../../random.ts';
import { addColleague, addParty, newId, yearsBetween } from '../company.ts';
import { dayAfter, daysBetween } from '../days.ts';
import type { Facts, Value } from '../manual/rules.ts';
import type { Oracle } from '../oracle.ts';
import {
  type Answer,
  cents,
  type Lookup,
  number,
  type Row,
  type TableName,
  text,
  type Office,
} from '../office.ts';
import type { Fact, Place, Sentences } from './facts.ts';

export interface RecordForm {
  readonly facts: Readonly<Record<string, Fact>>;
  /** The kind of ledger entry, and the letter of its ids. */
  readonly kind: string;
  readonly prefix: string;
  readonly party: 'customer' | 'supplier' | 'colleague';
  /** What happened on the day that decides: "review". */
  readonly dayOf: string;
  /** Ends of the complaints that the cases are: each is a ticket under that of an incident, which names the batch. */
  readonly complaints?: readonly string[];
  /** Fields of a new entry beyond the facts. */
  readonly entry?: (random: Random, facts: Facts, party: Row) => Row;
}

/** Where the office keeps what only the party knows. */
const hidden = (fact: string) => `_${fact}`;

export class Records {
  readonly #spec: RecordForm;
  readonly #places: readonly { readonly name: string; readonly place: Place }[];
  readonly #isColleague: boolean;
  readonly #table: TableName;
  readonly #holderField: string;

  constructor(spec: RecordForm) {
    this.#spec = spec;
    this.#places = Object.entries(spec.facts).map(([name, { place }]) => ({ name, place }));
    this.#isColleague = spec.party === 'colleague';
    this.#table = this.#isColleague ? 'people' : 'parties';
    this.#holderField = this.#isColleague ? 'person_id' : 'party_id';
  }

  /** The customer, supplier or colleague of an entry. */
  holder(lookup: Lookup, id: string): Row {
    return lookup.get(this.#table, text(lookup.get('entries', id), this.#holderField));
  }

  /** The other records that facts are in. */
  linked(lookup: Lookup, id: string): { readonly table: TableName; readonly id: string }[] {
    const entry = lookup.get('entries', id);
    const party = { table: this.#table, id: text(entry, this.#holderField) };
    const ticket = { table: 'tickets', id: text(entry, 'ticket_id') } as const;
    return this.#spec.complaints === undefined ? [party] : [party, ticket];
  }

  add(office: Office, random: Random, facts: Facts, batch: string, incident?: string): string {
    const day = String(facts['day']);
    const own: Record<string, Value> = {};
    const party: Record<string, Value> = {};
    const notes: string[] = [];
    for (const { name, place } of this.#places) {
      const value = facts[name] ?? '';
      if (place.in === 'entry') own[place.field] = value;
      else if (place.in === 'party') party[place.field] = value;
      else if (place.in === 'days') own[place.field] = dayAfter(day, place.sign * Number(value));
      else if (place.in === 'years') party[place.field] = yearsBefore(day, Number(value), random);
      else if (place.in === 'difference') own[place.of] = cents(Number(own[place.less]) + Number(value));
      else if (place.in === 'reply') own[hidden(name)] = value;
      else if (place.in !== 'elsewhere') notes.push(pickOne(random, place.sentences[value] ?? ['']));
    }
    const partner = this.#isColleague
      ? addColleague(office, random, party)
      : addParty(office, random, { kind: this.#spec.party, ...party });
    const entry_id = newId(office, this.#spec.prefix);
    office.put('entries', {
      entry_id,
      kind: this.#spec.kind,
      title: text(partner, 'name'),
      batch,
      [this.#holderField]: text(partner, this.#holderField),
      day,
      day_of: this.#spec.dayOf,
      amount: null,
      ...own,
      status: 'open',
      note: this.#spec.complaints === undefined ? notes.join(' ') : '',
      ...this.#spec.entry?.(random, facts, partner),
    });
    if (this.#spec.complaints !== undefined) {
      const ticket_id = newId(office, 'T');
      const complaint = [...notes, random.pick(this.#spec.complaints)].join(' ');
      office.put('entries', { ...office.get('entries', entry_id), ticket_id });
      office.put('tickets', {
        ticket_id,
        kind: 'complaint',
        title: `Complaint of ${text(partner, 'name')}`,
        status: 'open',
        entry_id,
        parent_id: incident ?? null,
        opened_on: dayAfter(day, 2),
        body: `${text(partner, 'contact')} writes: "${complaint}"`,
      });
    }
    return entry_id;
  }

  facts(lookup: Lookup, id: string): Facts {
    const entry = lookup.get('entries', id);
    const party = this.holder(lookup, id);
    const day = text(entry, 'day');
    const found = this.#places.map(({ name, place }): [string, Value] => {
      switch (place.in) {
        case 'days':
          return [name, place.sign * daysBetween(day, text(entry, place.field))];
        case 'years':
          return [name, yearsBetween(text(party, place.field), day)];
        case 'difference':
          return [name, cents(number(entry, place.of) - number(entry, place.less))];
        case 'reply':
          return [name, text(entry, hidden(name))];
        case 'note':
          return [name, valueIn(place.sentences, text(entry, 'note'))];
        case 'ticket':
          return [
            name,
            valueIn(place.sentences, text(lookup.get('tickets', text(entry, 'ticket_id')), 'body')),
          ];
        case 'entry':
        case 'party': {
          const cell = (place.in === 'entry' ? entry : party)[place.field];
          return [name, typeof cell === 'number' ? cell : String(cell)];
        }
        case 'elsewhere':
          throw new TypeError(`Nothing says where ${name} stands.`);
      }
    });
    return { day, ...Object.fromEntries(found) };
  }

  answers(office: Office, id: string): Answer[] {
    const entry = office.get('entries', id);
    return this.#places.flatMap(({ name, place }) => {
      const reply = place.in === 'reply' ? place.replies[text(entry, hidden(name))] : undefined;
      return reply === undefined ? [] : [{ from: [text(entry, this.#holderField)], about: [id], reply }];
    });
  }

  /** Asks each party for what only it knows. */
  ask(oracle: Oracle, ids: readonly string[]): void {
    for (const { name, place } of this.#places) {
      if (place.in !== 'reply') continue;
      for (const id of ids) {
        const to = text(oracle.get('entries', id), this.#holderField);
        const { reply } = oracle.call('ask', { to, about: id, question: 'Is this from you?' });
        const value = Object.entries(place.replies).find(([, own]) => own === reply)?.[0];
        oracle.learn(id, { [hidden(name)]: value ?? '' });
      }
    }
  }
}

/** A list of one takes nothing from the stream. */
function pickOne(random: Random, [only = '', ...more]: readonly string[]): string {
  return more.length === 0 ? only : random.pick([only, ...more]);
}

/** A day so many full years before. */
function yearsBefore(day: string, years: number, random: Random): string {
  return dayAfter(day, -Math.ceil(years * 365.25) - random.int(20, 330));
}

/** The value of which a text has a sentence. */
export function valueIn(sentences: Sentences, from: string): string {
  return Object.entries(sentences).find(([, own]) => own.some((one) => from.includes(one)))?.[0] ?? '';
}
