/** `/me/compare/{a}/{b}`: what changed between two runs, and whether it may be chance. */
import { compareEvalJobs } from '#domain/eval-jobs/compare-eval-jobs.ts';
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
    return { comparison: await compareEvalJobs(ctx, input), isPooled };
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
