/** The tools that find and read records: directory, mail, calendar, tickets and ledger. */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
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

/**
 * A tool that lists rows of a table.
 *
 * @param choose the rows; by default those that have the values of the arguments in the fields of these names
 */
function declareList<Properties extends TProperties>(
  name: string,
  description: string,
  table: TableName,
  properties: Properties,
  choose: (office: Office, wanted: Static<TObject<Properties>>) => readonly Row[] = (office, wanted) =>
    office
      .rows(table)
      .filter((row) => Object.entries(wanted).every(([field, value]) => row[field] === value)),
): Tool {
  return declareTool({ name, description }, { ...properties, cursor: cursor() }, ({ office }, args) => {
    const { cursor: at, ...rest } = args as { readonly cursor?: string };
    // Without the cursor, they have the form of `properties`.
    const wanted = rest as Static<TObject<Properties>>;
    return pageOf(office, show(table, choose(office, wanted)), [name, wanted], at);
  });
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

function declareGet(
  name: string,
  description: string,
  tables: readonly [TableName, ...TableName[]],
  field = `${idFields[tables[0]]}s`,
  what: string = tables[0],
): Tool {
  return declareTool({ name, description }, { [field]: ids(what) }, ({ office }, args) =>
    // The schema has checked the type.
    getRows(office, tables, args[field] as string[]),
  );
}

/** Prepares the mails for searching, so that the first search is not slower than the others. */
export function prepareSearch(office: Office): void {
  for (const row of office.rows('mails')) hasWords(row, searched.mails, []);
}

const newestFirst = (rows: Row[]) =>
  rows.toSorted((left, right) => (String(left['at']) < String(right['at']) ? 1 : -1));

const startOf = ({ starts_on, starts_at }: Row) => `${String(starts_on)}${String(starts_at)}`;

export const recordTools: readonly Tool[] = [
  declareSearch(
    'directory_search',
    'Finds colleagues, customers and suppliers by whole words of name, address, post, team, site or city. All words must match.',
    ['people', 'parties'],
  ),
  declareGet(
    'directory_get',
    'Full entries of colleagues, customers or suppliers.',
    ['people', 'parties'],
    'ids',
    'colleagues, customers or suppliers',
  ),
  declareList(
    'directory_team',
    'The colleagues of a team or at a site.',
    'people',
    { name: word('Name of the team or site, as in the directory.') },
    (office, { name }) => office.rows('people').filter((row) => row['team'] === name || row['site'] === name),
  ),
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
  declareTool(
    { name: 'mail_read', description: 'The full text of mails.' },
    { mail_ids: ids('mails') },
    ({ office }, { mail_ids }) => {
      for (const id of mail_ids) {
        const mail = office.find('mails', id);
        if (mail !== null) office.put('mails', { ...mail, _read: true });
      }
      return getRows(office, ['mails'], mail_ids);
    },
  ),
  declareList(
    'calendar_list',
    'The meetings that a colleague attends, in order.',
    'meetings',
    {
      person_id: word('The colleague.'),
      from: maybe(word('First day, YYYY-MM-DD.')),
      to: maybe(word('Last day, YYYY-MM-DD.')),
    },
    (office, { person_id, from = '0', to = '9' }) => {
      const rows = office.rows('meetings').filter(({ attendee_ids, starts_on: day }) => {
        const isThere = Array.isArray(attendee_ids) && attendee_ids.includes(person_id);
        return isThere && String(day) >= from && String(day) <= to;
      });
      return rows.toSorted((left, right) => (startOf(left) < startOf(right) ? -1 : 1));
    },
  ),
  declareGet('calendar_get', 'Meetings with all details.', ['meetings']),
  declareList('tickets_list', 'Tickets by kind, status or the ticket above them.', 'tickets', {
    kind: maybe(word('Such as "incident", "complaint" or "request".')),
    parent_id: maybe(word('Only tickets that belong to this ticket.')),
    status: maybe(word('Such as "open" or "closed".')),
  }),
  declareSearch('tickets_search', 'Tickets whose title or text contains all of these whole words.', [
    'tickets',
  ]),
  declareGet('tickets_get', 'Tickets with their text.', ['tickets']),
  declareList('ledger_list', 'Entries of a kind, by party, colleague or month.', 'entries', {
    kind: word(
      '"order", "expense", "product", "contract", "quote", "payment", "file", "stock", "repair", "account change", "draft" or "access".',
    ),
    party_id: maybe(word('Only of this customer or supplier.')),
    person_id: maybe(word('Only of this colleague.')),
    batch: maybe(word('Only of this batch, such as a month or a report.')),
  }),
  declareSearch('ledger_search', 'Entries that contain all of these whole words in id, title, lot or note.', [
    'entries',
  ]),
  declareGet(
    'ledger_get',
    'Entries with all fields. `day` is the day of the event that `day_of` names, and the note is by whoever made the entry.',
    ['entries'],
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
