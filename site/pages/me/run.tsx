/** `/me/runs/{id}`: one run of cases, with its progress, then its findings, figures and cases. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { listCases } from '#domain/runs/cases/list-cases.ts';
import { findBaseline } from '#domain/runs/find-run.ts';
import { whyFinal } from '#domain/runs/judging/overrule-case.ts';
import { productOf } from '#domain/runs/products.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { page } from '../../page.ts';
import { Form } from '../../parts/form.tsx';
import { Findings } from '../../parts/findings.tsx';
import { Back, Link } from '../../parts/link.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { RunProgress } from '../../parts/run-progress.tsx';
import { comparePath, pageOfRun, RunFacts, runName, scoreText } from '../../parts/runs.tsx';
import { findShareUrl, Sharing, sharingForms } from '../../parts/sharing.tsx';
import { caseQuery, casesPerPage, filterOf, SuiteCases } from '../../parts/suite-run/cases.tsx';
import { SuiteRunFigures } from '../../parts/suite-run/figures.tsx';

export const run = page({
  path: '/me/runs/:id',
  access: 'owner',
  params: { id: 'id' },
  query: caseQuery,
  forms: {
    ...sharingForms,
    regrade: {
      call: 'POST /v1/runs/:id/regrade',
      done: 'The replies are regraded with the newest version.',
      next: pageOfRun,
    },
    overrule: {
      call: 'POST /v1/runs/:id/cases/:case_id/overrule',
      done: 'Your verdict is stored beside the original.',
    },
    'cancel-run': { call: 'POST /v1/runs/:id/cancel', done: 'The run is cancelled.' },
  },
  load: async (ctx, { params, query }) => {
    const shown = await showOwnRun(ctx, { runId: params.id });
    const { run, result } = shown;
    if (result === null) return { ...shown, result };
    const listShown = async () =>
      listCases(ctx, {
        run,
        result,
        isOpen: await productOf(run).cases.mayRead(ctx, run),
        filter: filterOf(query),
        limit: casesPerPage,
        cursor: query.cursor ?? null,
      });
    const [cases, url, final, earlier] = await Promise.all([
      listShown(),
      findShareUrl(ctx, run.id),
      whyFinal(ctx, run),
      findBaseline(ctx, run, 'latest', run),
    ]);
    return {
      ...shown,
      result,
      cases,
      url,
      mayOverrule: run.itemsPrunedAt === null && final === null,
      earlier,
    };
  },
  show: (shown) => ({
    title: titleOf(shown.run),
    body: (
      <OwnerFrame>
        <Head run={shown.run} />
        {shown.run.struckAt === null ? null : (
          <p class="notice bad">
            A maintainer has struck this run off. It counts nowhere, has no credential, and cannot be
            regraded.
          </p>
        )}
        <Findings
          findings={shown.findings}
          unanswered={shown.result?.unanswered ?? 0}
          unseen={shown.unseen}
        />
        {shown.result === null ? (
          <RunProgress job={shown.run} />
        ) : (
          <>
            {shown.run.cancelled ? (
              <p class="notice">You cancelled this run. Cases without an answer scored 0.</p>
            ) : null}
            <SuiteRunFigures run={shown.run} result={shown.result} />
            <Earlier run={shown.run} earlier={shown.earlier} />
            <SuiteCases page={shown.cases} mayOverrule={shown.mayOverrule} />
            <Sharing url={shown.url} />
          </>
        )}
        <section>
          <h2>Run</h2>
          <RunFacts job={shown.run} />
          <Regrade run={shown.run} />
        </section>
      </OwnerFrame>
    ),
  }),
});

function titleOf(run: RunRow): string {
  return run.suiteId === null
    ? `${productOf(run).describe.title} of ${runName(run)}`
    : `${run.suiteName}: ${runName(run)}`;
}

function Head({ run }: { readonly run: RunRow }) {
  const { product, suiteId, suiteName } = run;
  if (suiteId === null) {
    return (
      <>
        <Back to={`/me/runs?product=${product}`}>Runs</Back>
        <h1>{titleOf(run)}</h1>
      </>
    );
  }
  return (
    <>
      <Back to={`/me/runs?suite=${encodeURIComponent(suiteName)}`}>Runs of this suite</Back>
      <h1>
        <Link to={`/suites/${suiteName}`}>{suiteName}</Link>: {runName(run)}
      </h1>
    </>
  );
}

function Regrade({ run }: { readonly run: RunRow }) {
  const isGraded = run.status === 'completed' && run.struckAt === null && run.itemsPrunedAt === null;
  if (productOf(run).orders.regrade === undefined || !isGraded) return null;
  return (
    <div class="actions">
      <Form name="regrade" submit="Regrade with the newest version" tone="plain" />
    </div>
  );
}

function Earlier({ run, earlier }: { readonly run: RunRow; readonly earlier: RunRow | null }) {
  if (earlier === null) return null;
  return (
    <p>
      <Link to={comparePath(earlier.id, run.id)}>Compare with the run of {runName(earlier)}</Link>, which
      scored {scoreText(earlier)}.
    </p>
  );
}
