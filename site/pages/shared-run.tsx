/** `/s/{token}`: the scorecard of a shared run. */
import { isScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { findSharedRun, readSharedRun, type SharedDetail } from '#domain/sharing/show-shared-run.ts';
import { page } from '../page.ts';
import { AgentName, Identicon } from '../parts/agent-name.tsx';
import { AgentRunCard } from '../parts/agent-run-card.tsx';
import { caseQuery, Cases } from '../parts/cases.tsx';
import { Day } from '../parts/dates.tsx';
import { HiddenNotice, Report, reportForm, restoreForm } from '../parts/report.tsx';
import { Kinds, Ladder } from '../parts/ladder.tsx';
import { Link } from '../parts/link.tsx';
import { RunFacts, ScoreFigure } from '../parts/runs.tsx';

export const sharedRun = page({
  path: '/s/:token',
  access: 'public',
  params: { token: 'secret' },
  query: caseQuery,
  forms: { report: reportForm, restore: restoreForm },
  version: async (ctx, { params }) => {
    const { share, agent } = await findSharedRun(ctx, { ...params, secretKey: ctx.secretKey, viewer: null });
    return `${share.id} ${agent.handle}`;
  },
  load: async (ctx, { params: { token } }) => {
    const found = await findSharedRun(ctx, { token, secretKey: ctx.secretKey, viewer: ctx.reader });
    return { token, ...(await readSharedRun(ctx, found)) };
  },
  show: ({ token, share, agentHandle, detail }) => ({
    title: `${detail.kind === 'eval-job' ? detail.job.product : 'agent-run'} of ${agentHandle}`,
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
        {detail.kind === 'eval-job' ? (
          <EvalRun detail={detail} withTexts={share.prompts} />
        ) : (
          <OfficeRun detail={detail} withTexts={share.prompts} />
        )}
        <Report kind="scorecard" id={token} author={agentHandle} about={`the scorecard of ${agentHandle}`} />
      </article>
    ),
  }),
});

interface DetailProps<Kind extends SharedDetail['kind']> {
  readonly detail: SharedDetail & { readonly kind: Kind };
  readonly withTexts: boolean;
}

function EvalRun({ detail: { job, scoreJson, cases }, withTexts }: DetailProps<'eval-job'>) {
  if (scoreJson === null || !isScoreJson(scoreJson)) return null;
  return (
    <>
      <ScoreFigure card={scoreJson} at={job.finishedAt} />
      <Ladder card={scoreJson} />
      <Kinds card={scoreJson} />
      <section>
        <h2>Run</h2>
        <RunFacts job={job} withTarget={false} />
      </section>
      <Cases cases={cases} withTexts={withTexts} />
    </>
  );
}

function OfficeRun({ detail: { run, card }, withTexts }: DetailProps<'agent-run'>) {
  return card === null ? null : <AgentRunCard run={run} card={card} withCalls={withTexts} />;
}
