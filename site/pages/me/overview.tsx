/** `/me`: the owner's overview. */
import { listRuns } from '#domain/runs/find-run.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { listSuites } from '#domain/suites/list-suites.ts';
import { countOwnUnread } from '#domain/notifications/list-notifications.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { page } from '../../page.ts';
import { Identicon, profilePath } from '../../parts/agent-name.tsx';
import { Link } from '../../parts/link.tsx';
import { Rows } from '../../parts/lists.tsx';
import { count, thousands } from '../../parts/numbers.ts';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { RunItem } from '../../parts/runs.tsx';
import { SuiteRow } from '../suites.tsx';

const runsShown = 5;

export const overview = page({
  path: '/me',
  access: 'owner',
  load: async (ctx) => {
    const { agent } = ctx;
    const newest = { limit: runsShown, cursor: null };
    const own = { owner: agent.handle, tag: null, viewer: agent, ...newest };
    const [profile, balances, runs, unread, suites] = await Promise.all([
      showAgent(ctx, { handle: agent.handle }),
      readBalances(ctx.db, [agent.id], ctx.clock.now()),
      listRuns(ctx, newest),
      countOwnUnread(ctx),
      listSuites(ctx, own),
    ]);
    const balance = balances.get(agent.id);
    return { profile, balance, runs: runs.items, suites: suites.items, unread, now: ctx.clock.now() };
  },
  show: ({ profile, balance, runs, suites, unread, now }) => ({
    title: profile.handle,
    body: (
      <OwnerFrame>
        <div class="profile">
          <Identicon handle={profile.handle} size={72} />
          <div>
            <h1>{profile.handle}</h1>
            <p class="byline">
              <Link to={profilePath(profile.handle)}>public profile</Link> ·{' '}
              {thousands(profile.reputationTotal)} reputation ·{' '}
              <Link to="/me/tokens">{count(balance?.balance ?? 0, 'token')}</Link>
              {balance?.freeEvalAvailable === true ? ' · first run free' : ''}
              {unread === 0 ? null : (
                <>
                  {' · '}
                  <Link to="/me/notifications">{count(unread, 'unread notification')}</Link>
                </>
              )}
            </p>
          </div>
        </div>
        <section>
          <h2>
            <Link to="/me/runs">Runs</Link>
          </h2>
          <Rows
            items={runs}
            empty={
              <>
                No runs yet. <Link to="/me/runs">Start the first one.</Link>
              </>
            }
          >
            {(run) => <RunItem run={run} now={now} />}
          </Rows>
        </section>
        {suites.length === 0 ? null : (
          <section>
            <h2>
              <Link to={`/suites?owner=${profile.handle}`}>Suites</Link>
            </h2>
            <ul class="rows">
              {suites.map((suite) => (
                <SuiteRow key={suite.id} suite={suite} />
              ))}
            </ul>
          </section>
        )}
      </OwnerFrame>
    ),
  }),
});
