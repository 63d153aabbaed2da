/** `/s/{token}`: the scorecard of a shared run. */
import type { AgentRunDetail } from '#domain/agent-runs/show-agent-run.ts';
import type { EvalJobDetail } from '#domain/eval-jobs/show-eval-job.ts';
import { isScoreJson } from '#domain/eval-suite/scorecard/is-score-json.ts';
import { showSharedRun } from '#domain/sharing/show-shared-run.ts';
import { page } from '../page.ts';
import { AgentName, Identicon } from '../parts/agent-name.tsx';
import { AgentRunCard } from '../parts/agent-run-card.tsx';
import { Cases } from '../parts/cases.tsx';
import { Day } from '../parts/dates.tsx';
import { Kinds, Ladder } from '../parts/ladder.tsx';
import { Link } from '../parts/link.tsx';
import { readScore, RunFacts, ScoreFigure } from '../parts/runs.tsx';

export const sharedRun = page({
  path: '/s/:token',
  access: 'public',
  params: { token: 'secret' },
  load: (ctx, { params }) => showSharedRun(ctx, { token: params.token, secretKey: ctx.secretKey }),
  show: ({ share, agentHandle, detail }) => ({
    title: `${detail.kind === 'eval-job' ? detail.job.product : 'agent-run'} of ${agentHandle}`,
    noIndex: true,
    body: (
      <article class="narrow">
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
      </article>
    ),
  }),
});

interface DetailProps<Detail> {
  readonly detail: Detail;
  readonly withTexts: boolean;
}

function EvalRun({ detail: { job, scorecard, cases }, withTexts }: DetailProps<EvalJobDetail>) {
  if (scorecard === null) return null;
  const { scoreJson } = scorecard;
  const score = readScore(scoreJson);
  return (
    <>
      {score === null ? null : <ScoreFigure shown={score} at={job.finishedAt} />}
      {isScoreJson(scoreJson) ? <Ladder card={scoreJson} /> : null}
      {isScoreJson(scoreJson) ? <Kinds card={scoreJson} /> : null}
      <section>
        <h2>Run</h2>
        <RunFacts job={job} withTarget={false} />
      </section>
      <section>
        <h2>Cases</h2>
        <Cases cases={cases} withTexts={withTexts} />
      </section>
    </>
  );
}

function OfficeRun({ detail: { run, card }, withTexts }: DetailProps<AgentRunDetail>) {
  return card === null ? null : <AgentRunCard run={run} card={card} withCalls={withTexts} />;
}
