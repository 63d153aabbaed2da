/** The ticket system: incidents, complaints and requests. */
import { Type } from 'typebox';
import { declareDecisions } from './decisions.ts';
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

const listed = ['ticket_id', 'kind', 'title', 'status', 'entry_id'];
const searched = ['ticket_id', 'title', 'body'];

const list = declareTool(
  {
    name: 'tickets_list',
    description: 'Tickets by kind, status or the ticket above them.',
  },
  {
    kind: maybe(word('Such as "incident", "complaint" or "request".')),
    parent_id: maybe(word('Only tickets that belong to this ticket.')),
    status: maybe(word('Such as "open" or "closed".')),
    cursor: cursor(),
  },
  ({ world }, { kind, parent_id, status, cursor: at }) => {
    const rows = world
      .rows('tickets')
      .filter(
        (row) =>
          (kind === undefined || row['kind'] === kind) &&
          (parent_id === undefined || row['parent_id'] === parent_id) &&
          (status === undefined || row['status'] === status),
      );
    return pageOf(
      world,
      rows.map((row) => pick(row, listed)),
      ['tickets', kind, parent_id, status],
      at,
    );
  },
);

const search = declareTool(
  {
    name: 'tickets_search',
    description: 'Tickets whose title or text contains all of these whole words.',
    searches: true,
  },
  { words: word('Words.'), cursor: cursor() },
  ({ world }, { words, cursor: at }) => {
    const wanted = wordsOf(words);
    const rows = world.rows('tickets').filter((row) => hasWords(row, searched, wanted));
    return pageOf(
      world,
      rows.map((row) => pick(row, listed)),
      ['search', words],
      at,
    );
  },
);

const get = declareTool(
  { name: 'tickets_get', description: 'Tickets with their text.' },
  { ticket_ids: ids('tickets') },
  ({ world }, { ticket_ids }) => getRows(world, 'tickets', ticket_ids),
);

const assign = declareDecisions({
  name: 'tickets_assign',
  description: 'Gives tickets to a team with a priority and a limit in hours.',
  table: 'tickets',
  fields: {
    team: word('The team.', 80),
    priority: word('The priority.', 20),
    hours: Type.Integer({
      minimum: 0,
      maximum: 1_000,
      description: 'Within how many hours it is to be settled.',
    }),
  },
});

export const ticketTools: readonly Tool[] = [list, search, get, assign];
