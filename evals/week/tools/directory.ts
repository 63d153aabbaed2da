/** The directory: colleagues, customers and suppliers. */
import {
  cursor,
  declareTool,
  failure,
  fitting,
  hasWords,
  ids,
  pageOf,
  pick,
  shown,
  type Tool,
  word,
  wordsOf,
} from './tool.ts';

const personFields = ['name', 'also_called', 'email', 'post', 'team', 'site', 'person_id'];
const partyFields = ['name', 'also_called', 'email', 'city', 'kind', 'party_id'];

const search = declareTool(
  {
    name: 'directory_search',
    description:
      'Finds colleagues, customers and suppliers by whole words of name, address, post, team, site or city. All words must match.',
    searches: true,
  },
  { words: word('Words.'), cursor: cursor() },
  ({ world }, { words, cursor: at }) => {
    const wanted = wordsOf(words);
    const people = world.rows('people').filter((row) => hasWords(row, personFields, wanted));
    const parties = world.rows('parties').filter((row) => hasWords(row, partyFields, wanted));
    const items = [
      ...people.map((row) => pick(row, ['person_id', 'name', 'post', 'team', 'site'])),
      ...parties.map((row) => pick(row, ['party_id', 'name', 'kind', 'city'])),
    ];
    return pageOf(world, items, ['directory', words], at);
  },
);

const get = declareTool(
  {
    name: 'directory_get',
    description: 'Full entries of colleagues, customers or suppliers.',
  },
  { ids: ids('colleagues, customers or suppliers') },
  ({ world }, { ids: wanted }) => {
    const rows = wanted.map((id) => {
      const row = world.find('people', id) ?? world.find('parties', id);
      return row === null ? { id, ...failure('not_found', `The directory has no ${id}.`) } : shown(row);
    });
    const items = fitting(rows);
    return items.length === rows.length ? { items } : { items, left_out: wanted.slice(items.length) };
  },
);

const team = declareTool(
  { name: 'directory_team', description: 'The colleagues of a team or at a site.' },
  { name: word('Name of the team or site, as in the directory.'), cursor: cursor() },
  ({ world }, { name, cursor: at }) => {
    const rows = world.rows('people').filter((row) => row['team'] === name || row['site'] === name);
    return pageOf(
      world,
      rows.map((row) => pick(row, ['person_id', 'name', 'post', 'team', 'site'])),
      ['team', name],
      at,
    );
  },
);

export const directoryTools: readonly Tool[] = [search, get, team];
