/** The cases of a report with their prompts and replies, as Markdown. */
import type { ExportedItem, ExportedTrial } from '../export/run-export.ts';
import { escapeMarkdown, fenced, oneLine, shorten } from '../safe-text.ts';
import type { Report } from './report.ts';
import { reasonOf, titled, verdictOf } from './summary.ts';

/** How much of the start and of the end of a prompt or a reply is shown. */
const excerptHead = 300;
const excerptTail = 400;

/** @param which `failed`: those that did not pass */
export async function* writeDetails({ run }: Report, which: 'failed' | 'full'): AsyncGenerator<string> {
  let heading = '\n## Cases\n';
  for await (const item of run.items()) {
    if (which === 'failed' && verdictOf(item) === 'passed') continue;
    yield heading + itemText(item);
    heading = '';
  }
}

function itemText(item: ExportedItem): string {
  const { tags, prompt, trials } = item;
  const parts = [
    `### ${escapeMarkdown(titled(item))}: ${verdictOf(item)}`,
    tags.map(escapeMarkdown).join(', '),
    prompt === null || prompt === '' ? '' : `Prompt:\n\n${excerpt(prompt)}`,
    ...trials.map((trial) => trialText(trial, trials.length)),
  ];
  return `\n${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function trialText(trial: ExportedTrial, trials: number): string {
  const reason = reasonOf(trial, (text) => escapeMarkdown(oneLine(text)));
  const parts = [
    trials === 1 ? '' : `Trial ${trial.trial}: ${trial.status}`,
    reason,
    trial.reply === null ? '' : `Reply:\n\n${excerpt(trial.reply)}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function excerpt(text: string): string {
  return fenced(shorten(text, excerptHead, excerptTail));
}
