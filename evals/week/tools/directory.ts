/** The directory: colleagues, customers and suppliers. */
import { Type } from 'typebox';
import { manners } from '../dials.ts';
import type { Row, World } from '../world.ts';
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
    const people = world.rows('people').filter((row) => hasWords(row, personFields, words));
    const parties = world.rows('parties').filter((row) => hasWords(row, partyFields, words));
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
    description: `Full entries of colleagues, customers or suppliers. A change is visible here only after ${manners.directoryLag} calls.`,
  },
  { ids: ids('colleagues, customers or suppliers') },
  ({ world }, { ids: wanted }) => {
    const rows = wanted.map((id) => {
      const row = lagged(world, id) ?? world.find('people', id) ?? world.find('parties', id);
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

const account = declareTool(
  {
    name: 'directory_account',
    description:
      'Records a decision on a change of bank account of a supplier. "apply" puts the new account into the directory.',
    writes: true,
  },
  {
    party_id: word('The supplier.'),
    version: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The version that you read.' }),
    bank_account: word('The account to pay to from now on.'),
  },
  ({ world }, { party_id, version, bank_account }) => {
    const row = world.find('parties', party_id);
    if (row === null) return failure('not_found', `The directory has no ${party_id}.`);
    if (row['version'] !== version)
      return failure(
        'version_conflict',
        `${party_id} has version ${String(row['version'])} by now. Read it again.`,
      );
    keepOld(world, party_id, row);
    return { status: 'done', version: Number(world.write('parties', party_id, { bank_account })['version']) };
  },
);

function lagged(world: World, id: string): Row | null {
  const lag = world.lagging.get(id);
  return lag !== undefined && lag.until > world.tick ? lag.row : null;
}

function keepOld(world: World, id: string, row: Row): void {
  world.lagging.set(id, { until: world.tick + manners.directoryLag, row });
}

export const directoryTools: readonly Tool[] = [search, get, team, account];
