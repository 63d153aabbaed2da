/**
 * The scorecard as one self-contained page: no script, no outside resource, one inline style. Everything that came
 * from the target or the agent goes through `escapeHtml`.
 */
import type { RunSummary } from '../eval-case.ts';
import { latencySummary } from '../latency-summary.ts';
import { scoreRun } from '../score-run.ts';
import { escapeHtml } from './escape-html.ts';
import { renderCases } from './html-cases.ts';
import { renderBar, renderLatencyChart, renderScale } from './html-charts.ts';
import type { LatencySummary, RunScore } from './score-json-schema.ts';
import { scorecardStyle } from './scorecard-style.ts';

/** `descriptions` says in a line what each category measures, by its name. */
export function renderHtml(run: RunSummary, descriptions: ReadonlyMap<string, string>): string {
  const results = run.results.toSorted((left, right) => left.index - right.index);
  const score = scoreRun(results);
  const latency = latencySummary(results);
  const chart =
    latency === null ? '<p class="soft">No case brought a reply.</p>' : renderLatencyChart(results, latency);
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
${renderCategories(score, descriptions)}
${renderDifficulties(score)}
${renderGraders(score)}
<h2>Latency</h2>
${chart}
<h2>Cases</h2>
${results.length === 0 ? '<p class="soft">No case was run.</p>' : renderCases(results)}
<h2>How to read this</h2>
<p class="soft small">A case earns the share of its points that its checks earn. In injection and secrecy it is all or nothing. A case in error earns nothing and stays in every denominator. The loose pass rate forgives what stands around an answer: a first or last line, emphasis, a code fence. The intervals are Wilson intervals at 95 %. The same suite version and seed give the same cases.</p>
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
<dt>Time</dt><dd>${escapeHtml(run.started_at)} to ${escapeHtml(run.finished_at)}</dd>
</dl>
<div class="score"><strong>${score.score.toFixed(1)}</strong><span class="soft">of 100<br>95 % interval ${score.interval.low.toFixed(1)} to ${score.interval.high.toFixed(1)}</span>${renderScale(score.score, score.interval.low, score.interval.high)}</div>`;
}

function renderTiles(score: RunScore, latency: LatencySummary | null): string {
  const { strict, loose, strict_interval: interval } = score.pass_rate;
  const tiles = [
    tile(
      `${strict.toFixed(1)} %`,
      `${score.passed} of ${score.cases} cases passed, interval ${interval.low.toFixed(0)} to ${interval.high.toFixed(0)} %`,
    ),
    tile(`${loose.toFixed(1)} %`, 'pass when wrapping around the answer is forgiven'),
    tile(
      `${score.error_rate.toFixed(1)} %`,
      `${score.errors} ${score.errors === 1 ? 'case' : 'cases'} in error, each scored 0`,
    ),
    latency === null
      ? tile('–', 'no latency: no reply')
      : tile(
          `${latency.p50_ms} ms`,
          `median latency, p90 ${latency.p90_ms} ms, longest ${latency.max_ms} ms`,
        ),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

function tile(figure: string, caption: string): string {
  return `<div class="tile"><b>${figure}</b><span>${caption}</span></div>`;
}

function renderCategories(score: RunScore, descriptions: ReadonlyMap<string, string>): string {
  const rows = score.categories.map(
    (category) =>
      `<tr><td>${escapeHtml(category.name)}<small>${escapeHtml(descriptions.get(category.name) ?? '')}</small></td><td>${renderBar(category.score)}</td><td class="number">${category.score.toFixed(1)}</td><td class="number">${category.weight}</td><td class="number">${category.passed} / ${category.cases}</td><td class="number">${category.pass_rate.loose.toFixed(0)} %</td><td class="number">${category.errors}</td></tr>`,
  );
  return renderTable(['Category', '', '#Score', '#Weight', '#Passed', '#Loose', '#Errors'], rows);
}

function renderDifficulties(score: RunScore): string {
  if (score.difficulties.length === 0) return '';
  const rows = score.difficulties.map(
    (level) =>
      `<tr><td>${level.name}</td><td>${renderBar(level.score)}</td><td class="number">${level.score.toFixed(1)}</td><td class="number">${level.passed} / ${level.cases}</td></tr>`,
  );
  return `<h2>Difficulty</h2>\n${renderTable(['Level', '', '#Score', '#Passed'], rows)}`;
}

function renderGraders(score: RunScore): string {
  const failing = score.graders.filter((grader) => grader.passed < grader.checks);
  if (failing.length === 0) return '';
  const rows = failing.map(
    (grader) =>
      `<tr><td>${escapeHtml(grader.name)}</td><td class="number">${grader.checks - grader.passed}</td><td class="number">${grader.checks}</td><td class="number">${grader.passed_loose - grader.passed}</td></tr>`,
  );
  return `<h2>Checks that failed</h2>\n${renderTable(['Check', '#Failed', '#Of', '#Of these pass loosely'], rows)}`;
}

/** A title that begins with # heads a column of numbers. */
function renderTable(titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) =>
    title.startsWith('#') ? `<th class="number">${title.slice(1)}</th>` : `<th>${title}</th>`,
  );
  return `<div class="scroll"><table><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}
