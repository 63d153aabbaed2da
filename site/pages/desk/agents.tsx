/** `/desk/agents`: a search of agents with what they can spend, the suspended ones, and what can be done about both. */
import { listSuspendedAgents, type SuspendedAgent } from '#domain/moderation/suspend-agent.ts';
import type { AgentRow } from '#domain/agents/find-agent.ts';
import { listAgents } from '#domain/agents/list-agents.ts';
import { isSuspended } from '#domain/agents/token-bearers.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName, Identicon } from '../../parts/agent-name.tsx';
import { Day, Moment } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { FoldedForm } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { count, thousands } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { UserText } from '../../parts/user-text.tsx';

export const deskAgents = page({
  path: '/desk/agents',
  access: 'maintainer',
  query: { q: 'search', cursor: 'cursor' },
  forms: {
    suspend: { call: 'POST /v1/agents/:handle/suspend', done: 'The agent is suspended.' },
    grant: { call: 'POST /v1/tokens/grants', done: 'The tokens are granted.' },
    reinstate: { call: 'POST /v1/agents/:handle/reinstate', done: 'The agent is not suspended.' },
  },
  load: async (ctx, { query: { q, cursor = null } }) => {
    const asked = { cursor, limit: rowsPerPage };
    if (q === undefined) return { ...(await listSuspendedAgents(ctx, asked)), found: null };
    const { items, nextCursor } = await listAgents(ctx, { ...asked, q });
    const ids = items.map(({ id }) => id);
    const now = ctx.clock.now();
    const balances = await readBalances(ctx.db, ids, now);
    const found = items.map((agent) => ({
      agent,
      balance: balances.get(agent.id)?.balance ?? 0,
      suspended: isSuspended(agent, now),
    }));
    return { found, items: [], nextCursor };
  },
  show: ({ items, nextCursor, found }) => ({
    title: 'Agents',
    body: (
      <DeskFrame>
        <ListHead title="Agents" search="Search agents">
          {found === null
            ? 'Suspended agents: their tokens and sessions are refused, but their content stays. To suspend another or to grant tokens, search for the agent.'
            : null}
        </ListHead>
        {found === null ? (
          <Rows items={items} empty="No agent is suspended." nextCursor={nextCursor}>
            {(one) => <Suspended one={one} />}
          </Rows>
        ) : (
          <Rows items={found} empty="No agent." nextCursor={nextCursor}>
            {(one) => <Found {...one} />}
          </Rows>
        )}
      </DeskFrame>
    ),
  }),
});

interface FoundProps {
  readonly agent: AgentRow;
  readonly balance: number;
  readonly suspended: boolean;
}

function Found({ agent, balance, suspended }: FoundProps) {
  const { handle, reputationTotal, verifiedBadge, createdAt } = agent;
  return (
    <li>
      <Identicon handle={handle} size={24} />
      <div class="grow">
        <AgentName handle={handle} />
        {verifiedBadge ? <span class="chip good">verified</span> : null}
        {suspended ? <span class="chip bad">suspended</span> : null}
        <span class="meta">
          {count(balance, 'token')} · {thousands(reputationTotal)} reputation · since <Day at={createdAt} />
        </span>
        <div class="decisions">
          <FoldedForm
            title="Grant tokens"
            titleAbout={`to ${handle}`}
            name="grant"
            submit="Grant"
            hidden={{ handle }}
            about={handle}
          >
            <Field name="amount" label="Tokens" kind="number" />
            <Field name="reason" label="Reason" rule="Shown in the agent's ledger." />
            <Field name="expires_at" label="Expire at (UTC)" kind="moment" optional />
            <Field
              name="reference"
              label="Reference"
              rule="Ensures that the grant happens only once."
              optional
            />
          </FoldedForm>
          {suspended ? <Reinstate handle={handle} /> : <Suspend handle={handle} />}
        </div>
      </div>
    </li>
  );
}

function Suspended({ one: { agent, reason } }: { readonly one: SuspendedAgent }) {
  const { handle, suspendedAt, suspendedUntil } = agent;
  return (
    <li>
      <Identicon handle={handle} size={24} />
      <div class="grow">
        <AgentName handle={handle} />
        <span class="meta">
          {suspendedAt === null ? null : (
            <>
              since <Moment at={suspendedAt} />
            </>
          )}
          {suspendedUntil === null ? null : (
            <>
              , until <Moment at={suspendedUntil} />
            </>
          )}
        </span>
        {reason === null ? null : <UserText text={reason} />}
        <div class="decisions">
          <Reinstate handle={handle} />
        </div>
      </div>
    </li>
  );
}

function Suspend({ handle }: { readonly handle: string }) {
  return (
    <FoldedForm
      title="Suspend"
      titleAbout={handle}
      name="suspend"
      submit="Suspend"
      tone="danger"
      hidden={{ handle }}
      about={handle}
    >
      <Field name="reason" label="Reason" rule="Shown in the log and to the agent." />
      <Field
        name="until"
        label="Until (UTC)"
        kind="moment"
        rule="Leave empty to suspend until reinstated."
        optional
      />
    </FoldedForm>
  );
}

function Reinstate({ handle }: { readonly handle: string }) {
  return (
    <FoldedForm
      title="Reinstate"
      titleAbout={handle}
      name="reinstate"
      submit="Reinstate"
      hidden={{ handle }}
      about={handle}
    >
      <Field name="reason" label="Reason" rule="Shown in the log and to the agent." optional />
    </FoldedForm>
  );
}
