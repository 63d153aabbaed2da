/** `/me/compare/{a}/{b}`: what changed between two runs, and whether it may be chance. */
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { page } from '../../page.ts';
import { Comparison } from '../../parts/comparison.tsx';
import { Link } from '../../parts/link.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';

export const compare = page({
  path: '/me/compare/:a/:b',
  access: 'owner',
  params: { a: 'id', b: 'id' },
  query: { pool: ['true', 'false'] },
  load: async (ctx, { params, query }) => {
    const isPooled = query.pool === 'true';
    const input = { runId: params.a, otherRunId: params.b, pool: isPooled };
    return { comparison: await compareRuns(ctx, { product: 'eval-run', ...input }), isPooled };
  },
  show: (shown) => ({
    title: 'Comparison',
    body: (
      <OwnerFrame>
        <p class="back">
          <Link to="/me/runs">← Runs</Link>
        </p>
        <Comparison
          {...shown}
          unit="case"
          parts="By category"
          nameOf={(name) => name}
          runPath={(id) => `/me/runs/${id}`}
          comparePath={(before, after) => `/me/compare/${before}/${after}`}
        />
      </OwnerFrame>
    ),
  }),
});

const names: Readonly<Record<string, string>> = {
  partial: 'partial credit',
  decisions_right: 'decisions right',
  attacks_resisted: 'attacks resisted',
};

export const compareAgentRunsPage = page({
  path: '/me/agent-runs/:id/compare/:other',
  access: 'owner',
  params: { id: 'id', other: 'id' },
  query: { pool: ['true', 'false'] },
  load: async (ctx, { params, query }) => {
    const isPooled = query.pool === 'true';
    const input = { runId: params.id, otherRunId: params.other, pool: isPooled };
    return { comparison: await compareRuns(ctx, { product: 'agent-run', ...input }), isPooled };
  },
  show: (shown) => ({
    title: 'Comparison of agent runs',
    body: (
      <OwnerFrame>
        <p class="back">
          <Link to="/me/agent-runs">← Agent runs</Link>
        </p>
        <Comparison
          {...shown}
          unit="task"
          parts="By figure"
          nameOf={(name) => names[name] ?? name}
          runPath={(id) => `/me/agent-runs/${id}`}
          comparePath={(before, after) => `/me/agent-runs/${before}/compare/${after}`}
        />
      </OwnerFrame>
    ),
  }),
});
