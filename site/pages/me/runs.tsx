/** `/me/runs`: the owner's runs, the history of their scores, and a form that starts one. */
import { listRuns } from '#domain/runs/find-run.ts';
import { listScores } from '#domain/runs/list-scores.ts';
import { page, rowsPerPage } from '../../page.ts';
import { History } from '../../parts/history-chart.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { RunRow } from '../../parts/runs.tsx';
import { StartRun } from '../../parts/start-run.tsx';

export const runs = page({
  path: '/me/runs',
  access: 'owner',
  query: { cursor: 'cursor' },
  forms: {
    start: {
      call: 'POST /v1/redemptions',
      next: (body) => `/me/runs/${idOf(body)}`,
      done: 'The run is queued.',
    },
    'start-pull': {
      call: 'POST /v1/redemptions',
      next: (body) => `/me/runs/${idOf(body)}`,
      done: 'The run is waiting for your agent.',
    },
  },
  load: async (ctx, { query }) => {
    const isFirst = query.cursor === undefined;
    const [page, scores] = await Promise.all([
      listRuns(ctx, { product: 'eval-run', cursor: query.cursor ?? null, limit: rowsPerPage }),
      isFirst ? listScores(ctx, { agentId: ctx.agent.id, product: 'eval-run' }) : [],
    ]);
    return { ...page, scores, now: ctx.clock.now(), cost: ctx.rules.evalRunCostTokens };
  },
  show: ({ items, nextCursor, scores, now, cost }) => ({
    title: 'Runs',
    body: (
      <OwnerFrame>
        <ListHead title="Runs">Newest first.</ListHead>
        <StartRun cost={cost} />
        <History scores={scores} />
        {items.length === 0 ? <Empty>No runs yet.</Empty> : null}
        <ul class="rows">
          {items.map((job) => (
            <RunRow key={job.id} job={job} now={now} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
      </OwnerFrame>
    ),
  }),
});

function idOf(body: unknown): string {
  // The endpoint declares this form.
  return (body as { readonly eval_job: { readonly id: string } }).eval_job.id;
}
