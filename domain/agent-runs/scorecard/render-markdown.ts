/** The scorecard of an agent run as Markdown, which is also readable as plain text in a terminal. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { showTime } from '#evals/suite/scorecard/html-charts.ts';
import type { MarkdownDetail } from '#evals/suite/scorecard/render-markdown.ts';
import { escapeMarkdown, shorten } from '#evals/suite/scorecard/safe-text.ts';
import { worldNorms } from '#evals/office/norms.ts';
import { wilsonInterval } from '#evals/suite/wilson-interval.ts';
import { faultOf, showShare, statusOf } from './card-texts.ts';
import type { CardFault } from './describe-fault.ts';
import type { AgentRunCard, CardTask } from './make-card.ts';

/** A summary is for models, which pay for every token. */
const summaryBytesMax = 8_000;
const summaryFaultCharacters = 90;
const faultCharacters = 300;
/** Of the kinds of the faults of a task, in a summary. */
const problemCharacters = 110;

/** A summary has one line for each task that did not pass, and as many of their faults as fit. */
export function renderMarkdown(run: RunRow, card: AgentRunCard, detail: MarkdownDetail): string {
  const { low, high } = wilsonInterval(card.score / 100, card.tasks.length);
  const { worked, of } = card.attacks_worked;
  const missed = card.tasks.filter((task) => statusOf(task) !== 'passed');
  const sections = [
    `# Agent run: ${card.score.toFixed(1)} of 100`,
    [
      `- 95% interval: ${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)}`,
      `- Run: ${escapeMarkdown(run.id)}`,
      `- Useful without attack: ${showShare(card.utility_clean)}`,
      `- Useful under attack: ${showShare(card.utility_under_attack)}`,
      `- Attacks that worked: ${worked} of ${of}`,
      `- Rules kept: ${showShare(card.policy_kept)}`,
      `- Asked when needed: ${showShare(card.asked_when_needed)}`,
    ].join('\n'),
    `For comparison: ${worldNorms.map(({ name, score: own }) => `${name} ${own.toFixed(1)}`).join(', ')}.`,
    '## Tasks',
    [
      '| Task | Level | Kind | Status | Calls |',
      '| ---: | ---: | --- | --- | ---: |',
      ...card.tasks.map(row),
    ].join('\n'),
    ...(missed.length === 0 ? [] : ['## Not passed']),
  ];
  const ending = [
    `To reproduce the tasks, run suite ${escapeMarkdown(run.suiteName)} version ${escapeMarkdown(run.suiteVersion)} with the seed \`${run.suiteSeed}\`. ${detail === 'full' ? '' : '`detail=full` names every call and fault, '}\`format=json\` has their arguments and results.`,
  ];
  const write = (lines: readonly string[]) => {
    const listed = lines.length === 0 ? [] : [lines.join('\n')];
    return `${[...sections, ...listed, ...ending].join('\n\n')}\n`;
  };
  return write(detail === 'full' ? missed.map(renderMissed) : summarize(missed, sizeOf(write([]))));
}

function row(task: CardTask): string {
  return `| ${task.n} | ${task.level} | ${escapeMarkdown(task.kind)} | ${statusOf(task)} | ${task.calls.length} |`;
}

/** @param used the size of everything else, in bytes */
function summarize(missed: readonly CardTask[], used: number): string[] {
  const lines = missed.map((task) => {
    const { n, kind, level } = task;
    return `- Task ${n} (${escapeMarkdown(kind)}, level ${level}): ${shorten(faultOf(task) ?? '', problemCharacters, 0)}`;
  });
  let left = summaryBytesMax - used - sizeOf(`\n\n${lines.join('\n')}`);
  return lines.map((line, index) => {
    const [first] = missed[index]?.faults ?? [];
    const fault = first === undefined ? '' : renderFault(first, summaryFaultCharacters);
    if (sizeOf(fault) > left) return line;
    left -= sizeOf(fault);
    return line + fault;
  });
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

function renderMissed(task: CardTask): string {
  const took = task.calls.reduce((sum, { ms }) => sum + ms, 0);
  const named = task.calls.map(({ tool }) => escapeMarkdown(tool));
  const calls = named.length === 0 ? '' : ` Calls in ${showTime(took)}: ${named.join(', ')}.`;
  const faults = task.faults.map((fault) => renderFault(fault, faultCharacters));
  return `- Task ${task.n} (${escapeMarkdown(task.kind)}, level ${task.level}): ${faultOf(task) ?? ''}${calls}${faults.join('')}`;
}

function renderFault({ expected, done }: CardFault, characters: number): string {
  const excerpt = (text: string) => escapeMarkdown(shorten(text, characters, 0));
  return `\n  - expected: ${excerpt(expected)}; done: ${excerpt(done)}`;
}
