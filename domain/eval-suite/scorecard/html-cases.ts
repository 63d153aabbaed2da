/**
 * The cases of the HTML scorecard: a cell for each in the overview, and a folded section with prompt, reply
 * and checks.
 */
import type { CaseResult, Check } from '../eval-case.ts';
import { storedReplyCharacters } from '../limits.ts';
import { escapeHtml, shorten } from './safe-text.ts';
import { showTime } from './html-charts.ts';

/** Shapes, so that the status does not depend on colour. */
const signs = { passed: '✓', failed: '✗', error: '!' } as const;

/** How much of a failed check's message the folded case shows. */
const teaserCharacters = 160;

/** One cell per case, which links to the case. */
export function renderCells(results: readonly CaseResult[]): string {
  const cells = results.map((result) => {
    const about = escapeHtml(
      [`${result.id}: ${result.status}`, result.difficulty].filter((part) => part !== undefined).join(', '),
    );
    return `<a class="cell ${result.status}" href="#${anchorOf(result)}" title="${about}" aria-label="${about}">${signs[result.status]}</a>`;
  });
  return `<span class="cells">${cells.join('')}</span>`;
}

/** Links to the cases that failed a check. */
export function renderCaseLinks(results: readonly CaseResult[]): string {
  return results.map((result) => `<a href="#${anchorOf(result)}">${escapeHtml(result.id)}</a>`).join(', ');
}

/** The cases by category, in the order of the run, with a filter. */
export function renderCases(results: readonly CaseResult[]): string {
  const categories = [...new Set(results.map((result) => result.category))];
  const groups = categories.map((category) => {
    const own = results.filter((result) => result.category === category);
    return `<section class="group"><h3>${escapeHtml(category)}</h3>\n${own.map(renderCase).join('\n')}</section>`;
  });
  return `${renderChoice(results)}\n${groups.join('\n')}`;
}

/** Works without a script: the style sheet depends on which input is checked. */
function renderChoice(results: readonly CaseResult[]): string {
  const missed = results.filter((result) => result.status !== 'passed').length;
  return `<fieldset class="choice"><legend class="soft small">Show</legend><label><input type="radio" name="show" id="show-all" checked> all ${results.length}</label><label><input type="radio" name="show" id="show-missed"> ${missed} not passed</label></fieldset>`;
}

function renderCase(result: CaseResult): string {
  const facts = [
    result.kind?.replaceAll('+', ', '),
    result.difficulty,
    `${(result.score * 100).toFixed(0)} % of ${result.weight.toFixed(1)} points`,
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
<h4>Reply</h4>${renderReply(result)}
<h4>Prompt</h4><pre>${escapeHtml(result.prompt)}</pre>
</div></details>`;
}

/** The message of the first failed check. */
function renderTeaser(result: CaseResult): string {
  const failed = result.checks.find((check) => !check.passed);
  const text =
    result.status === 'error' ? `No reply: ${result.error_code ?? 'unknown error'}.` : failed?.message;
  if (text === undefined) return '';
  return `<span class="teaser soft small">${escapeHtml(shorten(text, teaserCharacters, 0))}</span>`;
}

function renderReply(result: CaseResult): string {
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
function anchorOf(result: CaseResult): string {
  return `case-${result.index}`;
}
