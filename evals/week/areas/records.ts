/** Writes the facts of cases into ledger entries and what belongs to them, and reads them from there. */
import type { Random } from '../../random.ts';
import { addColleague, addParty, newId } from '../company.ts';
import { dayAfter } from '../days.ts';
import type { Facts } from '../manual/rules.ts';
import type { Oracle } from '../oracle.ts';
import { type Answer, type Lookup, type Office, type Row, type TableName, text } from '../office.ts';
import { type Fact, readFacts, type Written } from './facts.ts';

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

export class Records {
  readonly #spec: RecordForm;
  readonly #isColleague: boolean;
  readonly #table: TableName;
  readonly #holderField: string;

  constructor(spec: RecordForm) {
    this.#spec = spec;
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
    const written: Written = { day, random, entry: {}, party: {}, notes: [] };
    for (const [name, fact] of Object.entries(this.#spec.facts)) fact.write(facts[name] ?? '', written);
    const { entry, party, notes } = written;
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
      ...entry,
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
    const note =
      this.#spec.complaints === undefined
        ? text(entry, 'note')
        : text(lookup.get('tickets', text(entry, 'ticket_id')), 'body');
    const party = this.holder(lookup, id);
    return readFacts(this.#spec.facts, { day: text(entry, 'day'), entry, party, note });
  }

  answers(office: Office, id: string): Answer[] {
    const entry = office.get('entries', id);
    return Object.values(this.#spec.facts).flatMap(({ told }) => {
      const reply = told?.replies[text(entry, told.field)];
      return reply === undefined ? [] : [{ from: [text(entry, this.#holderField)], about: [id], reply }];
    });
  }

  /** Asks each party for what only it knows. */
  ask(oracle: Oracle, ids: readonly string[]): void {
    for (const { told } of Object.values(this.#spec.facts)) {
      if (told === undefined) continue;
      for (const id of ids) {
        const to = text(oracle.get('entries', id), this.#holderField);
        const { reply } = oracle.call('ask', { to, about: id, question: 'Is this from you?' });
        const value = Object.entries(told.replies).find(([, own]) => own === reply)?.[0];
        oracle.learn(id, { [told.field]: value ?? '' });
      }
    }
  }
}
