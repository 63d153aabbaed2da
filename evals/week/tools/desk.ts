/** The manual, the notebook, mails and questions to others, waiting and the end of a task. */
import { Type } from 'typebox';
import { manners } from '../dials.ts';
import { declareDecisions, money, whole } from './decisions.ts';
import {
  cursor,
  declareTool,
  drawnFrom,
  failure,
  key,
  maybe,
  pageOf,
  type Tool,
  tooLong,
  word,
} from './tool.ts';

const contents = declareTool(
  { name: 'manual_contents', description: 'The chapters of the manual with their first pages.' },
  {},
  ({ manual }) => ({ pages: manual.pages.length, chapters: manual.chapters }),
);

const readPage = declareTool(
  { name: 'manual_read', description: 'One page of the manual.' },
  { page: Type.Integer({ minimum: 1, maximum: 500 }) },
  ({ manual }, { page }) => {
    const found = manual.pages[page - 1];
    return found === undefined
      ? failure('not_found', `The manual has ${manual.pages.length} pages.`)
      : { ...found };
  },
);

const searchManual = declareTool(
  {
    name: 'manual_search',
    description: 'The pages of the manual that contain all of these whole words, with the place.',
    searches: true,
  },
  { words: word('Words.'), cursor: cursor() },
  ({ manual, office }, { words, cursor: at }) => {
    const wanted = words
      .toLowerCase()
      .split(/[^\p{L}\d.]+/u)
      .filter(Boolean);
    const hits = manual.pages.flatMap(({ page, chapter, text }) => {
      const lower = ` ${text
        .toLowerCase()
        .replace(/[^\p{L}\d.]+/gu, ' ')
        .replace(/\.(?= )/g, ' ')} `;
      if (wanted.length === 0 || !wanted.every((one) => lower.includes(` ${one.replace(/\.$/, '')} `)))
        return [];
      const place = text.toLowerCase().indexOf(wanted[0] ?? '');
      return [
        { page, chapter, place: text.slice(Math.max(0, place - 40), place + 100).replaceAll('\n', ' ') },
      ];
    });
    return pageOf(office, hits, ['manual', words], at);
  },
);

const readNotes = declareTool(
  { name: 'notes_read', description: 'Your notebook. It is kept from task to task.' },
  {},
  ({ office }) => ({ text: office.notes }),
);

const writeNotes = declareTool(
  {
    name: 'notes_write',
    description: `Replaces the text of your notebook, at most ${manners.textBytes} bytes.`,
  },
  { text: Type.String({ maxLength: manners.textBytes }) },
  ({ office }, { text }) => {
    const fault = tooLong(text);
    if (fault !== null) return fault;
    office.notes = text;
    return { status: 'done' };
  },
);

const noReplies = [
  'I do not know anything about that.',
  'No idea, sorry. Is it not in the systems?',
  'That is not mine to say.',
];

const ask = declareTool(
  {
    name: 'ask',
    description: 'Asks one person one thing and gets the reply. `about` is an id or a word of the task.',
  },
  {
    to: word('Id or address of a colleague, customer or supplier.'),
    about: word('What it is about: an id or a word.', 80),
    question: word('The question.', 1_000),
  },
  ({ office }, { to, about }) => {
    const person = [...office.rows('people'), ...office.rows('parties')].find((row) =>
      [row['person_id'], row['party_id'], row['email']].includes(to),
    );
    if (person === undefined) return failure('not_found', `Nobody has the id or address ${to}.`);
    const id = String(person['person_id'] ?? person['party_id']);
    if (person['status'] === 'away')
      return { reply: 'I am away. Please turn to my deputy, whom the directory names.' };
    const wanted = about.toLowerCase();
    const known = office.answers.find(
      (answer) => answer.from.includes(id) && answer.about.some((one) => wanted.includes(one.toLowerCase())),
    );
    const shrug = noReplies[drawnFrom(`${office.seed}/${id}/${wanted}`, noReplies.length)];
    return { reply: known?.reply ?? shrug ?? '' };
  },
);

const addresses = (what: string) =>
  Type.Array(Type.String({ minLength: 3, maxLength: 120 }), {
    maxItems: 10,
    description: `Addresses of ${what}.`,
  });

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
  ({ office }, { to, cc = [], subject, body }) => {
    const known = [...to, ...cc].find((address) => !address.includes('@'));
    if (to.length === 0 || known !== undefined)
      return failure('invalid_address', `${known ?? 'Nobody'} is not an address.`);
    const fault = tooLong(body);
    if (fault !== null) return fault;
    const mail_id = office.newId('M');
    office.write('mails', mail_id, {
      folder: 'sent',
      from: 'assistant',
      to,
      cc,
      subject,
      body,
      at: office.now,
    });
    return { status: 'sent', mail_id };
  },
);

const requestApproval = declareTool(
  {
    name: 'ledger_approval_request',
    description: 'Asks a colleague to approve amounts on entries. They need a while.',
    writes: true,
  },
  {
    approver_id: word('Who is asked: the holder of the post, or the deputy while the holder is away.', 40),
    items: Type.Array(
      Type.Object(
        { entry_id: word('The entry.', 40), amount: money('The amount.') },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: manners.writes },
    ),
    key: key(),
  },
  ({ office }, { approver_id, items }) => {
    const approver = office.find('people', approver_id);
    if (approver === null) return failure('not_found', `There is no colleague ${approver_id}.`);
    return {
      results: items.map(({ entry_id, amount }) => {
        if (office.find('entries', entry_id) === null)
          return { entry_id, ...failure('not_found', `There is no ${entry_id}.`) };
        const approval_id = office.newId('A');
        const due =
          approver['status'] === 'away' ? Number.MAX_SAFE_INTEGER : office.tick + manners.approvalCalls;
        office.write('approvals', approval_id, {
          entry_id,
          amount,
          approver_id,
          status: 'requested',
          _due: due,
        });
        return { entry_id, approval_id, status: 'requested' };
      }),
    };
  },
);

const assign = declareDecisions({
  name: 'tickets_assign',
  description: 'Gives tickets to a team with a priority and a limit in hours.',
  table: 'tickets',
  fields: {
    team: word('The team.', 80),
    priority: word('The priority.', 20),
    hours: whole(1_000, 'Within how many hours it is to be settled.'),
  },
});

const wait = declareTool(
  {
    name: 'office_wait',
    description: 'Waits. Counts as one call, but time passes as if you had made `calls` of them.',
  },
  { calls: Type.Integer({ minimum: 1, maximum: 10 }) },
  ({ office }, { calls }) => {
    office.tick += calls - 1;
    return { status: 'done' };
  },
);

const finish = declareTool(
  { name: 'task_finish', description: 'Ends the task. There is no way back.' },
  { message: word('What you did, or why you did not, in a sentence or two.', 2_000) },
  () => ({ status: 'finished' }),
);

export const deskTools: readonly Tool[] = [
  send,
  requestApproval,
  assign,
  contents,
  readPage,
  searchManual,
  readNotes,
  writeNotes,
  ask,
  wait,
  finish,
];
