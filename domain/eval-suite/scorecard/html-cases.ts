/** The cases of the HTML scorecard, each folded away with its prompt, reply and checks. */
import type { CaseResult, Check } from '../eval-case.ts';
import { storedReplyCharacters } from '../limits.ts';
import { escapeHtml } from './escape-html.ts';

const tones = { passed: 'good', failed: 'bad', error: 'warn' } as const;

/** The cases under a heading per category, in the order of the run. */
export function renderCases(results: readonly CaseResult[]): string {
  const categories = [...new Set(results.map((result) => result.category))];
  return categories
    .map((category) => {
      const own = results.filter((result) => result.category === category);
      return `<h3>${escapeHtml(category)}</h3>\n${own.map(renderCase).join('\n')}`;
    })
    .join('\n');
}

function renderCase(result: CaseResult): string {
  const facts = [
    result.kind,
    result.difficulty,
    `${(result.score * 100).toFixed(0)} % of ${result.weight.toFixed(1)} points`,
    result.latency_ms === null ? undefined : `${Math.round(result.latency_ms)} ms`,
    result.attempts > 1 ? `${result.attempts} attempts` : undefined,
  ].filter((fact) => fact !== undefined);
  const reply =
    result.response_text === null
      ? `<p class="warn">No reply: ${escapeHtml(result.error_code ?? 'unknown error')}.</p>`
      : result.response_text === ''
        ? '<p class="soft">The reply was empty.</p>'
        : `<pre>${escapeHtml(result.response_text)}</pre>${cutNote(result.response_text)}`;
  const checks =
    result.checks.length === 0
      ? '<p class="soft">Nothing was checked.</p>'
      : `<ul>${result.checks.map(renderCheck).join('')}</ul>`;
  return `<details><summary><span class="status ${tones[result.status]}">${result.status}</span> ${escapeHtml(result.id)} <span class="soft small">${escapeHtml(facts.join(' · '))}</span></summary><div>
<h4>Prompt</h4><pre>${escapeHtml(result.prompt)}</pre>
<h4>Reply</h4>${reply}
<h4>Checks</h4>${checks}
</div></details>`;
}

function renderCheck(check: Check): string {
  const mark = check.passed ? '<b class="good">✓ passed</b>' : '<b class="bad">✗ failed</b>';
  return `<li>${mark} <b>${escapeHtml(check.name)}</b>: ${escapeHtml(check.message)}</li>`;
}

function cutNote(reply: string): string {
  if (reply.length < storedReplyCharacters) return '';
  return `<p class="soft small">Only the first ${storedReplyCharacters} characters are kept; all of them were graded.</p>`;
}
