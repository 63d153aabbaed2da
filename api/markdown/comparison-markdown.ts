import { pointsText } from '#evals/rates.ts';
import type { RunComparison } from '../suites/run-model.ts';
import { document, fields, inline } from './blocks.ts';
import type { Wire } from '../schemas/wire.ts';

type Comparison = Wire<typeof RunComparison>;

export function comparisonMarkdown({ comparison }: { readonly comparison: Comparison }): string {
  const { verdict, p, reach, suite, before, after } = comparison;
  return document(
    `# ${scoreOf(before)} → ${scoreOf(after)}: ${verdict}`,
    verdict === 'not comparable' ? `${inline(reach.text)}.` : `${inline(reach.text)}; p = ${p.toFixed(3)}.`,
    fields({
      suite,
      before: `${before.id}, version ${before.version}`,
      after: `${after.id}, version ${after.version}`,
    }),
    listOf('Broken', comparison.broken),
    listOf('Flaky now', comparison.flaky_now),
    listOf('Still failing', comparison.still_failing),
    listOf('Fixed', comparison.fixed),
  );
}

function scoreOf({ score }: Comparison['before']): string {
  return score === null ? '–' : pointsText(score);
}

function listOf(title: string, ids: readonly string[]): string | null {
  return ids.length === 0 ? null : `## ${title}\n\n${ids.map((id) => `- ${inline(id)}`).join('\n')}`;
}
