/** The mailbox of the agent's department. */
import { Type } from 'typebox';
import { manners } from '../dials.ts';
import type { Row, World } from '../world.ts';
import {
  cursor,
  declareTool,
  failure,
  getRows,
  hasWords,
  ids,
  maybe,
  pageOf,
  pick,
  type Tool,
  tooLong,
  word,
  wordsOf,
} from './tool.ts';

const listed = ['mail_id', 'from', 'to', 'subject', 'at'];
const searched = ['from', 'from_name', 'subject', 'body'];
const addresses = (what: string) =>
  Type.Array(Type.String({ minLength: 3, maxLength: 120 }), {
    maxItems: 10,
    description: `Addresses of ${what}.`,
  });

const list = declareTool(
  { name: 'mail_list', description: 'Mails without their text, newest first.' },
  {
    folder: maybe(Type.Enum(['inbox', 'sent'], { type: 'string', description: 'inbox by default.' })),
    from: maybe(word('Only mails from this address.')),
    cursor: cursor(),
  },
  ({ world }, { folder = 'inbox', from, cursor: at }) => {
    if (folder === 'inbox' && from === undefined) world.unread = 0;
    const rows = world
      .rows('mails')
      .filter((row) => row['folder'] === folder && (from === undefined || row['from'] === from));
    return pageOf(
      world,
      newestFirst(rows).map((row) => pick(row, listed)),
      ['mail', folder, from],
      at,
    );
  },
);

const search = declareTool(
  {
    name: 'mail_search',
    description:
      'Received mails that contain all of these whole words in sender, subject or text, newest first.',
    searches: true,
  },
  { words: word('Words.'), cursor: cursor() },
  ({ world }, { words, cursor: at }) => {
    const wanted = wordsOf(words);
    const rows = world
      .rows('mails')
      .filter((row) => row['folder'] === 'inbox' && hasWords(row, searched, wanted));
    return pageOf(
      world,
      newestFirst(rows).map((row) => pick(row, listed)),
      ['search', words],
      at,
    );
  },
);

const read = declareTool(
  { name: 'mail_read', description: 'The full text of mails.' },
  { mail_ids: ids('mails') },
  ({ world }, { mail_ids }) => getRows(world, 'mails', mail_ids),
);

const send = declareTool(
  {
    name: 'mail_send',
    description: 'Sends a mail. After a timeout, look into the folder "sent" to see whether it went out.',
    writes: true,
  },
  {
    to: addresses('recipients'),
    cc: maybe(addresses('those in copy')),
    subject: word('Subject.', 200),
    body: word('Text.', manners.textBytes),
  },
  ({ world }, { to, cc = [], subject, body }) => {
    const known = [...to, ...cc].find((address) => !address.includes('@'));
    if (to.length === 0 || known !== undefined)
      return failure('invalid_address', `${known ?? 'Nobody'} is not an address.`);
    const fault = tooLong(body);
    if (fault !== null) return fault;
    const mail_id = world.newId('M');
    world.write('mails', mail_id, {
      folder: 'sent',
      from: 'assistant',
      to,
      cc,
      subject,
      body,
      at: world.now,
    });
    return { status: 'sent', mail_id };
  },
);

/** Prepares the mails for searching, so that the first search is not slower than the others. */
export function prepareSearch(world: World): void {
  for (const row of world.rows('mails')) hasWords(row, searched, []);
}

function newestFirst(rows: readonly Row[]): Row[] {
  return rows.toSorted((left, right) => (String(left['at']) < String(right['at']) ? 1 : -1));
}

export const mailTools: readonly Tool[] = [list, search, read, send];
