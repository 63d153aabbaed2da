/**
 * The scorecard as one self-contained page: no script, no external resource, one inline style. All text from
 * the target or the agent goes through `escapeHtml`.
 */
import type { CaseResult, RunSummary } from '../eval-case.ts';
import { latencySummary } from '../latency-summary.ts';
import { scoreRun } from '../score-run.ts';
import { escapeHtml } from './safe-text.ts';
import { renderCaseLinks, renderCases, renderCells } from './html-cases.ts';
import { renderBar, renderLatencyChart, renderScale, showTime } from './html-charts.ts';
import type { LatencySummary, RunScore } from './score-json-schema.ts';
import { scorecardStyle } from './scorecard-style.ts';

/** @param descriptions one line per category, by its name */
export function renderHtml(run: RunSummary, descriptions: ReadonlyMap<string, string>): string {
  const results = run.results.toSorted((left, right) => left.index - right.index);
  const score = scoreRun(results);
  const latency = latencySummary(results);
  const chart =
    latency === null ? '<p class="soft">No case got a reply.</p>' : renderLatencyChart(results, latency);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Eval run ${escapeHtml(run.job_id)}: ${score.score.toFixed(1)}</title>
<style>${scorecardStyle}</style>
</head>
<body>
<main>
${renderHead(run, score)}
${renderTiles(score, latency)}
<h2>Categories</h2>
${renderCategories(score, results, descriptions)}
${renderGraders(score, results)}
${renderDifficulties(score)}
<h2>Latency</h2>
${chart}
<h2>Cases</h2>
${results.length === 0 ? '<p class="soft">No case was run.</p>' : renderCases(results)}
<h2>How to read this</h2>
<p class="soft small">A case earns points by the weights of the checks that passed. Injection and secrecy cases are all or nothing. A case in error earns nothing and counts in every denominator. The loose pass rate ignores text around an answer: a first or last line, emphasis, a code fence. Intervals are 95% Wilson intervals. The same suite version and seed give the same cases.</p>
</main>
</body>
</html>
`;
}

function renderHead(run: RunSummary, score: RunScore): string {
  return `<h1>Eval run scorecard</h1>
<dl class="facts">
<dt>Target</dt><dd>${escapeHtml(run.target_url)}</dd>
<dt>Run</dt><dd>${escapeHtml(run.job_id)}</dd>
<dt>Suite</dt><dd>${escapeHtml(run.suite.name)} version ${escapeHtml(run.suite.version)}, seed ${escapeHtml(run.suite.seed)}</dd>
<dt>Time</dt><dd>${escapeHtml(showSpan(run.started_at, run.finished_at))}</dd>
</dl>
<div class="score"><div><strong>${score.score.toFixed(1)}</strong><span class="soft">of 100<br>95% interval ${score.interval.low.toFixed(1)} to ${score.interval.high.toFixed(1)}</span></div>${renderScale(score.score, score.interval.low, score.interval.high)}</div>`;
}

/** Start and duration; the given text where it is not a time. */
function showSpan(startedAt: string, finishedAt: string): string {
  const [start, end] = [Date.parse(startedAt), Date.parse(finishedAt)];
  if (!(end >= start)) return `${startedAt} to ${finishedAt}`;
  const began = new Date(start).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ');
  return `${began} UTC, took ${showTime(end - start)}`;
}

function renderTiles(score: RunScore, latency: LatencySummary | null): string {
  const { strict, loose, strict_interval: interval } = score.pass_rate;
  const tiles = [
    tile(
      'Passed',
      `${score.passed} of ${score.cases}`,
      `${strict.toFixed(1)}%, interval ${interval.low.toFixed(0)} to ${interval.high.toFixed(0)}%`,
    ),
    tile('Passed loosely', `${loose.toFixed(1)}%`, 'ignoring text around the answer'),
    tile(
      'In error',
      String(score.errors),
      score.errors === 0 ? 'every case got a reply' : `${score.error_rate.toFixed(1)}% of cases, scored 0`,
    ),
    latency === null
      ? tile('Median latency', '–', 'no case got a reply')
      : tile(
          'Median latency',
          showTime(latency.p50_ms),
          `p90 ${showTime(latency.p90_ms)}, longest ${showTime(latency.max_ms)}`,
        ),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

function tile(title: string, figure: string, caption: string): string {
  return `<div class="tile"><span>${title}</span><b>${figure}</b><span>${caption}</span></div>`;
}

function renderCategories(
  score: RunScore,
  results: readonly CaseResult[],
  descriptions: ReadonlyMap<string, string>,
): string {
  const rows = score.categories.map((category) => {
    const own = results.filter((result) => result.category === category.name);
    return `<tr><td class="name"><b>${escapeHtml(category.name)}</b><small>${escapeHtml(descriptions.get(category.name) ?? '')}</small></td><td class="wide">${renderBar(category.score)}${renderCells(own)}</td><td class="number figure">${category.score.toFixed(1)}</td><td class="number">${category.passed} / ${category.cases}</td><td class="number spare">${category.pass_rate.loose.toFixed(0)}%</td><td class="number spare">${category.weight}</td></tr>`;
  });
  return renderTable('categories', ['Category', '', '#Score', '#Passed', '+Loosely', '+Weight'], rows);
}

function renderDifficulties(score: RunScore): string {
  if (score.difficulties.length === 0) return '';
  const rows = score.difficulties.map(
    (level) =>
      `<tr><td class="name">${level.name}</td><td class="wide">${renderBar(level.score)}</td><td class="number figure">${level.score.toFixed(1)}</td><td class="number">${level.passed} / ${level.cases}</td></tr>`,
  );
  return `<h2>Difficulty</h2>\n${renderTable('difficulties', ['Level', '', '#Score', '#Passed'], rows)}`;
}

/** The failed checks, the most frequent first, with their cases. */
function renderGraders(score: RunScore, results: readonly CaseResult[]): string {
  const failing = score.graders.filter((grader) => grader.passed < grader.checks);
  if (failing.length === 0) return '';
  const rows = failing.map((grader) => {
    const cases = results.filter((result) =>
      result.checks.some((check) => check.name === grader.name && !check.passed),
    );
    const loosely = grader.passed_loose - grader.passed;
    return `<tr><td class="name"><b>${escapeHtml(grader.name)}</b></td><td class="number">${grader.checks - grader.passed} of ${grader.checks}</td><td class="number spare">${loosely === 0 ? '–' : loosely}</td><td class="links">${renderCaseLinks(cases)}</td></tr>`;
  });
  return `<h2>What to fix</h2>\n<p class="soft small">Failed checks, the most frequent first. A check that passes loosely failed only because of text around the answer.</p>\n${renderTable('failures', ['Check', '#Failed', '+Pass loosely', 'Cases'], rows)}`;
}

/**
 * A title that starts with # heads a column of numbers. One that starts with + is hidden on narrow pages.
 */
function renderTable(name: string, titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) => {
    if (title.startsWith('#')) return `<th class="number">${title.slice(1)}</th>`;
    return title.startsWith('+') ? `<th class="number spare">${title.slice(1)}</th>` : `<th>${title}</th>`;
  });
  return `<table class="${name}"><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}
