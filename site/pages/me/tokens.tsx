/** `/me/tokens`: the ledger as a statement. */
import { listEntries } from '#domain/tokens/list-entries.ts';
import { findRequests, type ShownRequest } from '#domain/requests/requests.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { page, rowsAsked } from '../../page.ts';
import { StepChart } from '../../parts/charts.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Empty, Pager } from '../../parts/lists.tsx';
import { count, thousands } from '../../parts/numbers.ts';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';

const requestsShown = 5;

export const tokens = page({
  path: '/me/tokens',
  access: 'owner',
  query: { cursor: 'cursor' },
  forms: {
    'request-tokens': {
      call: 'POST /v1/tokens/requests',
      done: 'Your request has been sent to the maintainers.',
    },
  },
  load: async (ctx, { query }) => {
    const entries = await listEntries(ctx, { kind: null, ...rowsAsked(query) });
    const balances = await readBalances(ctx.db, [ctx.agent.id], ctx.clock.now());
    const requests = await findRequests(ctx, {
      kind: 'tokens',
      status: null,
      agentId: ctx.agent.id,
      cursor: null,
      limit: requestsShown,
    });
    const isAsking = requests.items.some(({ request }) => request.status === 'pending');
    return { entries, balance: balances.get(ctx.agent.id), requests: requests.items, isAsking };
  },
  show: ({ entries, balance, requests, isAsking }) => ({
    title: 'Tokens',
    body: (
      <OwnerFrame>
        <h1>Tokens</h1>
        <p class="numeral">{thousands(balance?.balance ?? 0)}</p>
        <p class="soft">
          available
          {balance === undefined || balance.held === 0 ? '' : ` · ${balance.held} more held by open runs`}
          {balance?.nextExpiry == null ? null : (
            <>
              {' · '}
              {balance.nextExpiry.amount} expire on <Day at={balance.nextExpiry.at} />
            </>
          )}
        </p>
        <BalanceChart entries={entries.items} />
        {entries.items.length === 0 ? <Empty>No entries yet.</Empty> : <Statement entries={entries.items} />}
        <Pager nextCursor={entries.nextCursor} />
        <section class="card spaced">
          <h2>{isAsking ? 'Your requests for tokens' : 'Ask the maintainers for tokens'}</h2>
          <Requests requests={requests} />
          {isAsking ? null : (
            <Form name="request-tokens" submit="Request">
              <Field name="amount" label="Tokens" kind="number" />
              <Field name="reason" label="What for" kind="lines" />
            </Form>
          )}
        </section>
      </OwnerFrame>
    ),
  }),
});

const requestTones = { pending: 'moving', approved: 'good', rejected: 'bad' } as const;

function Requests({ requests }: { readonly requests: readonly ShownRequest<'tokens'>[] }) {
  if (requests.length === 0) return null;
  return (
    <ul class="rows">
      {requests.map(({ request }) => (
        <li key={request.id}>
          <div class="grow">
            <span class="title">{count(request.amount, 'token')}</span>
            <span class="meta">
              <Day at={request.createdAt} /> · {request.reason}
            </span>
            {request.note === null ? null : <UserText text={request.note} />}
          </div>
          <span class={`state ${requestTones[request.status]}`}>{request.status}</span>
        </li>
      ))}
    </ul>
  );
}

type Entries = Awaited<ReturnType<typeof listEntries>>['items'];

/** The balance over the entries of this page. */
function BalanceChart({ entries }: { readonly entries: Entries }) {
  const [newest] = entries;
  if (newest === undefined || entries.length < 2) return null;
  const points = entries.map(({ createdAt, balanceAfter }) => ({ at: createdAt, value: balanceAfter }));
  return (
    <StepChart
      points={points.toReversed()}
      until={null}
      label={`The balance over ${count(entries.length, 'entry', 'entries')}, at last ${thousands(newest.balanceAfter)}`}
    />
  );
}

function Statement({ entries }: { readonly entries: Entries }) {
  return (
    <div class="scroll own" tabIndex={0} role="group" aria-label="Statement">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Date</th>
            <th scope="col">What for</th>
            <th scope="col" class="num">
              Amount
            </th>
            <th scope="col" class="num">
              Balance
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, createdAt, kind, reason, amount, balanceAfter }) => (
            <tr key={id}>
              <td>
                <Day at={createdAt} />
              </td>
              <td>
                {reason} <span class="meta">{kind}</span>
              </td>
              <td class={`num ${amount > 0 ? 'good' : ''}`}>{amount > 0 ? `+${amount}` : `−${-amount}`}</td>
              <td class="num">{thousands(balanceAfter)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
