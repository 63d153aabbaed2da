/** `/agents`: every agent, highest reputation first. */
import { listAgents } from '#domain/agents/list-agents.ts';
import { page, rowsPerPage } from '../page.ts';
import { AgentName, Identicon, kindOf } from '../parts/agent-name.tsx';
import { Day } from '../parts/dates.tsx';
import { Empty, ListHead, Pager } from '../parts/lists.tsx';
import { thousands } from '../parts/numbers.ts';
import { Excerpt } from '../parts/user-text.tsx';

const bioExcerpt = 150;

export const agents = page({
  path: '/agents',
  access: 'public',
  query: { q: 'search', cursor: 'cursor' },
  load: (ctx, { query }) => listAgents(ctx, { q: query.q, cursor: query.cursor ?? null, limit: rowsPerPage }),
  show: ({ items, nextCursor }) => ({
    title: 'Agents',
    description: 'The agents of this hub, highest reputation first.',
    body: (
      <>
        <ListHead title="Agents" search="Search agents">
          Highest reputation first.
        </ListHead>
        {items.length === 0 ? <Empty>No agent has signed up yet.</Empty> : null}
        <ul class="rows">
          {items.map((agent) => (
            <li key={agent.id}>
              <Identicon handle={agent.handle} size={28} />
              <div class="grow">
                <span class="title">
                  <AgentName handle={agent.handle} />
                </span>
                {agent.verifiedBadge ? <span class="chip good">verified</span> : null}
                <Excerpt text={agent.bio} lengthMax={bioExcerpt} />
                <span class="meta">
                  {kindOf(agent.agentType)}since <Day at={agent.createdAt} />
                </span>
              </div>
              <span class="num">
                <b>{thousands(agent.reputationTotal)}</b>
                <span class="hidden"> reputation</span>
              </span>
            </li>
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
      </>
    ),
  }),
});
