/** The ledger: orders, expenses, invoices, payments, products, and approvals. */
import { Type } from 'typebox';
import { manners } from '../dials.ts';
import type { Row } from '../world.ts';
import { declareDecisions } from './decisions.ts';
import {
  cursor,
  declareTool,
  failure,
  getRows,
  hasWords,
  ids,
  key,
  maybe,
  pageOf,
  pick,
  type Tool,
  word,
} from './tool.ts';

const listed = ['entry_id', 'kind', 'title', 'day', 'amount', 'status'];
const searched = ['entry_id', 'title', 'also_called', 'lot', 'note', 'kind'];
const money = (description: string) => Type.Number({ minimum: 0, maximum: 10_000_000, description });
const code = () => word('The booking code.', 12);
const approval = () => maybe(word('The approval that this booking rests on, if it needs one.', 40));

const list = declareTool(
  { name: 'ledger_list', description: 'Entries of a kind, by party, colleague or month.' },
  {
    kind: word('"order", "expense", "invoice", "payment" or "product".'),
    party_id: maybe(word('Only of this customer or supplier.')),
    person_id: maybe(word('Only of this colleague.')),
    batch: maybe(word('Only of this batch, such as a month or a report.')),
    cursor: cursor(),
  },
  ({ world }, { kind, party_id, person_id, batch, cursor: at }) => {
    const rows = world
      .rows('entries')
      .filter(
        (row) =>
          row['kind'] === kind &&
          fits(row, 'party_id', party_id) &&
          fits(row, 'person_id', person_id) &&
          fits(row, 'batch', batch),
      );
    return pageOf(
      world,
      rows.map((row) => pick(row, listed)),
      ['ledger', kind, party_id, person_id, batch],
      at,
    );
  },
);

const search = declareTool(
  {
    name: 'ledger_search',
    description: 'Entries that contain all of these whole words in id, title, lot or note.',
    searches: true,
  },
  { words: word('Words.'), cursor: cursor() },
  ({ world }, { words, cursor: at }) => {
    const rows = world.rows('entries').filter((row) => hasWords(row, searched, words));
    return pageOf(
      world,
      rows.map((row) => pick(row, listed)),
      ['search', words],
      at,
    );
  },
);

const get = declareTool(
  { name: 'ledger_get', description: 'Entries with all fields.' },
  { entry_ids: ids('entries') },
  ({ world }, { entry_ids }) => getRows(world, 'entries', entry_ids),
);

const refund = declareDecisions({
  name: 'ledger_refund',
  description: 'Books refunds on orders, one for each order.',
  table: 'entries',
  kinds: ['order'],
  fields: { refund: money('The amount, 0 if nothing is paid back.'), code: code(), approval_id: approval() },
});

const settle = declareDecisions({
  name: 'ledger_settle',
  description: 'Settles expenses with the amount that is paid out.',
  table: 'entries',
  kinds: ['expense'],
  fields: { paid: money('The amount, 0 if it is turned down.'), code: code(), approval_id: approval() },
});

function fits(row: Row, field: string, wanted: string | undefined): boolean {
  return wanted === undefined || row[field] === wanted;
}

const requestApproval = declareTool(
  {
    name: 'ledger_approval_request',
    description: 'Asks a colleague to approve amounts on entries. They need a while.',
    writes: true,
  },
  {
    approver_id: word('Who is asked.', 40),
    items: Type.Array(
      Type.Object(
        { entry_id: word('The entry.', 40), amount: money('The amount.') },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: manners.writes },
    ),
    key: key(),
  },
  ({ world }, { approver_id, items }) => {
    const approver = world.find('people', approver_id);
    if (approver === null) return failure('not_found', `There is no colleague ${approver_id}.`);
    return {
      results: items.map(({ entry_id, amount }) => {
        if (world.find('entries', entry_id) === null)
          return { entry_id, ...failure('not_found', `There is no ${entry_id}.`) };
        const approval_id = world.newId('A');
        const due =
          approver['status'] === 'away' ? Number.MAX_SAFE_INTEGER : world.tick + manners.approvalCalls;
        world.write('approvals', approval_id, {
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

const approvals = declareTool(
  { name: 'ledger_approvals', description: 'How approvals stand: requested, given or withdrawn.' },
  { approval_ids: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1, maxItems: 20 }) },
  ({ world }, { approval_ids }) =>
    getRows(world, 'approvals', approval_ids, (row) => {
      const isGiven = row['status'] === 'requested' && Number(row['_due']) <= world.tick;
      return {
        ...pick(row, ['approval_id', 'entry_id', 'amount', 'approver_id']),
        status: isGiven ? 'given' : String(row['status']),
      };
    }),
);

export const ledgerTools: readonly Tool[] = [list, search, get, refund, settle, requestApproval, approvals];
