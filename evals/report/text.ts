/** The report that the command `evaluate` prints, and the summary for a pull request. */
import { escapeMarkdown, oneLine, showControlCharacters } from '../safe-text.ts';
import { findingTexts } from './findings.ts';
import {
  factsText,
  flagOf,
  headline,
  whyNot,
  nameOf,
  notesOf,
  partCells,
  partOf,
  partRows,
  type Report,
  scoreText,
  type Section,
  sectionsOf,
} from './report.ts';
import { reasonOf, titled } from './summary.ts';

const noBar =
  'No bar was set, so exit code 0 only says that the run completed. Add --min-pass, or --baseline and --fail-on.';

/** The health check has dozens of topics; its parts come first. */
const partsMax = 20;

export async function* writeText(report: Report): AsyncGenerator<string> {
  const { run, bars, outcome } = report;
  const lines = findingTexts(report, sentence).flatMap(({ sentence: said, more }) => [
    `* ${said}`,
    ...more.map((line) => `  ${line}`),
  ]);
  lines.push(...run.unseen.map(showControlCharacters));
  if (lines.length > 0) lines.push('');
  lines.push(`${nameOf(report)}: ${headline(report)}`);
  lines.push(`Run ${run.id}: ${run.address}`);
  lines.push(...notesOf(report, plain));
  for (const section of await sectionsOf(report)) {
    lines.push('', `${section.title} (${section.count})`);
    lines.push(...listed(section, plain).map((item) => `  ${item}`));
  }
  lines.push('');
  for (const bar of bars)
    lines.push(`${bar.held ? 'Held' : 'FELL SHORT'}: ${flagOf(bar)}: ${plain(bar.explanation)}.`);
  if (outcome === 'not_possible') lines.push(`NOT POSSIBLE: ${whyNot(report)}.`);
  else if (bars.length === 0) lines.push(noBar);
  yield `${lines.join('\n')}\n`;
}

export async function* writeMarkdown(report: Report): AsyncGenerator<string> {
  const { run, bars, outcome } = report;
  const verdict =
    outcome === 'not_possible' && (bars.length > 0 || run.unanswered === 0)
      ? whyNot(report)
      : bars.length === 0
        ? headline(report)
        : outcome === 'held'
          ? 'all bars held'
          : 'a bar fell short';
  const lines = findingTexts(report, (text) => escapeMarkdown(sentence(text))).map(
    ({ sentence: said, more }) => [`- **${said}**`, ...more].join(' '),
  );
  if (lines.length > 0) {
    lines.unshift('# Findings', '');
    lines.push('');
  }
  if (run.unseen.length > 0) lines.push(run.unseen.map(escapeMarkdown).join(' '), '');
  lines.push(`## ${code(nameOf(report))}: ${verdict}`, '');
  for (const bar of bars)
    lines.push(`- ${bar.held ? 'Held' : '**Fell short**'}: ${code(flagOf(bar))}: ${code(bar.explanation)}`);
  if (bars.length > 0) lines.push('', `Result: ${headline(report)}.`);
  lines.push(scoreText(report));
  lines.push(`Run ${code(run.id)} (${escapeMarkdown(factsText(report))}): <${run.address}>`);
  for (const note of notesOf(report, code)) lines.push('', `${note}.`);
  const parts = partRows(report);
  if (parts.length > 0) lines.push('', `| Tag | Passed | Cases |`, '|---|--:|--:|');
  for (const part of parts.slice(0, partsMax))
    lines.push(`| ${[code(part.tag), ...partCells(part)].join(' | ')} |`);
  if (parts.length > partsMax) lines.push('', `And ${parts.length - partsMax} more.`);
  for (const section of await sectionsOf(report)) {
    lines.push('', `### ${section.title} (${section.count})`, '');
    lines.push(...byPart(section));
  }
  yield `${lines.join('\n')}\n`;
}

/** Under the first tag of each case, the one with the most cases first. */
function byPart(section: Section): string[] {
  const { items, count, parts } = section;
  if (parts.size < 2) return listed(section, code).map((item) => `- ${item}`);
  const shown = [...Map.groupBy(items, partOf)].map(([part, own]) => ({
    part,
    section: { ...section, items: own, count: parts.get(part) ?? own.length },
  }));
  const lines = shown
    .toSorted((one, other) => other.section.count - one.section.count)
    .flatMap(({ part, section: own }) => [
      `- ${code(part)} (${own.count})`,
      ...listed(own, code).map((item) => `  - ${item}`),
    ]);
  const left = shown.reduce((rest, { section: own }) => rest - own.count, count);
  return left > 0 ? [...lines, `- and ${left} more`] : lines;
}

/** With the reason of the first trial that did not pass. */
function listed({ items, count }: Section, show: (text: string) => string): string[] {
  const shown = items.map((item) => {
    const trial = item.trials.find(({ status }) => status !== 'passed');
    const reason = trial === undefined ? '' : reasonOf(trial, show);
    const id = show(titled(item));
    return reason === '' ? id : `${id}: ${reason}`;
  });
  return count > items.length ? [...shown, `and ${count - items.length} more`] : shown;
}

/** Of the hub, with a few words of the agent in it. */
function sentence(text: string): string {
  return oneLine(text, 400);
}

function plain(text: string): string {
  return oneLine(text) || 'nothing';
}

/** A code span: nothing in it is markup, a link or the mention of a user. */
function code(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  if (line === '') return 'nothing';
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}
