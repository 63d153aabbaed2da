/**
 * A scorecard as Markdown, which is also readable as plain text in a terminal. The summary is for models, which pay for
 * every token; the full form has every item, and another one those that have not passed.
 */
import { pointsText } from '../rates.ts';
import {
  describeLevel,
  type Item,
  missedItems,
  type ScorecardModel,
  type Share,
  timeOfCalls,
  type Trial,
} from './model.ts';
import { escapeMarkdown, fenced, shorten, showTime } from './safe-text.ts';

/** `failed` is the full form of the items that have not passed. */
export type MarkdownDetail = 'summary' | 'failed' | 'full';

const summaryBytesMax = 8_000;
/** A summary lists all items of a run with at most this many. */
const listedMax = 24;
/** The maximum number of misses in a summary. */
const missesMax = 24;
const missCharacters = 110;
const summaryFaultCharacters = 90;
const faultCharacters = 300;
/** How much of the start and of the end of a prompt or a reply is shown. */
const excerptHead = 300;
const excerptTail = 400;

export function scorecardMarkdown(model: ScorecardModel, detail: MarkdownDetail): string {
  const head = [
    titleOf(model),
    factsOf(model),
    groupsOf(model),
    fixesOf(model),
    referencesOf(model),
    detail === 'summary' && model.items.length <= listedMax ? listOf(model.items) : '',
  ];
  const write = (items: readonly string[]) =>
    `${[...head, ...items, model.reproducing].filter((section) => section !== '').join('\n\n')}\n`;
  if (detail !== 'summary') {
    const items = detail === 'full' ? model.items : missedItems(model.items);
    return write(items.length === 0 ? [] : ['## Items', ...items.map(fullItem)]);
  }
  return write(summaryOfMisses(model, sizeOf(write([]))));
}

function titleOf({ title, score: { value, level, interval } }: ScorecardModel): string {
  const at = level === null ? '' : `, ${describeLevel(level)}`;
  return `# ${title}: ${pointsText(value)} of 100${at}\n\n\`${bar(value, 40)}\` 95% interval ${pointsText(interval.low)} to ${pointsText(interval.high)}`;
}

function factsOf({ id, facts, figures }: ScorecardModel): string {
  return [
    `- Run: ${escapeMarkdown(id)}`,
    ...facts.map(({ name, value }) => `- ${name}: ${escapeMarkdown(shorten(value, 200, 0))}`),
    ...figures.map(({ name, value, caption }) => `- ${name}: ${value} (${escapeMarkdown(caption)})`),
  ].join('\n');
}

/** The score of each group and its parts, to show where the agent breaks down. */
function groupsOf({ groups: { unit, columns, rows } }: ScorecardModel): string {
  return table(
    [unit, 'Score', 'Of', ...columns],
    rows.map(({ name, share, parts }) => [
      escapeMarkdown(name),
      pointsText(share.score),
      String(share.of),
      ...parts.map(partText),
    ]),
  );
}

function partText(part: Share | null): string {
  return part === null ? '–' : `${pointsText(part.score, 0)}% of ${part.of}`;
}

function fixesOf({ fixes, unit }: ScorecardModel): string {
  if (fixes.length === 0) return '';
  const lines = fixes.map(
    ({ title, points, skills, count }, index) =>
      `${index + 1}. ${escapeMarkdown(title)}: ${count} ${unit}(s), ${points.toFixed(1)} points${skills.length === 0 ? '' : ` (${escapeMarkdown(skills.join(', '))})`}`,
  );
  return `## What to fix first\n\n${lines.join('\n')}`;
}

function referencesOf({ references }: ScorecardModel): string {
  if (references.length === 0) return '';
  return `For comparison: ${references.map(({ name, score }) => `${name} ${score.toFixed(1)}`).join(', ')}.`;
}

function listOf(items: readonly Item[]): string {
  if (items.length === 0) return '';
  return table(
    ['Item', 'Level', 'Kind', 'Status', 'Calls'],
    items.map(({ name, level, kind, status, trials }) => [
      escapeMarkdown(name),
      String(level ?? '–'),
      escapeMarkdown(kind),
      status,
      String(trials.flatMap(({ calls }) => calls).length),
    ]),
  );
}

/**
 * A line for each miss, with as many of their faults as fit.
 *
 * @param used the size of everything else, in bytes
 */
