/** `/me/runs/{id}`: one run, with its progress while it runs, then its scorecard. */
import { showEvalJob } from '#domain/eval-jobs/show-eval-job.ts';
import { isScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import type { ShownCase } from '#evals/suite/scorecard/shown-case.ts';
import type { ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { page } from '../../page.ts';
import { caseQuery, Cases } from '../../parts/cases.tsx';
import { dayOf } from '../../parts/dates.tsx';
import { FirstFixes, Kinds, Ladder, Norms } from '../../parts/ladder.tsx';
import { Link } from '../../parts/link.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { RunProgress } from '../../parts/run-progress.tsx';
import { RunFacts, ScoreFigure } from '../../parts/runs.tsx';
import { findShareUrl, Sharing, sharingForms } from '../../parts/sharing.tsx';

export const run = page({
  path: '/me/runs/:id',
  access: 'owner',
  params: { id: 'id' },
  query: caseQuery,
  forms: {
    ...sharingForms('/v1/eval-jobs/:id'),
    'cancel-run': { call: 'POST /v1/eval-jobs/:id/cancel', done: 'The run is cancelled.' },
  },
  load: async (ctx, { params }) => {
    const detail = await showEvalJob(ctx, {
      runId: params.id,
      include: { scorecard: true, cases: true },
    });
    return { ...detail, url: await findShareUrl(ctx, detail.job.id) };
  },
  show: ({ job, scorecard, cases, url }) => {
    const card = scorecard !== null && isScoreJson(scorecard.scoreJson) ? scorecard.scoreJson : null;
    return {
      title: `Run of ${dayOf(job.createdAt)}`,
      body: (
        <OwnerFrame>
          <p class="back">
            <Link to="/me/runs">← Runs</Link>
          </p>
          <h1>Eval run of {dayOf(job.createdAt)}</h1>
          {job.cancelled && card !== null ? (
            <p class="notice">You cancelled this run. Cases without an answer scored 0.</p>
          ) : null}
          {card === null ? <RunProgress job={job} /> : <ScoreFigure card={card} at={job.finishedAt} />}
          {card === null ? null : <Parts card={card} cases={cases} />}
          <section>
            <h2>Run</h2>
            <RunFacts job={job} withTarget />
          </section>
          {scorecard === null ? null : <Sharing url={url} />}
          {scorecard === null ? null : <Cases cases={cases} withTexts />}
        </OwnerFrame>
      ),
    };
  },
});

function Parts({ card, cases }: { readonly card: ScoreJson; readonly cases: readonly ShownCase[] }) {
  return (
    <>
      <Ladder card={card} />
      <FirstFixes card={card} cases={cases} />
      <Kinds card={card} />
      <Norms card={card} />
    </>
  );
}
