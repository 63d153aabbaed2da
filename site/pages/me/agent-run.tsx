/** `/me/agent-runs/{id}`: one agent run: how to work on it, then its scorecard with every task and call. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { showAgentRun } from '#domain/runs/products/agent-run/show-agent-run.ts';
import { page } from '../../page.ts';
import { Scorecard } from '../../parts/scorecard/scorecard.tsx';
import { ShareBar } from '../../parts/charts.tsx';
import { dayOf, Moment } from '../../parts/dates.tsx';
import { Link } from '../../parts/link.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { CancelRun } from '../../parts/run-progress.tsx';
import { RunState } from '../../parts/runs.tsx';
import { findShareUrl, Sharing, sharingForms } from '../../parts/sharing.tsx';

export const agentRun = page({
  path: '/me/agent-runs/:id',
  access: 'owner',
  params: { id: 'id' },
  forms: {
    ...sharingForms,
    'cancel-run': { call: 'POST /v1/runs/:id/cancel', done: 'The run is cancelled.' },
  },
  load: async (ctx, { params }) => {
    const { run, scorecard } = await showAgentRun(ctx, { runId: params.id });
    return { run, scorecard, url: await findShareUrl(ctx, run.id), baseUrl: ctx.rules.baseUrl };
  },
  show: ({ run, scorecard, url, baseUrl }) => ({
    title: `Agent run of ${dayOf(run.createdAt)}`,
    body: (
      <OwnerFrame>
        <p class="back">
          <Link to="/me/agent-runs">← Agent runs</Link>
        </p>
        <h1>Agent run of {dayOf(run.createdAt)}</h1>
        {scorecard === null ? (
          <Progress run={run} baseUrl={baseUrl} />
        ) : (
          <>
            {run.cancelled ? (
              <p class="notice">You cancelled this run. Tasks that had not ended scored 0.</p>
            ) : null}
            <Scorecard model={scorecard} withTexts isPublic={false} guide="/evaluation/guide#agent-runs">
              <Sharing url={url} />
            </Scorecard>
          </>
        )}
      </OwnerFrame>
    ),
  }),
});

function Progress({ run, baseUrl }: { readonly run: RunRow; readonly baseUrl: string }) {
  const { status, progressDone, progressTotal, failureMessage, failureCode, dueAt } = run;
  if (status === 'failed') {
    return (
      <section>
        <p>
          <RunState job={run} />
        </p>
        <div class="notice bad">
          <p>{failureMessage ?? failureCode}</p>
        </div>
      </section>
    );
  }
  return (
    <section>
      <p>
        <RunState job={run} />
      </p>
      <ShareBar
        percent={(progressDone / progressTotal) * 100}
        label={`${progressDone} of ${progressTotal} tasks done`}
      />
      <p class="soft small spaced-small">
        {progressDone} of {progressTotal} tasks done.
        {dueAt === null ? null : (
          <>
            {' '}
            It ends by itself on <Moment at={dueAt} />.
          </>
        )}
      </p>
      <CancelRun status={status} items="tasks" />
      <p class="label">Where your agent fetches its tasks</p>
      <code class="command" tabIndex={0}>
        curl -H "Authorization: Bearer $HUB_TOKEN" {baseUrl}/v1/agent-runs/{run.id}/tasks/next
      </code>
    </section>
  );
}
