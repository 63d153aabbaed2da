/**
 * The scorecard as one self-contained page: no script, no external resource, one inline style. All text from the target
 * or the agent goes through `escapeHtml`.
 */
import { ladderLevels } from '../ladder/ladder.ts';
import { renderCaseLinks, renderCases, renderCells } from './html-cases.ts';
import { renderLatencyChart, renderScale, showTime } from './html-charts.ts';
import { kindsVerdict } from './kinds-verdict.ts';
import { escapeHtml } from './safe-text.ts';
import type { CategoryScore, ScoreJson } from './score-json-schema.ts';
import { scorecardStyle } from './scorecard-style.ts';
import type { ShownCase } from './shown-case.ts';

/** @param descriptions one line per category, by its name */
export function renderHtml(
  card: ScoreJson,
  cases: readonly ShownCase[],
  descriptions: ReadonlyMap<string, string>,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Eval run ${escapeHtml(card.job_id)}: ${card.score.toFixed(1)}</title>
<style>${scorecardStyle}</style>
</head>
<body>
<main>
${renderHead(card)}
${renderTiles(card)}
${renderFixes(card, cases)}
<h2>Levels</h2>
<p class="soft small">The share of points earned at each level, from easy to hard. A dash marks a level without cases in this run.</p>
${renderLadder(card, cases, descriptions)}
${renderKinds(card)}${renderNorms(card)}
<h2>Latency</h2>
${card.latency === null ? '<p class="soft">No case got a reply.</p>' : renderLatencyChart(cases, card.latency)}
<h2>Cases</h2>
${cases.length === 0 ? '<p class="soft">The cases of this run are no longer stored.</p>' : renderCases(cases)}
<h2>How to read this</h2>
<p class="soft small">The score is the share of points that the agent would be expected to earn if all levels were asked equally often. The first cases cover every level; the others are asked where the agent begins to fail, which makes the estimate more precise without biasing it. The level is where about half of the points are lost. A case in error earns nothing. The interval contains the true score in 95 of 100 runs. Style never counts: an answer is found inside whatever surrounds it, and “right value, wrong wrapping” counts the cases in which that was not possible.</p>
</main>
</body>
</html>
`;
}

function renderHead(card: ScoreJson): string {
  const { suite, interval, level } = card;
  const target = card.target_url === null ? 'none: the agent fetched its cases' : card.target_url;
  const calls = card.concurrency === null ? '' : `, ${card.concurrency} calls at once`;
  return `<h1>Eval run scorecard</h1>
<dl class="facts">
<dt>Target</dt><dd>${escapeHtml(target)}${calls}</dd>
<dt>Run</dt><dd>${escapeHtml(card.job_id)}</dd>
<dt>Suite</dt><dd>${escapeHtml(suite.name)} version ${escapeHtml(suite.version)}, seed ${escapeHtml(suite.seed)}${suite.pack === null ? '' : `, pack ${escapeHtml(suite.pack.name)}`}</dd>
<dt>Time</dt><dd>${escapeHtml(showSpan(card.started_at, card.finished_at))}</dd>
</dl>
<div class="score"><div><strong>${card.score.toFixed(1)}</strong><span class="soft">of 100<br>95% interval ${interval.low.toFixed(1)} to ${interval.high.toFixed(1)}<br>level ${level.value.toFixed(1)} ± ${level.se.toFixed(1)}</span></div>${renderScale(card.score, interval.low, interval.high)}</div>`;
}

function showSpan(startedAt: string, finishedAt: string): string {
  const [start, end] = [Date.parse(startedAt), Date.parse(finishedAt)];
  const began = new Date(start).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ');
  return `${began} UTC, took ${showTime(Math.max(0, end - start))}`;
}

function renderTiles(card: ScoreJson): string {
  const { latency, form } = card;
  const tiles = [
    tile('Passed', `${card.passed} of ${card.cases}`, 'with the full score'),
    tile(
      'Right value, wrong wrapping',
      String(card.wrong_wrapping),
      form.asked === 0
        ? 'counted apart from wrong answers'
        : `format kept in ${form.kept} of ${form.asked} cases that ask for one`,
    ),
    tile(
      'In error',
      String(card.errors),
      card.errors === 0 ? 'every case got a reply' : `${card.error_rate.toFixed(1)}% of cases, scored 0`,
    ),
    latency === null
      ? tile('Median latency', '–', 'no case got a reply')
      : tile(
          'Median latency',
          showTime(latency.p50_ms),
          card.solo_latency_ms === null
            ? `p90 ${showTime(latency.p90_ms)}, longest ${showTime(latency.max_ms)}`
            : `p90 ${showTime(latency.p90_ms)}, one at a time ${showTime(card.solo_latency_ms)}`,
        ),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

function tile(title: string, figure: string, caption: string): string {
  return `<div class="tile"><span>${title}</span><b>${figure}</b><span>${caption}</span></div>`;
}

function renderFixes({ first_fixes: fixes }: ScoreJson, cases: readonly ShownCase[]): string {
  if (fixes.length === 0) return '';
  const rows = fixes.map((fix) => {
    const own = cases.filter(({ index }) => fix.indexes.includes(index));
    const skills = fix.skills.length === 0 ? '' : `<small>${escapeHtml(fix.skills.join(', '))}</small>`;
    return `<tr><td class="name"><b>${escapeHtml(fix.category)}: ${escapeHtml(fix.failure)}</b>${skills}</td><td class="number">${fix.points.toFixed(1)}</td><td class="number">${fix.cases}</td><td class="links">${renderCaseLinks(own)}</td></tr>`;
  });
  return `<h2>What to fix first</h2>\n<p class="soft small">Where the most points were lost, by kind of failure, with the skills whose checks failed.</p>\n${renderTable('failures', ['Failure', '#Points', '#Cases', 'Which'], rows)}`;
}

/** A row for each category and a column for each level. */
function renderLadder(
  card: ScoreJson,
  cases: readonly ShownCase[],
  descriptions: ReadonlyMap<string, string>,
): string {
  const rows = card.categories.map((category) => {
    const own = cases.filter((result) => result.category === category.name);
    const rungs = ladderLevels.map((level) => renderRung(category, level)).join('');
    return `<tr><td class="name"><b>${escapeHtml(category.name)}</b><small>${escapeHtml(descriptions.get(category.name) ?? '')}</small>${renderCells(own)}</td>${rungs}<td class="number figure">${category.score.toFixed(1)}</td></tr>`;
  });
  return renderTable('ladder', ['Category', '#L1', '#L2', '#L3', '#L4', '#L5', '#Score'], rows);
}

function renderRung({ levels }: CategoryScore, level: number): string {
  const at = levels.find((known) => known.level === level);
  if (at === undefined) return '<td class="rung number soft">–</td>';
  const grade = at.score >= 75 ? 'high' : at.score >= 35 ? 'middle' : 'low';
  return `<td class="rung number ${grade}">${at.score.toFixed(0)}%<small>of ${at.cases}</small></td>`;
}

/** The public kinds of cases beside those of the private pack. */
function renderKinds({ kinds: { known, unseen, gap, p } }: ScoreJson): string {
  if (unseen === null) return '';
  const rows = [
    { name: 'public', ...known },
    { name: 'private', ...unseen },
  ].map(
    ({ name, score, cases }) =>
      `<tr><td class="name">${name}</td><td class="number figure">${score.toFixed(1)}</td><td class="number">${cases}</td></tr>`,
  );
  return `<h2>Public and private kinds</h2>\n<p class="small ${gap ? 'warn' : 'soft'}">${escapeHtml(kindsVerdict(gap, p))}</p>\n${renderTable('kinds', ['Kinds', '#Points', '#Cases'], rows)}\n`;
}

function renderNorms({ norms, kinds }: ScoreJson): string {
  if (norms.length === 0) return '';
  const rows = norms.map(
    ({ name, score, unseen }) =>
      `<tr><td class="name">${escapeHtml(name)}</td><td class="number figure">${score.toFixed(1)}</td><td class="number">${unseen === null ? '–' : unseen.toFixed(1)}</td></tr>`,
  );
  return `<h2>For comparison</h2>\n<p class="soft small">Scores of reference agents without a model, and of oracles that are right with the given probability.</p>\n${renderTable('norms', ['Reference', '#Score', kinds.unseen === null ? '#On the example pack' : '#Private kinds'], rows)}`;
}

/** A title that starts with # marks a column of numbers. */
function renderTable(name: string, titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) =>
    title.startsWith('#') ? `<th class="number">${title.slice(1)}</th>` : `<th>${title}</th>`,
  );
  return `<table class="${name}"><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}
