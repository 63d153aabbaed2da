/** The tool that compares two runs of one product. */
import type { Static } from 'typebox';
import type { RunComparison } from '../schemas/suite-run.ts';
import { tool } from '../mcp/tool.ts';
import { compareAnyRuns } from './any-run.ts';

export const runComparisonTools = [
  tool({
    name: 'compare_runs',
    title: 'Compare runs',
    description: 'Compare two completed runs of a product: what changed, and whether it may be chance.',
    routes: [{ endpoint: compareAnyRuns, names: { id: 'run_id', other_id: 'other_run_id' } }],
    about: { run_id: 'The earlier run.', other_run_id: 'The later run.' },
    note: nextAfter,
  }),
];

function nextAfter(body: unknown): string | undefined {
  // The body of the endpoint above.
  const { comparison } = body as { readonly comparison: Static<typeof RunComparison> };
  const isSame = comparison.reach.sample === 'same cases';
  if (comparison.verdict !== 'no clear change' || isSame) return undefined;
  return 'The difference may be chance. A run with replay_of asks the same cases again and shows smaller changes.';
}
