/** The tools that find and read records: directory, mail, calendar, tickets and ledger. */
import { Type } from 'typebox';
import { idFields, type Row, type TableName, type Office } from '../office.ts';
import {
  cursor,
  declareTool,
  getRows,
  hasWords,
  ids,
  maybe,
  pageOf,
  pick,
  type Tool,
  word,
  wordsOf,
} from './tool.ts';

const listed: Readonly<Record<TableName, readonly string[]>> = {
  people: ['person_id', 'name', 'post', 'team', 'site'],
  parties: ['party_id', 'name', 'kind', 'city'],
  mails: ['mail_id', 'from', 'to', 'subject', 'at'],
  meetings: ['meeting_id', 'title', 'starts_on', 'starts_at', 'status'],
  tickets: ['ticket_id', 'kind', 'title', 'status', 'entry_id'],
  entries: ['entry_id', 'kind', 'title', 'day', 'amount', 'status'],
  approvals: ['approval_id', 'entry_id', 'amount', 'approver_id'],
};

const searched = {
  people: ['name', 'also_called', 'email', 'post', 'team', 'site', 'person_id'],
  parties: ['name', 'also_called', 'email', 'city', 'kind', 'party_id'],
  mails: ['from', 'from_name', 'subject', 'body'],
  tickets: ['ticket_id', 'title', 'body'],
  entries: ['entry_id', 'title', 'also_called', 'lot', 'note', 'kind'],
} as const satisfies Partial<Record<TableName, readonly string[]>>;

const show = (table: TableName, rows: readonly Row[]) => rows.map((row) => pick(row, listed[table]));

/** A tool that lists the rows of a table by the value of fields. */
function declareList(
  name: string,
  description: string,
  table: TableName,
  fields: Readonly<Record<string, ReturnType<typeof word>>>,
  required: readonly string[] = [],
): Tool {
  const properties = Object.entries(fields).map(([field, schema]) => [
    field,
    required.includes(field) ? schema : maybe(schema),
  ]);
  return declareTool(
    { name, description },
    { ...Object.fromEntries(properties), cursor: cursor() },
    ({ office }, args) => {
      // The schema has checked the names and types.
      const { cursor: at, ...wanted } = args as Readonly<Record<string, string | undefined>>;
      const rows = office
        .rows(table)
        .filter((row) => Object.entries(wanted).every(([field, value]) => row[field] === value));
      return pageOf(office, show(table, rows), [name, wanted], at);
    },
  );
}

/** A tool that finds the rows of tables that have all words. */
function declareSearch(
  name: string,
  description: string,
  tables: readonly (keyof typeof searched)[],
  order: (rows: Row[]) => readonly Row[] = (rows) => rows,
): Tool {
  return declareTool(
    { name, description, searches: true },
    { words: word('Words.'), cursor: cursor() },
    ({ office }, { words, cursor: at }) => {
      const wanted = wordsOf(words);
      const items = tables.flatMap((table) => {
        const rows = office.rows(table).filter((row) => hasWords(row, searched[table], wanted));
        return show(table, order(rows));
      });
      return pageOf(office, items, [name, words], at);
    },
  );
}

function declareGet(name: string, description: string, table: TableName): Tool {
  const field = `${idFields[table]}s`;
  return declareTool({ name, description }, { [field]: ids(table) }, ({ office }, args) =>
    // The schema has checked the type.
    getRows(office, [table], args[field] as string[]),
  );
}

const directory: readonly Tool[] = [
  declareSearch(
    'directory_search',
    'Finds colleagues, customers and suppliers by whole words of name, address, post, team, site or city. All words must match.',
    ['people', 'parties'],
  ),
  declareTool(
    { name: 'directory_get', description: 'Full entries of colleagues, customers or suppliers.' },
    { ids: ids('colleagues, customers or suppliers') },
    ({ office }, { ids: wanted }) => getRows(office, ['people', 'parties'], wanted),
  ),
  declareTool(
    { name: 'directory_team', description: 'The colleagues of a team or at a site.' },
    { name: word('Name of the team or site, as in the directory.'), cursor: cursor() },
    ({ office }, { name, cursor: at }) => {
      const rows = office.rows('people').filter((row) => row['team'] === name || row['site'] === name);
      return pageOf(office, show('people', rows), ['team', name], at);
    },
  ),
];

