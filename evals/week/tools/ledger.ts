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
  wordsOf,
} from './tool.ts';

const listed = ['entry_id', 'kind', 'title', 'day', 'amount', 'status'];
const searched = ['entry_id', 'title', 'also_called', 'lot', 'note', 'kind'];
const money = (description: string) => Type.Number({ minimum: 0, maximum: 10_000_000, description });
const code = () => word('The booking code.', 12);
const approval = () => maybe(word('The approval that this booking rests on, if it needs one.', 40));

const list = declareTool(
  { name: 'ledger_list', description: 'Entries of a kind, by party, colleague or month.' },
  {
    kind: word(
      '"order", "expense", "product", "contract", "quote", "payment", "file", "stock", "repair", "account change", "draft" or "access".',
    ),
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
    const wanted = wordsOf(words);
    const rows = world.rows('entries').filter((row) => hasWords(row, searched, wanted));
    return pageOf(
      world,
      rows.map((row) => pick(row, listed)),
      ['search', words],
      at,
    );
  },
);

const get = declareTool(
  {
    name: 'ledger_get',
    description:
      'Entries with all fields. `day` is the day of the event that `day_of` names, and the note is by whoever made the entry.',
  },
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

const assess = declareDecisions({
  name: 'ledger_renew',
  description: 'Records what becomes of contracts.',
  table: 'entries',
  kinds: ['contract'],
  fields: {
    action: Type.Enum(['renew', 'end', 'renegotiate'], { type: 'string' }),
    months: Type.Integer({
      minimum: 0,
      maximum: 120,
      description: 'For how long it is renewed; 0 otherwise.',
    }),
    price: money('The yearly price from then on; 0 if it is ended.'),
  },
});

const reprice = declareDecisions({
  name: 'ledger_reprice',
  description: 'Sets the price of open quotes.',
  table: 'entries',
  kinds: ['quote'],
  fields: {
    price: money('The new price in all.'),
    valid_until: word('Last day on which the quote is good, YYYY-MM-DD.', 10),
    approval_id: approval(),
  },
});

const flag = declareDecisions({
  name: 'ledger_flag',
  description: 'Marks payments with the difference to what was owed and what follows from it.',
  table: 'entries',
  kinds: ['payment'],
  fields: {
    difference: Type.Number({
      minimum: -10_000_000,
      maximum: 10_000_000,
      description: 'Paid less owed, in EUR.',
    }),
    action: Type.Enum(['accept', 'remind', 'return', 'set off', 'write off'], { type: 'string' }),
    code: code(),
  },
});

const retain = declareDecisions({
  name: 'ledger_retain',
  description: 'Records what becomes of stored files after a deletion request.',
  table: 'entries',
  kinds: ['file'],
  fields: {
    action: Type.Enum(['erase', 'mask', 'keep'], { type: 'string' }),
    until: word('Until when it is kept, YYYY-MM-DD; "none" if it is erased or masked.', 10),
    code: code(),
  },
});

const reorder = declareDecisions({
  name: 'ledger_reorder',
  description: 'Orders goods again, one decision for each stock entry.',
  table: 'entries',
  kinds: ['stock'],
  fields: {
    quantity: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Pieces, 0 if none are ordered.' }),
    mode: Type.Enum(['lorry', 'rail', 'parcel', 'pick-up'], { type: 'string' }),
    approval_id: approval(),
  },
});

const claim = declareDecisions({
  name: 'ledger_warranty',
  description: 'Records what is done about repairs.',
  table: 'entries',
  kinds: ['repair'],
  fields: {
    action: Type.Enum(['repair', 'replace', 'return', 'credit'], { type: 'string' }),
    charge: money('What the customer has to pay.'),
    code: code(),
  },
});

const account = declareDecisions({
  name: 'ledger_account',
  description: 'Decides requests to pay to another bank account.',
  table: 'entries',
  kinds: ['account change'],
  fields: {
    action: Type.Enum(['apply', 'refuse'], { type: 'string' }),
    hold_days: Type.Integer({
      minimum: 0,
      maximum: 400,
      description: 'For how many days payments are held back, also when the request is refused.',
    }),
    code: code(),
  },
});

const correct = declareDecisions({
  name: 'ledger_correct',
  description: 'Releases the drafts of a colleague, as they are or corrected.',
  table: 'entries',
  kinds: ['draft'],
  fields: {
    discount: money('The right discount in EUR.'),
    terms: Type.Integer({ minimum: 0, maximum: 400, description: 'Days until payment is due.' }),
    code: code(),
  },
});

const grant = declareDecisions({
  name: 'ledger_grant',
  description: 'Decides requests of colleagues for access and equipment.',
  table: 'entries',
  kinds: ['access'],
  fields: {
    level: Type.Enum(['none', 'read', 'write', 'full'], { type: 'string' }),
    days: Type.Integer({ minimum: 0, maximum: 4_000, description: 'For how many days.' }),
    approval_id: approval(),
  },
});

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

export const ledgerTools: readonly Tool[] = [
  list,
  search,
  get,
  refund,
  settle,
  assess,
  reprice,
  flag,
  retain,
  reorder,
  claim,
  account,
  correct,
  grant,
  requestApproval,
  approvals,
];
