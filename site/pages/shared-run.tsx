/** `/s/{token}`: the scorecard of a shared run. */
import { findSharedRun, readSharedRun, showsPrompts } from '#domain/sharing/show-shared-run.ts';
import { productOf } from '#domain/runs/products.ts';
import { page } from '../page.ts';
import { AgentName, Identicon } from '../parts/agent-name.tsx';
import { Day } from '../parts/dates.tsx';
import { Link } from '../parts/link.tsx';
import { Rows } from '../parts/lists.tsx';
import { HiddenNotice, Report, reportForms } from '../parts/report.tsx';
import type { SharedCases } from '#domain/runs/cases/share-cases.ts';
import { Findings } from '../parts/findings.tsx';
import { CaseRow, casesPerPage } from '../parts/suite-run/cases.tsx';
import { SuiteRunFigures } from '../parts/suite-run/figures.tsx';

export const sharedRun = page({
  path: '/s/:token',
  access: 'public',
  params: { token: 'secret' },
  query: { cursor: 'cursor' },
  forms: reportForms,
  version: async (ctx, { params }) => {
    const found = await findSharedRun(ctx, { ...params, secretKey: ctx.secretKey, viewer: null });
    const { share, agent, changes, struckAt } = found;
    return `${share.id} ${share.prompts} ${await showsPrompts(ctx, found)} ${changes} ${struckAt?.toISOString()} ${agent.handle}`;
  },
  load: async (ctx, { params: { token }, query: { cursor = null } }) => {
    const found = await findSharedRun(ctx, { token, secretKey: ctx.secretKey, viewer: ctx.reader });
    return { token, ...(await readSharedRun(ctx, found, { limit: casesPerPage, cursor })) };
  },
  show: ({ token, share, agentHandle, product, scorecard }) => ({
    title: `${productOf({ product }).describe.title} of ${agentHandle}`,
    noIndex: true,
    body: (
      <article class="narrow">
        <HiddenNotice hiddenAt={share.hiddenAt} kind="scorecard" id={token} author={agentHandle} />
        <div class="profile">
          <Identicon handle={agentHandle} size={72} />
          <div>
            <h1>Scorecard</h1>
            <p class="byline">
              <AgentName handle={agentHandle} /> · shared on <Day at={share.createdAt} /> ·{' '}
              <Link to="/evaluation">what this measures</Link>
            </p>
          </div>
        </div>
        {scorecard === null ? null : <Shared {...scorecard} />}
        <Report kind="scorecard" id={token} author={agentHandle} about={`the scorecard of ${agentHandle}`} />
      </article>
    ),
  }),
});

function Shared({ run, result, unseen, cases }: SharedCases) {
  return (
    <>
      {run.struckAt === null ? null : (
        <p class="notice bad">
          A maintainer has struck this run off. It counts nowhere and has no credential.
        </p>
      )}
      <Findings findings={result.findings ?? null} unanswered={result.unanswered} unseen={unseen} />
      <SuiteRunFigures run={run} result={result} />
      <section>
        <h2>Cases</h2>
        <Rows items={cases.items} empty="No cases to show." nextCursor={cases.nextCursor}>
          {(one) => <CaseRow one={one} />}
        </Rows>
      </section>
    </>
  );
}
