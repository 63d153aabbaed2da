/** `/me/runs/{id}`: one run, with its progress while it runs, then its scorecard. */
import { showEvalRun } from '#domain/runs/products/eval-run/show-eval-run.ts';
import { page } from '../../page.ts';
import { dayOf } from '../../parts/dates.tsx';
import { Link } from '../../parts/link.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { RunProgress } from '../../parts/run-progress.tsx';
import { RunFacts } from '../../parts/runs.tsx';
import { itemQuery } from '../../parts/scorecard/item-filters.tsx';
import { Scorecard } from '../../parts/scorecard/scorecard.tsx';
import { findShareUrl, Sharing, sharingForms } from '../../parts/sharing.tsx';

export const run = page({
  path: '/me/runs/:id',
  access: 'owner',
  params: { id: 'id' },
  query: itemQuery,
  forms: {
    ...sharingForms('/v1/eval-jobs/:id'),
    'cancel-run': { call: 'POST /v1/eval-jobs/:id/cancel', done: 'The run is cancelled.' },
  },
  load: async (ctx, { params }) => {
    const detail = await showEvalRun(ctx, {
      runId: params.id,
      include: { scorecard: true, cases: true },
    });
    return { ...detail, url: await findShareUrl(ctx, detail.run.id) };
  },
  show: ({ run, scorecard, url }) => ({
    title: `Run of ${dayOf(run.createdAt)}`,
    body: (
      <OwnerFrame>
        <p class="back">
          <Link to="/me/runs">← Runs</Link>
        </p>
        <h1>Eval run of {dayOf(run.createdAt)}</h1>
        {scorecard === null ? (
          <>
            <RunProgress job={run} />
            <section>
              <h2>Run</h2>
              <RunFacts job={run} />
            </section>
          </>
        ) : (
          <>
            {run.cancelled ? (
              <p class="notice">You cancelled this run. Cases without an answer scored 0.</p>
            ) : null}
            <Scorecard model={scorecard.model} withTexts isPublic={false} guide="/evaluation/guide">
              <Sharing url={url} />
            </Scorecard>
          </>
        )}
      </OwnerFrame>
    ),
  }),
});
