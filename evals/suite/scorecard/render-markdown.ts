/**
 * The scorecard as Markdown, which is also readable as plain text in a terminal. The summary stays under 8 kB; the full
 * form has every case.
 */
import { failureKindOf } from '../score-ladder.ts';
import { kindsVerdict } from './kinds-verdict.ts';
import { escapeMarkdown, fenced, shorten } from './safe-text.ts';
import type { ScoreJson } from './score-json-schema.ts';
import type { ShownCase } from './shown-case.ts';

export type MarkdownDetail = 'summary' | 'full';

/** How much of the start and of the end of a prompt or a reply is shown. */
const excerptHead = 300;
const excerptTail = 400;
/** The maximum number of misses in the summary. */
const missesMax = 12;
const missCharacters = 160;

export function renderMarkdown(
  card: ScoreJson,
  cases: readonly ShownCase[],
  detail: MarkdownDetail = 'summary',
): string {
  const sections = [
    renderHead(card),
    renderLadder(card),
    renderFixes(card),
    renderKinds(card),
    renderNorms(card),
    detail === 'full' ? renderCases(cases) : renderMisses(cases),
    `To reproduce the cases, run suite ${escapeMarkdown(card.suite.name)} version ${escapeMarkdown(card.suite.version)} with the seed \`${card.suite.seed}\`. The later cases also depend on the earlier verdicts.`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function renderHead(card: ScoreJson): string {
  const { latency, interval, level } = card;
  const target =
    card.target_url === null
      ? 'none: the agent fetched its cases'
      : escapeMarkdown(shorten(card.target_url, 200, 0));
  return [
    `# Eval run: ${card.score.toFixed(1)} of 100, level ${level.value.toFixed(1)} ± ${level.se.toFixed(1)}`,
    '',
    `\`${bar(card.score, 40)}\` 95% interval ${interval.low.toFixed(1)} to ${interval.high.toFixed(1)}`,
    '',
    `- Target: ${target}`,
    `- Run: ${escapeMarkdown(card.job_id)}, ${escapeMarkdown(card.started_at)} to ${escapeMarkdown(card.finished_at)}`,
    `- Cases: ${card.passed} passed, ${card.failed} failed, ${card.errors} in error (each scored 0), ${card.cases} in all`,
    `- Right value in a wrong wrapping: ${card.wrong_wrapping}`,
    latency === null
      ? '- Latency: no replies'
      : `- Latency: median ${latency.p50_ms} ms, p90 ${latency.p90_ms} ms, longest ${latency.max_ms} ms`,
  ].join('\n');
}

/** Passed cases by category and level, to show where the agent breaks down. */
function renderLadder({ categories }: ScoreJson): string {
  const levels = [1, 2, 3, 4, 5];
  return table(
    ['Category', 'Score', 'L1', 'L2', 'L3', 'L4', 'L5'],
    ['left', 'right', 'right', 'right', 'right', 'right', 'right'],
    categories.map((category) => [
      category.name,
      category.score.toFixed(1),
      ...levels.map((level) => {
        const at = category.levels.find((known) => known.level === level);
        return at === undefined ? '–' : `${at.score.toFixed(0)}% of ${at.cases}`;
      }),
    ]),
  );
}

function renderFixes({ first_fixes: fixes }: ScoreJson): string {
  if (fixes.length === 0) return '';
  const lines = fixes.map(
    ({ category, failure, cases, points, skills }, index) =>
      `${index + 1}. ${category}, ${failure}: ${cases} case(s), ${points.toFixed(1)} points${skills.length === 0 ? '' : ` (${escapeMarkdown(skills.join(', '))})`}`,
  );
  return `## What to fix first\n\n${lines.join('\n')}`;
}

function renderKinds({ kinds: { known, unseen, gap, p } }: ScoreJson): string {
  if (unseen === null) return '';
  return `Public kinds: ${known.score.toFixed(1)} (${known.cases} cases). Private kinds: ${unseen.score.toFixed(1)} (${unseen.cases} cases). ${kindsVerdict(gap, p)}`;
}

function renderNorms({ norms }: ScoreJson): string {
  if (norms.length === 0) return '';
  return `For comparison: ${norms.map(({ name, score }) => `${name} ${score.toFixed(1)}`).join(', ')}.`;
}

function renderMisses(cases: readonly ShownCase[]): string {
  const misses = cases.filter(({ status }) => status !== 'passed');
  if (misses.length === 0) return cases.length === 0 ? '' : 'Every case passed.';
  const lines = misses.slice(0, missesMax).map((result) => {
    const failed = result.checks.find(({ passed }) => !passed);
    const why =
      result.status === 'error' ? `no reply (${result.error_code ?? 'unknown'})` : (failed?.message ?? '');
    return `- ${escapeMarkdown(result.id)} (level ${result.level ?? '?'}, ${failureKindOf(result) ?? ''}): ${escapeMarkdown(shorten(why, missCharacters, 0))}`;
  });
  const more = misses.length > missesMax ? `\n- and ${misses.length - missesMax} more` : '';
  return `## Cases that did not pass\n\n${lines.join('\n')}${more}`;
}

function renderCases(cases: readonly ShownCase[]): string {
  return `## Cases\n\n${cases.map(renderCase).join('\n\n')}`;
}

function renderCase(result: ShownCase): string {
  const verdict =
    result.status === 'error' ? 'in error' : `${(result.score * 100).toFixed(0)}% of its points`;
  const reply =
    result.response_text === null
      ? [`No reply: ${escapeMarkdown(result.error_code ?? 'unknown error')}.`]
      : ['Reply:', '', fenced(shorten(result.response_text, excerptHead, excerptTail))];
  return [
    `### ${escapeMarkdown(result.id)}: ${verdict}`,
    '',
    `${escapeMarkdown(result.kind ?? '')}, level ${result.level ?? '?'}.`,
    '',
    ...result.checks.map(
      (check) =>
        `- ${check.passed ? '✓' : '✗'} ${escapeMarkdown(check.name)}: ${escapeMarkdown(check.message)}`,
    ),
    ...(result.checks.length > 0 ? [''] : []),
    ...(result.expected === null
      ? []
      : [`Expected: ${escapeMarkdown(shorten(result.expected, excerptHead, 0))}`, '']),
    ...(result.prompt === null
      ? ['The prompt is not shown.']
      : ['Prompt:', '', fenced(shorten(result.prompt, excerptHead, excerptTail))]),
    '',
    ...reply,
  ].join('\n');
}

function bar(score: number, width: number): string {
  const full = Math.round((score / 100) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** A table whose columns also line up unrendered. */
function table(
  header: readonly string[],
  sides: readonly ('left' | 'right')[],
  rows: readonly (readonly string[])[],
): string {
  const widths = header.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const pad = (text: string, column: number) =>
    sides[column] === 'right' ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  const rule = widths.map((width, column) =>
    sides[column] === 'right' ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [line(header.map(pad)), line(rule), ...rows.map((row) => line(row.map(pad)))].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