function summaryOfMisses({ items }: ScorecardModel, used: number): string[] {
  const missed = missedItems(items);
  if (missed.length === 0) return items.length === 0 ? [] : ['Everything passed.'];
  const shown = missed.slice(0, missesMax).map((item) => ({ item, line: missLine(item, missCharacters) }));
  const more = () => (missed.length > shown.length ? [`- and ${missed.length - shown.length} more`] : []);
  const sizeNow = () =>
    used + sizeOf(['\n\n## Not passed\n', ...shown.map(({ line }) => line), ...more(), ''].join('\n'));
  while (shown.length > 1 && sizeNow() > summaryBytesMax) shown.pop();
  let left = summaryBytesMax - sizeNow();
  const lines = shown.map(({ item, line }) => {
    const [first] = item.trials.flatMap(({ faults }) => faults);
    const fault = first === undefined ? '' : faultLine(first, summaryFaultCharacters);
    if (sizeOf(fault) > left) return line;
    left -= sizeOf(fault);
    return line + fault;
  });
  return ['## Not passed', [...lines, ...more()].join('\n')];
}

function missLine(item: Item, characters: number): string {
  return `- ${escapeMarkdown(item.name)} (${aboutOf(item)}): ${escapeMarkdown(shorten(item.why ?? '', characters, 0))}`;
}

function aboutOf({ kind, level, status }: Item): string {
  const known = [kind === '' ? [] : [escapeMarkdown(kind)], level === null ? [] : [`level ${level}`]];
  return [...known.flat(), status].join(', ');
}

function faultLine({ expected, done }: Trial['faults'][number], characters: number): string {
  const excerpt = (text: string) => escapeMarkdown(shorten(text, characters, 0));
  return `\n  - expected: ${excerpt(expected)}; done: ${excerpt(done)}`;
}

function fullItem(item: Item): string {
  const { name, status, earned, facts, why, prompt, trials } = item;
  const points = earned === null ? '' : `, ${earned.toFixed(0)}% of its points`;
  const lines = [
    `### ${escapeMarkdown(name)}: ${status}${points}`,
    `${aboutOf(item)}${facts.map((fact) => `, ${escapeMarkdown(fact)}`).join('')}.`,
    why === null ? '' : escapeMarkdown(shorten(why, faultCharacters, 0)),
    ...trials.map((trial, index) => fullTrial(trial, trials.length === 1 ? null : index + 1)),
    callsOf(item),
    prompt.text === null
      ? (prompt.note ?? '')
      : `Prompt:\n\n${fenced(shorten(prompt.text, excerptHead, excerptTail))}`,
  ];
  return lines.filter((line) => line !== '').join('\n\n');
}

function fullTrial({ checks, result, faults, reply }: Trial, number: number | null): string {
  const sections = [
    number === null ? '' : `Trial ${number}:`,
    checks
      .map(({ name, passed, message }) => {
        const said = message === '' ? '' : `: ${escapeMarkdown(message)}`;
        return `- ${passed ? '✓' : '✗'} ${escapeMarkdown(name)}${said}`;
      })
      .join('\n'),
    faults
      .map((fault) => `- ${escapeMarkdown(fault.problem)}${faultLine(fault, faultCharacters)}`)
      .join('\n'),
    result === null ? '' : `Expected: ${escapeMarkdown(shorten(result.expected, excerptHead, 0))}`,
    reply === null
      ? ''
      : reply.text === null
        ? escapeMarkdown(shorten(reply.note ?? '', faultCharacters, 0))
        : `Reply:\n\n${fenced(shorten(reply.text, excerptHead, excerptTail))}`,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function callsOf(item: Item): string {
  const names = item.trials.flatMap(({ calls }) => calls).map(({ tool }) => escapeMarkdown(tool));
  return names.length === 0 ? '' : `Calls in ${showTime(timeOfCalls(item))}: ${names.join(', ')}.`;
}

function bar(score: number, width: number): string {
  const full = Math.round((score / 100) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** A table whose columns also line up unrendered. Numbers are on the right, the first column on the left. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const isNumber = (column: number) => column > 0 && rows.every((row) => /^[\d–]/.test(row[column] ?? ''));
  const pad = (text: string, column: number) =>
    isNumber(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  const rule = widths.map((width, column) =>
    isNumber(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [header.map(pad), rule, ...rows.map((row) => row.map(pad))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}
