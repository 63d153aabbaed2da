/** The report as one HTML file that opens without the hub: no script, no external resource. */
import { oneLine, showControlCharacters } from '../safe-text.ts';
import type { ExportedItem, ExportedTrial } from '../export/run-export.ts';
import { findingTexts } from './findings.ts';
import {
  comparedText,
  errorsText,
  factsText,
  flagOf,
  headline,
  metricsText,
  nameOf,
  partCells,
  partRows,
  type Report,
  scoreText,
  sectionsOf,
} from './report.ts';
import { reasonOf } from './summary.ts';

/** Of a prompt or a reply, and of what graders expected and found: many of them can find the same text. */
const textMax = 2_000;

/** One style element and no style attributes, so that a Content-Security-Policy can allow it by its hash. */
export const reportStyle =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;' +
  'padding:0 1rem;overflow-wrap:anywhere}' +
  'pre{white-space:pre-wrap;border:1px solid;padding:.5rem}table{border-collapse:collapse}' +
  'td,th{text-align:left;padding:.1rem 1rem .1rem 0}';

export async function* writeHtml(report: Report): AsyncGenerator<string> {
  const { run, bars } = report;
  const title = escaped(`${nameOf(report)}: ${headline(report)}`);
  yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">';
  yield `<title>${title}</title><style>${reportStyle}</style></head><body><main>`;
  const findings = findingTexts(report, (text) => oneLine(text, 400));
  if (findings.length > 0) {
    yield '<h1>Findings</h1><ol>';
    for (const { sentence, more } of findings)
      yield `<li><strong>${escaped(sentence)}</strong> ${escaped(more.join(' '))}</li>`;
    yield '</ol>';
  }
  for (const sentence of run.unseen) yield `<p>${escaped(sentence)}</p>`;
  const level = findings.length > 0 ? 'h2' : 'h1';
  yield `<${level}>${title}</${level}><p>Run <code>${escaped(run.id)}</code> (${escaped(factsText(report))})`;
  yield /^https?:\/\//.test(run.address) ? `: <a href="${escaped(run.address)}">its page</a></p>` : '</p>';
  yield `<p>${escaped(scoreText(report))}</p>`;
  for (const line of [metricsText(report), comparedText(report), errorsText(report, (text) => oneLine(text))])
    if (line !== null) yield `<p>${escaped(line)}.</p>`;
  for (const bar of bars)
    yield `<p>${bar.held ? 'Held' : 'Fell short'}: <code>${escaped(flagOf(bar))}</code>: ${escaped(bar.explanation)}.</p>`;
  if (run.tags.length > 0) {
    yield '<table><thead><tr><th>Tag</th><th>Passed</th><th>Cases</th></tr></thead><tbody>';
    for (const part of partRows(report)) {
      const cells = [escaped(part.tag), ...partCells(part)];
      yield `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    }
    yield '</tbody></table>';
  }
  for (const section of await sectionsOf(report)) {
    yield `<h2>${escaped(section.title)} (${section.count})</h2>`;
    for (const item of section.items) yield itemOf(item);
    if (section.count > section.items.length)
      yield `<p>And ${section.count - section.items.length} more.</p>`;
  }
  yield '</main></body></html>\n';
}

function itemOf({ id, title = '', tags, prompt, trials }: ExportedItem): string {
  const typical = trials.find(({ status }) => status !== 'passed') ?? trials[0];
  return [
    `<details><summary><code>${escaped(id)}</code> <bdi>${escaped(oneLine(title))}</bdi> ${escaped(tags.join(', '))}</summary>`,
    textOf('Prompt', prompt),
    typical === undefined ? '' : trialOf(typical),
    '</details>',
  ].join('');
}

function trialOf(trial: ExportedTrial): string {
  const reason = reasonOf(trial, shortened);
  return `${reason === '' ? '' : `<p>${escaped(reason)}</p>`}${textOf('Reply', trial.reply)}`;
}

function textOf(title: string, text: string | null): string {
  if (text === null || text === '') return '';
  return `<h3>${title}</h3><pre>${escaped(shortened(text))}</pre>`;
}

function shortened(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax)}…`;
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return showControlCharacters(text).replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign);
}
