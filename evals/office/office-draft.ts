/** Builds the office of one task: the rows that its goals need, then unrelated rows around them. */
import { inventNames, inventNoun } from '../suite/language/invented-word.ts';
import type { Random } from '../suite/random.ts';
import {
  type CalendarEvent,
  type Contact,
  type Mail,
  type Office,
  officeEmail,
  type OfficeFile,
  type Order,
  orderStatuses,
} from './office.ts';
import type { Document, TaskLevel } from './task.ts';

/** The number of rows in each table, by level. */
const rowsOfLevel: Record<TaskLevel, number> = { 1: 8, 2: 16, 3: 28, 4: 42, 5: 60 };
/** The maximum number of names that the goals and the injection of one task use. */
const goalNamesMax = 80;
const fillerEventsPerRow = 0.5;
const fillerNames = 6;
const roles = ['buyer', 'planner', 'engineer', 'accountant', 'lawyer', 'designer', 'trainer', 'driver'];
const folders = ['Archive', 'Projects', 'Suppliers', 'Team'];
const earliestDay = '2031-02-01';
const dayMs = 86_400_000;

export class OfficeDraft {
  readonly random: Random;
  readonly level: TaskLevel;
  readonly today: string;
  readonly #rows: number;
  readonly #names: string[];
  readonly #ids = new Set<string>();
  readonly #office: Office;

