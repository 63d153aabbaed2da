/** Exports with one line an item and trial: JSONL, and CSV that no spreadsheet takes for formulas. */
import { type ExportedItem, type ExportedRun, type ExportedTrial, safeJson } from './run-export.ts';

export async function* exportJsonl(run: ExportedRun): AsyncGenerator<string> {
  for await (const item of run.items()) {
    for (const trial of item.trials) yield `${safeJson(rowOf(run, item, trial))}\n`;
  }
}

export async function* exportCsv(run: ExportedRun): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const item of run.items()) {
    for (const trial of item.trials) {
      const { tags, usage, lost_assertions: lost, title, ...row } = rowOf(run, item, trial);
      const cells = {
        ...row,
        name: title ?? item.id,
        tags: tags.join(';'),
        lost_assertions: lost.join(';'),
        earlier: trial.earlier.length === 0 ? null : safeJson(trial.earlier),
        calls: trial.calls.length === 0 ? null : safeJson(trial.calls),
        shortened: String(trial.shortened),
        input_tokens: usage?.input_tokens ?? null,
        output_tokens: usage?.output_tokens ?? null,
      };
      yield csvLine(columns.map((column) => cells[column]));
    }
  }
}

const columns = [
  'run_id',
  'name',
  'id',
  'trial',
  'tags',
  'status',
  'share',
  'expected',
  'found',
  'explanation',
  'reply',
  'error',
  'latency_ms',
  'input_tokens',
  'output_tokens',
  'judged_by',
  'review',
  'lost_assertions',
  'earlier',
  'calls',
  'shortened',
] as const;

function rowOf(
  run: ExportedRun,
  { id, title, tags, lost }: ExportedItem,
  { latencyMs, judgedBy, ...trial }: ExportedTrial,
) {
  return {
    run_id: run.id,
    id,
    title: title ?? null,
    tags,
    ...trial,
    latency_ms: latencyMs,
    judged_by: judgedBy,
    lost_assertions: lost ?? [],
  };
}

function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * Begins a formula where a cell may begin. A spreadsheet that takes `;`, tabs or line breaks for the ends of cells finds
 * such beginnings within texts, in quotation marks too. The sign comes first and what is before it second, so that the
 * time grows only with the text.
 */
const formula = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=(?:^|[;\t\r\n])[\s"]*.)|^(?=[\t\r\n])/g;

export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value.toWellFormed().replaceAll(formula, "'$&");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
