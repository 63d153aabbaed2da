/** The report as one HTML file that opens without the hub: no script, no external resource. */
import { percentText, pointsText } from '../rates.ts';
import { oneLine, showControlCharacters, showTime } from '../safe-text.ts';
import { type ExportedItem, type ExportedTrial, safeJson } from '../export/run-export.ts';
import { findingTexts } from './findings.ts';
import { reportStyle } from './html-style.ts';
import {
  factsText,
  flagOf,
  headline,
  missingIn,
  nameOf,
  notesOf,
  partCells,
  partRows,
  type Report,
  type Section,
  sectionsOf,
  whyNot,
} from './report.ts';
import { verdictOf, whatIsMissing, whyNone } from './summary.ts';

/** Of a prompt or a reply, and of what graders expected and found: many of them can find the same text. */
const textMax = 2_000;
const glimpseMax = 140;
const casesMax = 100;
const trialsMax = 8;

export async function* writeHtml(report: Report): AsyncGenerator<string> {
  const title = `${nameOf(report)}: ${headline(report)}`;
  yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">';
  yield `<title>${escaped(title)}</title><style>${reportStyle}</style></head><body><main>`;
  yield headOf(report);
  yield findingsOf(report);
  yield figuresOf(report);
  yield tagsOf(report);
  for (const section of await sectionsOf(report, { max: casesMax, withPassed: true })) {
    yield `<section><h2>${escaped(section.title)} <small>${section.count}</small></h2><ul class="cases">`;
    for (const item of section.items) yield caseOf(item);
    yield `</ul>${moreIn(section)}</section>`;
  }
  yield '</main></body></html>\n';
}

function headOf(report: Report): string {
  const { run, bars, outcome } = report;
  const { label, address } = run;
  const link = /^https?:\/\//.test(address) ? ` · <a href="${escaped(address)}">its page</a>` : '';
  const named = label === null ? '' : ` <span class="chip">${escaped(label)}</span>`;
  return [
    `<header><h1>${escaped(run.suite.name)} <small>version ${escaped(run.suite.version)}</small>${named}</h1>`,
    `<p class="soft">${escaped(factsText(report))}${link}</p>`,
    outcome === 'not_possible' ? `<p class="note bad">Not possible: ${escaped(whyNot(report))}.</p>` : '',
    ...bars.map(
      (bar) =>
        `<p class="bar"><span class="chip ${bar.held ? 'good' : 'bad'}">${bar.held ? 'held' : 'fell short'}</span> <code>${escaped(flagOf(bar))}</code> ${escaped(bar.explanation)}</p>`,
    ),
    '</header>',
  ].join('');
}

function findingsOf(report: Report): string {
  const findings = findingTexts(report, (text) => oneLine(text, 400));
  const notes = report.run.unseen.map((sentence) => `<p class="note">${escaped(sentence)}</p>`).join('');
  if (findings.length === 0) return notes === '' ? '' : `<section>${notes}</section>`;
  const items = findings.map(
    ({ sentence, more }) =>
      `<li><strong>${escaped(sentence)}</strong> <span class="soft">${escaped(more.join(' '))}</span></li>`,
  );
  return `<section><h2>Findings</h2><ol class="findings">${items.join('')}</ol>${notes}</section>`;
}

function figuresOf(report: Report): string {
  const { run, summary } = report;
  const { value, low, high } = run.passRate;
  const { passed, flaky, failed, error, ungraded } = summary.verdicts;
  const latencies = `<dt>Cases</dt><dd>${summary.items}</dd>`;
  const counts = Object.entries({ passed, flaky, failed, error, ungraded })
    .filter(([name, number]) => number > 0 || name === 'passed')
    .map(
      ([name, number]) =>
        `<div><dt>${name === 'error' ? `without a ${missingIn(run)}` : name}</dt><dd class="${tones[name as keyof typeof tones]}">${number}</dd></div>`,
    );
  const partial = run.partialCases.length;
  const lost = partial === 0 ? '' : `<div><dt>lost assertions</dt><dd class="warn">${partial}</dd></div>`;
  return [
    '<section class="figures"><div>',
    `<p class="numeral">${pointsText(100 * value)}</p><p class="soft">% passed<br>95% interval ${percentText(low)} to ${percentText(high)}</p></div><div>`,
    intervalOf(low, value, high),
    `<dl class="tiles"><div>${latencies}</div>${counts.join('')}${lost}</dl>`,
    ...notesOf(report, plain).map((note) => `<p>${escaped(note)}.</p>`),
    '</div></section>',
  ].join('');
}

function plain(text: string): string {
  return oneLine(text);
}

/** Attributes of SVG, because a policy may forbid styles of elements. */
function intervalOf(low: number, value: number, high: number): string {
  const [from, to, at] = [low, high, value].map((share) => (1_000 * share).toFixed(0));
  const label = `${percentText(value)} passed, 95% interval ${percentText(low)} to ${percentText(high)}`;
  return (
    `<svg class="interval" viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label="${escaped(label)}">` +
    '<rect class="track" y="8" width="1000" height="8"/>' +
    `<rect class="band" x="${from}" y="8" width="${Number(to) - Number(from)}" height="8"/>` +
    `<rect class="mark" x="${Math.max(0, Number(at) - 4)}" width="8" height="24"/></svg>`
  );
}

