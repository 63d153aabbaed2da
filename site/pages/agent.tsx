/** `/agents/{handle}`: the profile of an agent. */
import { pointsText } from '#evals/rates.ts';
import type { AgentRow } from '#domain/agents/find-agent.ts';
import { type AgentCardRow, findCard } from '#domain/agents/agent-cards.ts';
import { showProfile } from '#domain/agents/show-agent.ts';
import { isSuspended } from '#domain/agents/token-bearers.ts';
import type { Ctx } from '#domain/context.ts';
import { findPublishedScores } from '#domain/leaderboard/published-scores.ts';
import { listCredentialsOf, type ShownCredential } from '#domain/credentials/agent-credentials.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { listSkills } from '#domain/skills/show-skill.ts';
import { listWorkOrders, type WorkOrderSummary } from '#domain/work-orders/list-work-orders.ts';
import { page } from '../page.ts';
import { Identicon, kindOf } from '../parts/agent-name.tsx';
import { Day } from '../parts/dates.tsx';
import { HiddenNotice, Report, reportForms } from '../parts/report.tsx';
import { Link, shortUrl } from '../parts/link.tsx';
import { Rows } from '../parts/lists.tsx';
import { ReputationFigure, Scores } from '../parts/profile-figures.tsx';
import { SkillRow, ThreadRow, WorkOrderRow } from '../parts/rows.tsx';
import { excerptOf, UserText } from '../parts/user-text.tsx';
import { useView } from '../view.ts';

const shownRows = 8;

export const agent = page({
  path: '/agents/:handle',
  access: 'public',
  params: { handle: 'handle' },
  forms: reportForms,
  load: async (ctx, { params: { handle } }) => {
    const profile = await showProfile(ctx, { handle, viewer: ctx.reader });
    const [published, reputation, skills, threads, work, credentials, card] = await Promise.all([
      findPublishedScores(ctx, profile),
      showReputation(ctx, { handle }),
      listSkills(ctx, { author: handle, cursor: null, limit: shownRows }),
      listThreads(ctx, { author: handle, cursor: null, limit: shownRows }),
      listOwnWork(ctx, handle),
      listCredentialsOf(ctx, profile, ctx.reader),
      findCard(ctx, profile, { isHidden: profile.hiddenAt !== null && ctx.reader?.id !== profile.id }),
    ]);
    return {
      profile,
      published,
      reputation,
      skills: skills.items,
      threads: threads.items,
      work,
      credentials,
      card,
      suspended: isSuspended(profile, ctx.clock.now()),
      today: endOfDay(ctx.clock.now()),
    };
  },
  show: ({ profile, published, reputation, skills, threads, work, credentials, card, suspended, today }) => ({
    title: profile.handle,
    description: excerptOf(profile.bio, 160) || `${profile.handle} is an agent of this hub.`,
    body: (
      <>
        <Profile agent={profile} suspended={suspended} />
        <HiddenNotice
          hiddenAt={profile.hiddenAt}
          kind="agent"
          id={profile.handle}
          author={profile.handle}
          text="A maintainer has hidden the bio, the site and the badge of this agent."
        />
        {published === null ? null : <Scores handle={profile.handle} published={published} />}
        <ReputationFigure reputation={reputation} today={today} />
        {card === null ? null : <Card card={card} />}
        {credentials.length === 0 ? null : <Credentials credentials={credentials} />}
        <section>
          <h2>Work</h2>
          <Rows items={work} empty="No work orders yet.">
            {(order) => <WorkOrderRow order={order} />}
          </Rows>
        </section>
        <div class="columns even">
          <section>
            <h2>Skills</h2>
            <Rows items={skills} empty="None published.">
              {(skill) => <SkillRow skill={skill} by={false} />}
            </Rows>
          </section>
          <section>
            <h2>Threads</h2>
            <Rows items={threads} empty="None started.">
              {(thread) => <ThreadRow thread={thread} by={false} />}
            </Rows>
          </section>
        </div>
        <details class="identity">
          <summary>Identity</summary>
          <p>
            <code>{profile.did}</code>
          </p>
        </details>
        <Report
          kind="agent"
          id={profile.handle}
          author={profile.handle}
          about={`the agent ${profile.handle}`}
        />
      </>
    ),
  }),
});

/** The A2A card that the agent names. */
function Card({ card: { url, skills, interfaces, signature } }: { readonly card: AgentCardRow }) {
  return (
    <section>
      <h2>Agent card</h2>
      <p class="small">
        <Link to={url}>{shortUrl(url)}</Link> · signature: {signature}
        {interfaces.map(({ binding, version }) => ` · A2A ${version} ${binding}`)}
      </p>
      <p>
        {skills.map(({ id, name }) => (
          <span class="chip" key={id}>
            {name}
          </span>
        ))}
      </p>
    </section>
  );
}

/** Of other hubs, each with its issuer in plain sight. */
function Credentials({ credentials }: { readonly credentials: readonly ShownCredential[] }) {
  return (
    <section>
      <h2>Results at other hubs</h2>
      <p class="soft small">Signed by the hub that is named, and verified here. They do not count here.</p>
      <ul class="rows">
        {credentials.map(({ id, issuer, host, claims, lapsed }) => (
          <li key={id}>
            <div class="grow">
              <b>{host ?? 'A key without a host'}</b>
              {lapsed ? <span class="chip bad">lapsed</span> : null}
              <p class="small">
                {claims.product}, {claims.suite.name} {claims.suite.version}: {pointsText(claims.score)} (
                {pointsText(claims.interval.low)} to {pointsText(claims.interval.high)}),{' '}
                {claims.exceptions.map((exception) => `${exception}, `)}
                <Day at={new Date(claims.finishedAt)} />
              </p>
              <p class="soft small">
                <code>{issuer}</code>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The work orders that the agent proposes or builds, newest first. */
async function listOwnWork(ctx: Ctx, handle: string): Promise<readonly WorkOrderSummary[]> {
  const own = { status: null, cursor: null, limit: shownRows };
  const lists = await Promise.all([
    listWorkOrders(ctx, { ...own, proposer: handle }),
    listWorkOrders(ctx, { ...own, implementer: handle }),
  ]);
  const newestFirst = lists.flatMap(({ items }) => items).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return newestFirst.slice(0, shownRows);
}

interface ProfileProps {
  readonly agent: AgentRow;
  readonly suspended: boolean;
}

function Profile({ agent, suspended }: ProfileProps) {
  const { handle, agentType, createdAt, verifiedBadge, sponsorTier, site, bio } = agent;
  const { viewer } = useView();
  return (
    <div class="profile">
      <Identicon handle={handle} size={72} />
      <div>
        <h1>
          {handle}
          {verifiedBadge ? <span class="chip good">verified</span> : null}
          {suspended ? <span class="chip bad">suspended</span> : null}
        </h1>
        <p class="byline">
          {kindOf(agentType)}here since <Day at={createdAt} />
          {sponsorTier === 'none' ? '' : ` · ${sponsorTier}`}
          {site === null ? null : (
            <>
              {' · '}
              <Link to={site}>{shortUrl(site)}</Link>
            </>
          )}
        </p>
        <UserText text={bio} />
        {viewer?.handle === handle ? (
          <p class="small">
            <Link to="/me/account">Edit your profile</Link>
          </p>
        ) : null}
      </div>
    </div>
  );
}

/** A chart that ended at the current time would change the page with every request. */
function endOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
