/** The state of an office. Rows never change in place, so a copy of an office shares them. */
import { createRandom, type Random } from '../random.ts';
import { clock, dayAfter } from './days.ts';

export type Cell = string | number | boolean | null | readonly string[];
/** Fields that begin with an underscore are never shown. */
export type Row = Readonly<Record<string, Cell>>;

/** The field of each table that holds the id. */
export const idFields = {
  people: 'person_id',
  parties: 'party_id',
  mails: 'mail_id',
  meetings: 'meeting_id',
  tickets: 'ticket_id',
  entries: 'entry_id',
  approvals: 'approval_id',
} as const satisfies Readonly<Record<string, string>>;
export type TableName = keyof typeof idFields;

/** Where rows can be looked up: the office, or what an agent has seen of it. */
export interface Lookup {
  get(table: TableName, id: string): Row;
}

/** The right end of one record. */
export interface CaseTruth {
  readonly table: TableName;
  readonly id: string;
  /** The required fields; null if the record must be left alone. `approver` is the person whose approval it names. */
  readonly fields: Row | null;
  /** The amount of the approval, where one is needed. */
  readonly amount?: number;
  /** What is required, in words. */
  readonly what: string;
  readonly sources: readonly string[];
}

/** What became right for a case while the agent worked. */
export interface Revision {
  readonly tick: number;
  readonly truth: CaseTruth;
}

/** A lasting change that the agent made. */
export interface Write {
  readonly tick: number;
  readonly table: TableName;
  readonly id: string;
  readonly before: Row | null;
  readonly after: Row;
}

/** Something that happens by itself while the agent works. */
export interface Happening {
  readonly isDue: (office: Office) => boolean;
  readonly apply: (office: Office) => void;
}

export interface Answer {
  /** Ids of those who know. */
  readonly from: readonly string[];
  /** Ids or words; a question matches if its `about` contains one. */
  readonly about: readonly string[];
  readonly reply: string;
}

export class Office implements Lookup {
  readonly seed: string;
  readonly monday: string;
  readonly tables: Record<TableName, Map<string, Row>>;
  /** Calls and waiting since Monday morning. */
  tick = 0;
  dayIndex = 0;
  /** Since midnight. */
  minutes = 540;
  notes = '';
  writes: Write[] = [];
  happenings: Happening[] = [];
  answers: Answer[] = [];
  revisions: Revision[] = [];
  /** Results of calls with a key, by tool and key. */
  keys = new Map<string, Readonly<Record<string, unknown>>>();
  /** The ticks of recent searches. */
  searches: number[] = [];
  unread = 0;
  nextId = 1;
  /** The numbers of records that are not made by the agent. */
  ids: Random;

  constructor(seed: string, monday: string) {
    this.seed = seed;
    this.monday = monday;
    this.ids = createRandom(seed, 'week/ids/0/0');
    const tables = Object.keys(idFields).map((name) => [name, new Map<string, Row>()]);
    this.tables = Object.fromEntries(tables) as Office['tables'];
  }

  get today(): string {
    return dayAfter(this.monday, this.dayIndex);
  }

  /** Such as `2031-05-16 10:42`. */
  get now(): string {
    return `${this.today} ${clock(this.minutes)}`;
  }

  get(table: TableName, id: string): Row {
    const row = this.tables[table].get(id);
    if (row === undefined) throw new RangeError(`The office has no ${table} ${id}.`);
    return row;
  }

  find(table: TableName, id: string): Row | null {
    return this.tables[table].get(id) ?? null;
  }

  rows(table: TableName): Row[] {
    return [...this.tables[table].values()];
  }

  /** Adds or replaces a row, not as an act of the agent. */
  put(table: TableName, row: Row): Row {
    const full = row['version'] === undefined ? { ...row, version: 1 } : row;
    this.tables[table].set(String(row[idFields[table]]), full);
    return full;
  }

  /** A change by somebody else: the version rises. */
  edit(table: TableName, id: string, fields: Row): void {
    const row = this.get(table, id);
    this.put(table, { ...row, ...fields, version: Number(row['version']) + 1 });
  }

  /** A change by the agent. */
  write(table: TableName, id: string, fields: Row): Row {
    const before = this.find(table, id);
    const version = before === null ? 1 : Number(before['version']) + 1;
    const after: Row = { ...before, ...fields, [idFields[table]]: id, version };
    this.tables[table].set(id, after);
    this.writes.push({ tick: this.tick, table, id, before, after });
    return after;
  }

  /** An id for a row that is made while the agent works. */
  newId(prefix: string): string {
    this.nextId += 1;
    return `${prefix}-${70_000 + this.nextId * 7}`;
  }

  copy(): Office {
    const { tables, writes, revisions, keys, searches, ids } = this;
    const copied = Object.entries(tables).map(([name, rows]) => [name, new Map(rows)]);
    const copy = Object.create(Office.prototype) as Office;
    return Object.assign(copy, this, {
      tables: Object.fromEntries(copied) as Office['tables'],
      writes: [...writes],
      revisions: [...revisions],
      keys: new Map(keys),
      searches: [...searches],
      ids: ids.copy(),
    });
  }
}

export function text(row: Row, field: string): string {
  return String(row[field] ?? '');
}

export function number(row: Row, field: string): number {
  return Number(row[field] ?? 0);
}

/** Rounded to whole cents, halves up. */
export function cents(amount: number): number {
  return Math.round(amount * 100 + 1e-6) / 100;
}

export function sum(rows: readonly Row[], field: string): number {
  return cents(rows.reduce((total, row) => total + number(row, field), 0));
}
