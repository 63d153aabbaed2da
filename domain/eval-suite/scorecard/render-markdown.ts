/** The scorecard as Markdown that is also readable unrendered, in a terminal. */
import type { CaseResult, RunSummary } from '../eval-case.ts';
import { latencySummary } from '../latency-summary.ts';
import { scoreRun } from '../score-run.ts';
import { escapeMarkdown, fenced, shorten } from './safe-text.ts';
import type { RunScore } from './score-json-schema.ts';

/** How much of the start and of the end of a prompt or a reply is shown. */
const excerptHead = 300;
const excerptTail = 400;

export function renderMarkdown(run: RunSummary): string {
  const score = scoreRun(run.results);
  const sections = [
    renderHead(run, score),
    renderCategories(score),
    renderDifficulties(score),
    renderGraders(score),
    renderMisses(run.results),
    `To reproduce the cases, run suite ${escapeMarkdown(run.suite.name)} version ${escapeMarkdown(run.suite.version)} with the seed \`${run.suite.seed}\`.`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function renderHead(run: RunSummary, score: RunScore): string {
  const latency = latencySummary(run.results);
  return [
    `# Eval run: ${score.score.toFixed(1)} of 100`,
    '',
    `\`${bar(score.score, 40)}\` 95% interval ${range(score.interval)}`,
    '',
    `- Target: ${escapeMarkdown(run.target_url)}`,
    `- Run: ${escapeMarkdown(run.job_id)}, ${escapeMarkdown(run.started_at)} to ${escapeMarkdown(run.finished_at)}`,
    `- Cases: ${score.passed} passed, ${score.failed} failed, ${score.errors} in error (each scored 0), ${score.cases} in all`,
    `- Pass rate: ${score.pass_rate.strict.toFixed(1)}% strict (${range(score.pass_rate.strict_interval)}), ${score.pass_rate.loose.toFixed(1)}% ignoring text around the answer`,
    latency === null
      ? '- Latency: no replies'
      : `- Latency: median ${latency.p50_ms} ms, p90 ${latency.p90_ms} ms, longest ${latency.max_ms} ms`,
  ].join('\n');
}

function renderCategories(score: RunScore): string {
  return table(
    ['Category', 'Weight', 'Score', '', 'Passed', 'Loose', 'Errors'],
    ['left', 'right', 'right', 'left', 'right', 'right', 'right'],
    score.categories.map((category) => [
      category.name,
      String(category.weight),
      category.score.toFixed(1),
      bar(category.score, 20),
      `${category.passed}/${category.cases}`,
      `${category.pass_rate.loose.toFixed(0)}%`,
      String(category.errors),
    ]),
  );
}

function renderDifficulties(score: RunScore): string {
  if (score.difficulties.length === 0) return '';
  const parts = score.difficulties.map(
    (level) => `${level.name} ${level.score.toFixed(1)} (${level.passed}/${level.cases} passed)`,
  );
  return `By difficulty: ${parts.join(', ')}.`;
}

function renderGraders(score: RunScore): string {
  const failing = score.graders.filter((grader) => grader.passed < grader.checks);
  if (failing.length === 0) return '';
  return `## Checks that failed\n\n${table(
    ['Check', 'Failed', 'Of', 'Pass loosely'],
    ['left', 'right', 'right', 'right'],
    failing.map((grader) => [
      grader.name,
      String(grader.checks - grader.passed),
      String(grader.checks),
      String(grader.passed_loose - grader.passed),
    ]),
  )}`;
}

function renderMisses(results: readonly CaseResult[]): string {
  const misses = results
    .filter((result) => result.status !== 'passed')
    .toSorted((left, right) => left.index - right.index);
  if (results.length === 0) return 'No case was run.';
  if (misses.length === 0) return 'Every case passed.';
  return `## Cases that did not pass\n\n${misses.map(renderMiss).join('\n\n')}`;
}

function renderMiss(result: CaseResult): string {
  const about = [result.kind, result.difficulty].filter((part) => part !== undefined).join(', ');
  const verdict =
    result.status === 'error' ? 'in error' : `failed, ${(result.score * 100).toFixed(0)}% of its points`;
  const reply =
    result.response_text === null
      ? [
          `No reply after ${result.attempts} attempts: ${escapeMarkdown(result.error_code ?? 'unknown error')}.`,
        ]
      : ['Reply:', '', fenced(shorten(result.response_text, excerptHead, excerptTail))];
  return [
    `### ${escapeMarkdown(result.id)}: ${verdict}`,
    '',
    ...(about === '' ? [] : [`${escapeMarkdown(about)}.`, '']),
    ...result.checks.map(
      (check) =>
        `- ${check.passed ? '✓' : '✗'} ${escapeMarkdown(check.name)}: ${escapeMarkdown(check.message)}`,
    ),
    ...(result.checks.length > 0 ? [''] : []),
    'Prompt:',
    '',
    fenced(shorten(result.prompt, excerptHead, excerptTail)),
    '',
    ...reply,
  ].join('\n');
}

function bar(score: number, width: number): string {
  const full = Math.round((score / 100) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

function range({ low, high }: { low: number; high: number }): string {
  return `${low.toFixed(1)} to ${high.toFixed(1)}`;
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