function tagsOf(report: Report): string {
  const parts = partRows(report);
  if (parts.length === 0) return '';
  const rows = parts.map((part) => {
    const [share, cases] = partCells(part);
    const bar = `<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect class="mark" width="${(100 * part.value).toFixed(0)}" height="6"/></svg>`;
    return `<tr><td>${escaped(part.tag)}</td><td class="wide">${bar}</td><td>${escaped(share)}</td><td>${escaped(cases)}</td></tr>`;
  });
  return `<section><h2>By tag</h2><table><thead><tr><th>Tag</th><th class="wide"></th><th>Passed</th><th>Cases</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

const tones = { passed: 'good', flaky: 'warn', failed: 'bad', error: 'warn', ungraded: 'warn' } as const;
const signs = { passed: '✓', flaky: '~', failed: '✗', error: '!', ungraded: '?' } as const;

/** As the page of the run shows it: the first trial that did not pass stands for all. */
function caseOf(item: ExportedItem): string {
  const { id, title, tags, prompt, trials, lost = [] } = item;
  const verdict = verdictOf(item);
  const typical = trials.find(({ status }) => status !== 'passed') ?? trials[0];
  const marks =
    trials.length === 1
      ? []
      : [
          trials
            .slice(0, trialsMax)
            .map(({ status }) => signs[status])
            .join(' '),
        ];
  const time = typical?.latencyMs == null ? [] : [showTime(typical.latencyMs)];
  const meta = [...marks, ...tags, ...time].map(escaped).join(' · ');
  const named =
    title === undefined
      ? `<b>${escaped(id)}</b>`
      : `<b dir="auto">${escaped(oneLine(title))}</b> <code>${escaped(id)}</code>`;
  const partial = lost.length === 0 ? '' : ' <span class="chip warn">lost assertions</span>';
  return [
    `<li><details><summary><span class="chip ${tones[verdict]}">${signs[verdict]} ${verdict}</span> ${named}${partial}`,
    meta === '' ? '' : ` <span class="meta">${meta}</span>`,
    glimpseOf(prompt, typical),
    '</summary>',
    lost.length === 0
      ? ''
      : `<p class="warn">Lost when the suite was imported: ${escaped(lost.join(', '))}</p>`,
    textOf('Asked', prompt),
    typical === undefined ? '' : trialOf(typical, trials.length > 1),
    '</details></li>',
  ].join('');
}

function glimpseOf(prompt: string | null, trial: ExportedTrial | undefined): string {
  const asked =
    prompt === null || prompt === '' ? '' : `<span class="line" dir="auto">${glimpse(prompt)}</span>`;
  if (trial === undefined || trial.status === 'passed') return asked;
  const { status, expected, found } = trial;
  if (status !== 'failed')
    return `${asked}<span class="line warn">${status === 'error' ? `${whatIsMissing(trial)}: ` : ''}${glimpse(whyNone(trial))}</span>`;
  if (expected === null) return asked;
  return `${asked}<span class="line" dir="auto"><span class="good">${glimpse(expected)}</span> → <span class="bad">${glimpse(found ?? '')}</span></span>`;
}

function glimpse(text: string): string {
  return escaped(oneLine(text, glimpseMax));
}

function trialOf(trial: ExportedTrial, isOneOfSeveral: boolean): string {
  const { status, expected, found, judgedBy, review, reply, earlier, calls } = trial;
  return [
    isOneOfSeveral ? `<h3>Trial ${trial.trial}: ${status}</h3>` : '',
    status === 'error'
      ? `<p class="warn">${escaped(`${whatIsMissing(trial)}: ${shortened(whyNone(trial))}`)}</p>`
      : '',
    status === 'ungraded'
      ? `<p class="warn">${escaped(`no verdict: ${trial.explanation ?? 'hidden'}`)}</p>`
      : '',
    ...earlier.map((text, at) => textOf(`Replied to message ${at + 1}`, text)),
    textOf('Called', calls.map((call) => `${call.name} ${safeJson(call.arguments ?? {})}`).join('\n')),
    textOf('Replied', reply),
    textOf('Expected', expected),
    status === 'passed' ? '' : textOf('Found', found),
    judgedBy === null ? '' : `<p class="soft">Judged by the runner: ${escaped(judgedBy)}</p>`,
    review === null ? '' : `<p class="warn">${escaped(review)}</p>`,
  ].join('');
}

function textOf(title: string, text: string | null): string {
  if (text === null || text === '') return '';
  return `<h3>${title}</h3><pre dir="auto">${escaped(shortened(text))}</pre>`;
}

function moreIn({ count, items }: Section): string {
  return count > items.length ? `<p class="soft">And ${count - items.length} more.</p>` : '';
}

function shortened(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax)}…`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return showControlCharacters(text).replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);
}
