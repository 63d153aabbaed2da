/** The tool that compares two runs of one product. */
import type { Static } from 'typebox';
import type { RunComparison } from '../suites/run-model.ts';
import type { ToolDeclaration } from '../mcp/tool.ts';

export const runComparisonTools: readonly ToolDeclaration[] = [
  {
    name: 'compare_runs',
    title: 'Compare runs',
    description: 'Compare two completed runs of a product: what changed, and whether it may be chance.',
    operations: { compareRuns: [] },
    names: { id: 'run_id', other_id: 'other_run_id' },
    about: { run_id: 'The earlier run.', other_run_id: 'The later run.' },
    run: async (_given, call) => withNextStep(await call()),
  },
];

function withNextStep(body: unknown): object {
  // The body of the operation.
  const { comparison } = body as { readonly comparison: Static<typeof RunComparison> };
  const isSame = comparison.reach.sample === 'same cases';
  if (comparison.verdict !== 'no clear change' || isSame) return { comparison };
  const note =
    'The difference may be chance. A run with replay_of asks the same cases again and shows smaller changes.';
  return { comparison, note };
}
