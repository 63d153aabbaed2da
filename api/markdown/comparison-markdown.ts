import { pointsText } from '#evals/rates.ts';
import type { Static } from 'typebox';
import type { Sent } from '../endpoint.ts';
import type { EvalComparisonResponse } from '../schemas/eval-comparison.ts';
import { document, fields, inline } from './blocks.ts';

type Comparison = Sent<Static<typeof EvalComparisonResponse>>['comparison'];
type Named = Comparison['categories'][number];

export function comparisonMarkdown({ comparison }: { readonly comparison: Comparison }): string {
  const { score, paired, before, after, suite, categories, flags } = comparison;
  return document(
    `# ${pointsText(score.before)} → ${pointsText(score.after)}: ${signed(score.change)} points`,
    score.clear
      ? `The run got ${score.outcome}: the 95% interval of the change is ${between(score.interval)}.`
      : `This may be chance: the 95% interval of the change is ${between(score.interval)}, which contains 0.`,
    paired === null
      ? null
      : `Item by item, over the ${paired.items} that both runs have: ${signed(paired.change)} points, 95% interval ${between(paired.interval)}, p = ${paired.p}. ${paired.clear ? 'The difference is clear.' : 'This may be chance.'} Runs like these detect a change of ${paired.detectable.toFixed(1)} points.`,
    fields({
      suite: `${suite.name} version ${suite.version}`,
      before: sideText(before),
      after: sideText(after),
      p: score.p,
      detectable: score.detectable,
    }),
    '## Categories',
    table(categories),
    flags.available || flags.reason === null ? null : inline(flags.reason),
  );
}

function sideText({ id, score, pooled }: Comparison['before']): string {
  const added = pooled.length === 0 ? '' : `, with the cases of ${pooled.length} earlier runs`;
  return `${id} (${pointsText(score)})${added}`;
}

function table(changes: readonly Named[]): string {
  const rows = changes.map(({ name, before, after, change, interval, flagged }) => {
    const cells = [
      inline(name),
      before === null ? '–' : pointsText(before),
      after === null ? '–' : pointsText(after),
      change === null ? '–' : signed(change),
      interval === null ? '–' : between(interval),
      flagged ? 'yes' : 'no',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| Name | Before | After | Change | Interval | Significant |',
    '| --- | ---: | ---: | ---: | --- | --- |',
    ...rows,
  ].join('\n');
}

function signed(change: number): string {
  return `${change > 0 ? '+' : ''}${change.toFixed(1)}`;
}

function between({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${signed(low)} to ${signed(high)}`;
}