const mail: readonly Tool[] = [
  declareTool(
    { name: 'mail_list', description: 'Mails without their text, newest first.' },
    {
      folder: maybe(Type.Enum(['inbox', 'sent'], { type: 'string', description: 'inbox by default.' })),
      from: maybe(word('Only mails from this address.')),
      cursor: cursor(),
    },
    ({ office }, { folder = 'inbox', from, cursor: at }) => {
      if (folder === 'inbox' && from === undefined) office.unread = 0;
      const rows = office
        .rows('mails')
        .filter((row) => row['folder'] === folder && (from === undefined || row['from'] === from));
      return pageOf(office, show('mails', newestFirst(rows)), ['mail', folder, from], at);
    },
  ),
  declareSearch(
    'mail_search',
    'Received mails that contain all of these whole words in sender, subject or text, newest first.',
    ['mails'],
    (rows) => newestFirst(rows.filter((row) => row['folder'] === 'inbox')),
  ),
  declareGet('mail_read', 'The full text of mails.', 'mails'),
];

/** Prepares the mails for searching, so that the first search is not slower than the others. */
export function prepareSearch(office: Office): void {
  for (const row of office.rows('mails')) hasWords(row, searched.mails, []);
}

function newestFirst(rows: readonly Row[]): Row[] {
  return rows.toSorted((left, right) => (String(left['at']) < String(right['at']) ? 1 : -1));
}

function startOf({ starts_on, starts_at }: Row): string {
  return `${String(starts_on)}${String(starts_at)}`;
}

const calendar: readonly Tool[] = [
  declareTool(
    { name: 'calendar_list', description: 'The meetings that a colleague attends, in order.' },
    {
      person_id: word('The colleague.'),
      from: maybe(word('First day, YYYY-MM-DD.')),
      to: maybe(word('Last day, YYYY-MM-DD.')),
      cursor: cursor(),
    },
    ({ office }, { person_id, from = '0', to = '9', cursor: at }) => {
      const rows = office.rows('meetings').filter(({ attendee_ids, starts_on: day }) => {
        const isThere = Array.isArray(attendee_ids) && attendee_ids.includes(person_id);
        return isThere && String(day) >= from && String(day) <= to;
      });
      const sorted = rows.toSorted((left, right) => (startOf(left) < startOf(right) ? -1 : 1));
      return pageOf(office, show('meetings', sorted), ['calendar', person_id, from, to], at);
    },
  ),
  declareGet('calendar_get', 'Meetings with all details.', 'meetings'),
];

const tickets: readonly Tool[] = [
  declareList('tickets_list', 'Tickets by kind, status or the ticket above them.', 'tickets', {
    kind: word('Such as "incident", "complaint" or "request".'),
    parent_id: word('Only tickets that belong to this ticket.'),
    status: word('Such as "open" or "closed".'),
  }),
  declareSearch('tickets_search', 'Tickets whose title or text contains all of these whole words.', [
    'tickets',
  ]),
  declareGet('tickets_get', 'Tickets with their text.', 'tickets'),
];

const ledger: readonly Tool[] = [
  declareList(
    'ledger_list',
    'Entries of a kind, by party, colleague or month.',
    'entries',
    {
      kind: word(
        '"order", "expense", "product", "contract", "quote", "payment", "file", "stock", "repair", "account change", "draft" or "access".',
      ),
      party_id: word('Only of this customer or supplier.'),
      person_id: word('Only of this colleague.'),
      batch: word('Only of this batch, such as a month or a report.'),
    },
    ['kind'],
  ),
  declareSearch('ledger_search', 'Entries that contain all of these whole words in id, title, lot or note.', [
    'entries',
  ]),
  declareGet(
    'ledger_get',
    'Entries with all fields. `day` is the day of the event that `day_of` names, and the note is by whoever made the entry.',
    'entries',
  ),
  declareTool(
    { name: 'ledger_approvals', description: 'How approvals stand: requested, given or withdrawn.' },
    { approval_ids: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1, maxItems: 20 }) },
    ({ office }, { approval_ids }) =>
      getRows(office, ['approvals'], approval_ids, (row) => {
        const isGiven = row['status'] === 'requested' && Number(row['_due']) <= office.tick;
        return { ...pick(row, listed.approvals), status: isGiven ? 'given' : String(row['status']) };
      }),
  ),
];

export const recordTools: readonly Tool[] = [...directory, ...mail, ...calendar, ...tickets, ...ledger];
