/**
 * The cases of the HTML scorecard: a cell for each in the overview, and a folded section with prompt, reply
 * and checks.
 */
import type { Check } from '../eval-case.ts';
import { storedReplyCharacters } from '../limits.ts';
import { escapeHtml, shorten } from './safe-text.ts';
import { failureKindOf } from '../score-ladder.ts';
import { showTime } from './html-charts.ts';
import type { ShownCase } from './shown-case.ts';

/** Shapes, so that the status does not depend on colour alone. */
const signs = { passed: '✓', failed: '✗', error: '!' } as const;

/** How much of a failed check's message the folded case shows. */
const teaserCharacters = 160;

/** One cell per case, which links to the case. */
export function renderCells(results: readonly ShownCase[]): string {
  const cells = results.map((result) => {
    const about = escapeHtml(`${result.id}: ${result.status}, level ${result.level ?? '?'}`);
    return `<a class="cell ${result.status}" href="#${anchorOf(result)}" title="${about}" aria-label="${about}">${signs[result.status]}</a>`;
  });
  return `<span class="cells">${cells.join('')}</span>`;
}

/** Links to the cases that failed a check. */
export function renderCaseLinks(results: readonly ShownCase[]): string {
  return results.map((result) => `<a href="#${anchorOf(result)}">${escapeHtml(result.id)}</a>`).join(', ');
}

/** The cases by category, in the order of the run, with a filter. */
export function renderCases(results: readonly ShownCase[]): string {
  const categories = [...new Set(results.map((result) => result.category))];
  const groups = categories.map((category) => {
    const own = results.filter((result) => result.category === category);
    return `<section class="group"><h3>${escapeHtml(category)}</h3>\n${own.map(renderCase).join('\n')}</section>`;
  });
  return `${renderChoice(results)}\n${groups.join('\n')}`;
}

/** Works without a script: the style sheet depends on which input is checked. */
function renderChoice(results: readonly ShownCase[]): string {
  const missed = results.filter((result) => result.status !== 'passed').length;
  return `<fieldset class="choice"><legend class="soft small">Show</legend><label><input type="radio" name="show" id="show-all" checked> all ${results.length}</label><label><input type="radio" name="show" id="show-missed"> ${missed} not passed</label></fieldset>`;
}

function renderCase(result: ShownCase): string {
  const facts = [
    result.kind,
    result.level === undefined ? undefined : `level ${result.level}`,
    failureKindOf(result) === 'wrong wrapping' ? 'right value, wrong wrapping' : undefined,
    `${(result.score * 100).toFixed(0)}% of ${result.weight.toFixed(1)} points`,
    result.latency_ms === null ? undefined : showTime(result.latency_ms),
    result.attempts > 1 ? `${result.attempts} attempts` : undefined,
  ].filter((fact) => fact !== undefined);
  const checks =
    result.checks.length === 0
      ? '<p class="soft">Nothing was checked.</p>'
      : `<ul>${result.checks.map(renderCheck).join('')}</ul>`;
  // The anchor is inside, so that following a link to it unfolds the case.
  return `<details class="case ${result.status}"><summary><span class="status">${signs[result.status]} ${result.status}</span> <b>${escapeHtml(result.id)}</b> <span class="soft small">${escapeHtml(facts.join(' · '))}</span>${renderTeaser(result)}</summary><div id="${anchorOf(result)}">
<h4>Checks</h4>${checks}
${renderValues(result)}
<h4>Reply</h4>${renderReply(result)}
<h4>Prompt</h4>${renderPrompt(result)}
</div></details>`;
}

/** The result of a perfect reply, and what was read from this one. */
function renderValues({ expected, found, status }: ShownCase): string {
  if (expected === null || status === 'passed') return '';
  const read =
    found === null || found === undefined ? '<span class="soft">nothing</span>' : escapeHtml(found);
  return `<dl class="values"><dt>Expected</dt><dd>${escapeHtml(expected)}</dd><dt>Found</dt><dd>${read}</dd></dl>`;
}

function renderPrompt({ prompt, prompt_truncated: isCut }: ShownCase): string {
  if (prompt === null) return '<p class="soft">The prompt is not shown.</p>';
  const cut =
    isCut === true ? '<p class="soft small">Only the first part; the API returns the full prompt.</p>' : '';
  return `<pre>${escapeHtml(prompt)}</pre>${cut}`;
}

/** The message of the first failed check. */
function renderTeaser(result: ShownCase): string {
  const failed = result.checks.find((check) => !check.passed);
  const text =
    result.status === 'error' ? `No reply: ${result.error_code ?? 'unknown error'}.` : failed?.message;
  if (text === undefined) return '';
  return `<span class="teaser soft small">${escapeHtml(shorten(text, teaserCharacters, 0))}</span>`;
}

function renderReply(result: ShownCase): string {
  if (result.response_text === null) {
    return `<p class="warn">No reply after ${result.attempts} attempts: ${escapeHtml(result.error_code ?? 'unknown error')}.</p>`;
  }
  if (result.response_text === '') return '<p class="soft">The reply was empty.</p>';
  const cut =
    result.response_text.length < storedReplyCharacters
      ? ''
      : `<p class="soft small">Only the first ${storedReplyCharacters} characters are stored; the whole reply was graded.</p>`;
  return `<pre>${escapeHtml(result.response_text)}</pre>${cut}`;
}

function renderCheck(check: Check): string {
  const mark = check.passed ? '<b class="good">✓ passed</b>' : '<b class="bad">✗ failed</b>';
  return `<li>${mark} <b>${escapeHtml(check.name)}</b>: ${escapeHtml(check.message)}</li>`;
}

/** Not by id, which is arbitrary text. */
function anchorOf(result: ShownCase): string {
  return `case-${result.index}`;
}