  constructor(random: Random, level: TaskLevel) {
    this.random = random;
    this.level = level;
    this.today = dayAfter(earliestDay, random.int(0, 300));
    this.#rows = rowsOfLevel[level];
    this.#names = inventNames(random, 2 * this.#rows + goalNamesMax);
    this.#office = {
      today: this.today,
      contacts: [],
      mails: [],
      sent: [],
      events: [],
      files: [],
      orders: [],
      payments: [],
    };
  }

  /** An invented name with a capital letter that nothing else in the office has. */
  name(): string {
    const name = this.#names.pop();
    if (name === undefined) throw new Error('The office has used up its names.');
    return name;
  }

  /** An invented lower-case noun. */
  noun(): string {
    return inventNoun(this.random);
  }

  contact(given: Partial<Contact> = {}): Contact {
    const person = given.name ?? `${this.name()} ${this.name()}`;
    const company = given.company ?? this.name();
    const contact: Contact = {
      contact_id: this.#id('c'),
      name: person,
      role: this.random.pick(roles),
      company,
      email: `${person.replace(' ', '.')}@${company}.example`.toLowerCase(),
      account: this.account(),
      ...given,
    };
    this.#office.contacts.push(contact);
    return contact;
  }

  /** A contact with the same name but another role, company and address. */
  twin({ name, role }: Contact): Contact {
    return this.contact({ name, role: this.random.pick(roles.filter((other) => other !== role)) });
  }

  /** A bank account that nothing else in the office has. */
  account(): string {
    return `AC${this.random.text('0123456789', 8)}`;
  }

  order(given: Pick<Order, 'customer' | 'item' | 'total'> & Partial<Order>): Order {
    const order: Order = {
      order_id: this.#id('o'),
      quantity: this.random.int(1, 9),
      status: 'delivered',
      ordered_on: dayAfter(this.today, -this.random.int(3, 80)),
      address: `${this.random.int(1, 99)} Harbour Street`,
      note: '',
      refunded: 0,
      ...given,
    };
    this.#office.orders.push(order);
    return order;
  }

  /** Adds a received email and returns its id. */
  mail(given: Pick<Mail, 'from' | 'subject' | 'body'>): string {
    const time = clock(this.random.int(7, 18), this.random.int(0, 59));
    const sent_at = `${dayAfter(this.today, -this.random.int(0, 6))} ${time}`;
    const mail_id = this.#id('m');
    this.#office.mails.push({ mail_id, to: officeEmail, sent_at, ...given });
    return mail_id;
  }

  /** Adds a file and returns its id. */
  file(given: Pick<OfficeFile, 'name' | 'folder' | 'content'>): string {
    const file_id = this.#id('f');
    this.#office.files.push({ file_id, shared_with: [], ...given });
    return file_id;
  }

  /** Adds an event of an hour and returns its id. */
  event(given: Pick<CalendarEvent, 'title' | 'starts_at' | 'attendees'>): string {
    const event_id = this.#id('e');
    this.#office.events.push({ event_id, minutes: 60, cancelled: false, ...given });
    return event_id;
  }

  /** Adds a paragraph to a document. */
  append({ kind, id }: Document, paragraph: string): void {
    const added = (before: string) => (before === '' ? paragraph : `${before}\n\n${paragraph}`);
    const { mails, files, orders } = this.#office;
    switch (kind) {
      case 'mail':
        replaceRow(
          mails,
          (mail) => mail.mail_id === id,
          (mail) => ({ ...mail, body: added(mail.body) }),
        );
        return;
      case 'file':
        replaceRow(
          files,
          (file) => file.file_id === id,
          (file) => ({ ...file, content: added(file.content) }),
        );
        return;
      case 'order':
        replaceRow(
          orders,
          (order) => order.order_id === id,
          (order) => ({ ...order, note: added(order.note) }),
        );
    }
  }

  /** Fills the tables with unrelated rows and returns the office, with each table in random order. */
  build(): Office {
    this.#fill();
    const { random } = this;
    const { contacts, mails, events, files, orders } = this.#office;
    return {
      ...this.#office,
      contacts: random.shuffle(contacts),
      mails: random.shuffle(mails),
      events: random.shuffle(events),
      files: random.shuffle(files),
      orders: random.shuffle(orders),
    };
  }

  /** The new rows belong to strangers, so that they affect no total and no free hour of a goal. */
  #fill(): void {
    const { random } = this;
    const { contacts, mails, files, orders } = this.#office;
    const companies = Array.from({ length: fillerNames }, () => this.name());
    const addStranger = () => this.contact({ company: random.pick(companies) });
    const strangers = [addStranger()];
    while (contacts.length < this.#rows) strangers.push(addStranger());
    while (orders.length < this.#rows) {
      const customer = random.pick(strangers).email;
      this.order({
        customer,
        item: this.noun(),
        total: 20 * random.int(2, 45),
        status: random.pick(orderStatuses),
      });
    }
    while (mails.length < this.#rows) {
      const body = `The ${this.noun()} for the ${this.noun()} is ready. No reply is needed.`;
      this.mail({ from: random.pick(strangers).email, subject: `The ${this.noun()}`, body });
    }
    while (files.length < this.#rows) {
      const content = `Pieces: ${random.int(2, 400)}. Shelf: ${this.noun()}.`;
      this.file({ name: `Stock of ${this.noun()}`, folder: random.pick(folders), content });
    }
    for (let count = 0; count < this.#rows * fillerEventsPerRow; count += 1) {
      const starts_at = `${dayAfter(this.today, random.int(1, 9))} ${clock(random.int(8, 17))}`;
      this.event({ title: `${this.noun()} review`, starts_at, attendees: [random.pick(strangers).email] });
    }
  }

  #id(letter: string): string {
    for (;;) {
      const id = `${letter}${this.random.int(1_000, 9_999)}`;
      if (!this.#ids.has(id)) {
        this.#ids.add(id);
        return id;
      }
    }
  }
}

/** The day `days` after `day`, both as YYYY-MM-DD. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** A time of day as HH:MM. */
export function clock(hour: number, minute = 0): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function replaceRow<Row>(rows: Row[], isIt: (row: Row) => boolean, change: (row: Row) => Row): void {
  const position = rows.findIndex(isIt);
  const row = rows[position];
  if (row === undefined) throw new Error('There is no such row.');
  rows[position] = change(row);
}
