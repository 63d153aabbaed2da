/** `/me/suite-runs/{id}`: one run of a suite, with its progress, then its figures and cases; and the comparison of two. */
import { pointsText } from '#evals/rates.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { compareCaseByCase } from '#domain/runs/compare-runs.ts';
import { findEarlierRun } from '#domain/runs/find-run.ts';
import { listSuiteCases } from '#domain/runs/products/suite-run/list-cases.ts';
import { mayRead } from '#domain/runs/products/suite-run/show-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { page } from '../../page.ts';
import { dayOf } from '../../parts/dates.tsx';
import { Link } from '../../parts/link.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { RunProgress } from '../../parts/run-progress.tsx';
import { RunFacts } from '../../parts/runs.tsx';
import { caseQuery, casesPerPage, filterOf, SuiteCases } from '../../parts/suite-run/cases.tsx';
import { SuiteComparison } from '../../parts/suite-run/comparison.tsx';
import { SuiteRunFigures } from '../../parts/suite-run/figures.tsx';

export const suiteRun = page({
  path: '/me/suite-runs/:id',
  access: 'owner',
  params: { id: 'id' },
  query: caseQuery,
  forms: { 'cancel-run': { call: 'POST /v1/runs/:id/cancel', done: 'The run is cancelled.' } },
  load: async (ctx, { params, query }) => {
    const { run, result } = await showOwnRun(ctx, { runId: params.id, product: 'suite-run' });
    if (result === null) return { run, result };
    const cases = await listSuiteCases(ctx, {
      run,
      result,
      isOpen: await mayRead(ctx, run),
      filter: filterOf(query),
      limit: casesPerPage,
      cursor: query.cursor ?? null,
    });
    return { run, result, cases, earlier: await findEarlierRun(ctx, run) };
  },
  show: (shown) => ({
    title: `Suite run of ${dayOf(shown.run.createdAt)}`,
    body: (
      <OwnerFrame>
        <p class="back">
          <Link to="/me/suite-runs">← Suite runs</Link>
        </p>
        <h1>
          <Link to={`/suites/${shown.run.suiteName}`}>{shown.run.suiteName}</Link> on{' '}
          {dayOf(shown.run.createdAt)}
        </h1>
        {shown.result === null ? (
          <RunProgress job={shown.run} />
        ) : (
          <>
            {shown.run.cancelled ? (
              <p class="notice">You cancelled this run. Cases without an answer scored 0.</p>
            ) : null}
            <SuiteRunFigures run={shown.run} result={shown.result} />
            <Earlier run={shown.run} earlier={shown.earlier} />
            <SuiteCases page={shown.cases} />
          </>
        )}
        <section>
          <h2>Run</h2>
          <RunFacts job={shown.run} />
        </section>
      </OwnerFrame>
    ),
  }),
});

function Earlier({ run, earlier }: { readonly run: RunRow; readonly earlier: RunRow | null }) {
  if (earlier === null) return null;
  return (
    <p>
      <Link to={`/me/suite-runs/${earlier.id}/compare/${run.id}`}>
        Compare with the run of {dayOf(earlier.createdAt)}
      </Link>
      , which scored {pointsText(earlier.score ?? 0)}.
    </p>
  );
}

export const compareSuiteRunsPage = page({
  path: '/me/suite-runs/:id/compare/:other',
  access: 'owner',
  params: { id: 'id', other: 'id' },
  load: (ctx, { params }) =>
    compareCaseByCase(ctx, { product: 'suite-run', runId: params.id, otherRunId: params.other }),
  show: (compared) => ({
    title: 'Comparison of suite runs',
    body: (
      <OwnerFrame>
        <p class="back">
          <Link to={`/me/suite-runs/${compared.after.id}`}>← The run</Link>
        </p>
        <SuiteComparison compared={compared} />
      </OwnerFrame>
    ),
  }),
});
