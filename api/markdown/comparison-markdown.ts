/** Two runs of a suite, and runs under several labels, side by side as Markdown. */
import { pointsText } from '#evals/rates.ts';
import type { LabelMatrix, RunComparison } from '../suites/run-model.ts';
import type { Wire } from '../wire.ts';
import { document, fields, inline } from './blocks.ts';

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

function scoreOf({ score, only }: Pick<Comparison['before'], 'score' | 'only'>): string {
  if (score === null) return '–';
  return `${pointsText(score)}${only === undefined ? '' : ` (${only.cases} of ${only.of} cases)`}`;
}

function listOf(title: string, ids: readonly string[]): string | null {
  return ids.length === 0 ? null : `## ${title}\n\n${ids.map((id) => `- ${inline(id)}`).join('\n')}`;
}

type Shown = Wire<typeof LabelMatrix>;

const rowsMax = 300;
const words = {
  regressed: 'regressed',
  improved: 'improved',
  mixed: 'mixed',
  equal: 'equal',
  unlike: 'not comparable',
};

/** What passed under every label is only counted. */
export function matrixMarkdown({ runs, counts, cases }: Shown): string {
  const told = cases.filter(({ verdicts }) => verdicts.some((verdict) => verdict !== 'passed'));
  const counted = Object.entries(words).flatMap(([change, word]) =>
    counts[change] === undefined || counts[change] === 0 ? [] : [`${counts[change]} ${word}`],
  );
  const figures: readonly (readonly [string, (run: Shown['runs'][number]) => string])[] = [
    ['score', scoreOf],
    [
      'latency p50, p90 (ms)',
      ({ cost }) => (cost?.latency == null ? '–' : `${cost.latency.p50_ms}, ${cost.latency.p90_ms}`),
    ],
    [
      'tokens in, out',
      ({ usage }) =>
        usage === null
          ? '–'
          : `${usage.input_tokens}, ${usage.output_tokens}${usage.partial === true ? ' (of some replies)' : ''}`,
    ],
    [
      'judged by the runner, overruled',
      ({ judged_by_runner: judged, overruled }) =>
        judged + overruled === 0 ? '–' : `${judged}, ${overruled}`,
    ],
    ['run', ({ run_id: id }) => id],
  ];
  const rows = told
    .slice(0, rowsMax)
    .map(({ case_id: id, title, change, verdicts, changed }) => [
      `${inline(title ?? id)} (${words[change]})`,
      ...verdicts.map(
        (verdict, at) => `${verdict ?? 'not asked'}${changed[at] === true ? ', changed case' : ''}`,
      ),
    ]);
  const left = told.length - rows.length;
  const passed = cases.length - told.length;
  return document(
    `# ${runs.map(({ label }) => inline(label)).join(', ')}: ${counted.join(', ')}`,
    tableOf(
      ['', ...runs.map(({ label }) => inline(label))],
      [...figures.map(([name, of]) => [name, ...runs.map(of)]), ...rows],
    ),
    left === 0 ? null : `${left} more cases did not pass everywhere.`,
    passed === 0 ? null : `${passed} ${passed === 1 ? 'case' : 'cases'} passed under every label.`,
  );
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  const widths = head.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines
    .map(
      (cells) =>
        `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, cell === '---' ? '-' : ' ')).join(' | ')} |`,
    )
    .join('\n');
}
