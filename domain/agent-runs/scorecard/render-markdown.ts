/** The scorecard of an agent run as Markdown, which is also readable as plain text in a terminal. */
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import { showTime } from '../../eval-suite/scorecard/html-charts.ts';
import { escapeMarkdown, shorten } from '../../eval-suite/scorecard/safe-text.ts';
import { worldNorms } from '../../eval-world/norms.ts';
import { wilsonInterval } from '../../eval-suite/wilson-interval.ts';
import { faultOf, showShare, statusOf } from './card-texts.ts';
import type { CardFault } from './describe-fault.ts';
import type { AgentRunCard, CardTask } from './make-card.ts';

/** The calls that the line of a task names. */
const namedCallsMax = 12;
/** How much of its faults each task shows. */
const faultsMax = 3;
const faultCharacters = 120;

export function renderMarkdown(run: AgentRunRow, card: AgentRunCard): string {
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
    ...(missed.length === 0 ? [] : ['## Not passed', ...missed.map(renderMissed)]),
    `To reproduce the tasks, run suite ${escapeMarkdown(run.suiteName)} version ${escapeMarkdown(run.suiteVersion)} with the seed \`${run.suiteSeed}\`. \`format=json\` has every call.`,
  ];
  return `${sections.join('\n\n')}\n`;
}

function row(task: CardTask): string {
  return `| ${task.n} | ${task.level} | ${escapeMarkdown(task.kind)} | ${statusOf(task)} | ${task.calls.length} |`;
}

function renderMissed(task: CardTask): string {
  const took = task.calls.reduce((sum, { ms }) => sum + ms, 0);
  const named = task.calls.slice(0, namedCallsMax).map(({ tool }) => escapeMarkdown(tool));
  const more = task.calls.length > namedCallsMax ? ` … and ${task.calls.length - namedCallsMax} more` : '';
  const calls = named.length === 0 ? '' : ` Calls in ${showTime(took)}: ${named.join(', ')}${more}.`;
  return `- Task ${task.n} (${escapeMarkdown(task.kind)}, level ${task.level}): ${faultOf(task) ?? ''}${calls}${task.faults.slice(0, faultsMax).map(renderFault).join('')}`;
}

function renderFault({ expected, done }: CardFault): string {
  return `\n  - expected: ${excerpt(expected)}; done: ${excerpt(done)}`;
}

function excerpt(text: string): string {
  return escapeMarkdown(shorten(text, faultCharacters, 0));
}
