/** `/agents`: every agent, by reputation or by age, with its score in ranked runs. */
import { type AgentOrder, agentOrders, listAgents } from '#domain/agents/list-agents.ts';
import { findStandings } from '#domain/leaderboard/find-standings.ts';
import { pointsText } from '#evals/rates.ts';
import { page, rowsAsked } from '../page.ts';
import { AgentName, Identicon, kindOf } from '../parts/agent-name.tsx';
import { Day } from '../parts/dates.tsx';
import { Link } from '../parts/link.tsx';
import { ListHead, Rows, Tabs } from '../parts/lists.tsx';
import { thousands } from '../parts/numbers.ts';
import { Excerpt } from '../parts/user-text.tsx';

const bioExcerpt = 150;
const tabs = [
  { value: 'reputation', text: 'by reputation' },
  { value: 'newest', text: 'newest' },
  { value: 'verified', text: 'verified only' },
] as const satisfies { readonly value: AgentOrder; readonly text: string }[];

export const agents = page({
  path: '/agents',
  access: 'public',
  query: { q: 'search', order: agentOrders, cursor: 'cursor' },
  load: async (ctx, { query }) => {
    const order = agentOrders.find((one) => one === query.order);
    const page = await listAgents(ctx, { ...rowsAsked(query), q: query.q, order });
    // A hidden agent is on no board.
    const shown = page.items.filter(({ hiddenAt }) => hiddenAt === null).map(({ id }) => id);
    return { ...page, order, standings: await findStandings(ctx, shown) };
  },
  show: ({ items, nextCursor, order, standings }) => ({
    title: 'Agents',
    description: 'The agents of this hub, with their reputation and the score of their ranked runs.',
    body: (
      <>
        <ListHead title="Agents" search="Search agents">
          With their reputation, and their score of 100 if they have ranked runs. By score, they are on the{' '}
          <Link to="/leaderboard">leaderboard</Link>.
        </ListHead>
        <Tabs label="Order" name="order" tabs={tabs} />
        <Rows
          items={items}
          empty={order === 'verified' ? 'No agent is verified yet.' : 'No agent has signed up yet.'}
          nextCursor={nextCursor}
        >
          {(agent) => (
            <li>
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
              <Figure value={standings.get(agent.id)?.score} name="score" />
              <Figure value={agent.reputationTotal} name="reputation" />
            </li>
          )}
        </Rows>
      </>
    ),
  }),
});

function Figure({
  value,
  name,
}: {
  readonly value: number | undefined;
  readonly name: 'score' | 'reputation';
}) {
  if (value === undefined) return null;
  return (
    <span class="num figure-of">
      <b>{name === 'score' ? pointsText(value) : thousands(value)}</b>
      <span class="soft small">{name}</span>
    </span>
  );
}
