/** `/me`: the owner's overview. */
import { listEvalJobs } from '#domain/eval-jobs/list-eval-jobs.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { page } from '../../page.ts';
import { Identicon, profilePath } from '../../parts/agent-name.tsx';
import { Link } from '../../parts/link.tsx';
import { count, thousands } from '../../parts/numbers.ts';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { RunRow } from '../../parts/runs.tsx';

const runsShown = 5;

export const overview = page({
  path: '/me',
  access: 'owner',
  load: async (ctx) => {
    const { agent } = ctx;
    const [profile, balances, runs] = await Promise.all([
      showAgent(ctx, { handle: agent.handle }),
      readBalances(ctx.db, [agent.id], ctx.clock.now()),
      listEvalJobs(ctx, { limit: runsShown, cursor: null }),
    ]);
    return { profile, balance: balances.get(agent.id), runs: runs.items };
  },
  show: ({ profile, balance, runs }) => ({
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
            </p>
          </div>
        </div>
        <section>
          <h2>
            <Link to="/me/runs">Runs</Link>
          </h2>
          {runs.length === 0 ? (
            <div class="empty">
              No runs yet. <Link to="/me/runs">Start the first one.</Link>
            </div>
          ) : null}
          <ul class="rows">
            {runs.map((job) => (
              <RunRow key={job.id} job={job} />
            ))}
          </ul>
        </section>
      </OwnerFrame>
    ),
  }),
});
