/** What the place does with the texts of suites: it checks and imports them. */
import { openDocument } from '#evals/own-suite/beside.ts';
import { type CheckedSuite, checkSuite } from '#evals/own-suite/check-suite.ts';
import { type ImportedSuite, type ImportOptions, importSuite } from '#evals/own-suite/import/import-suite.ts';
import type { ImportFormat } from '#evals/own-suite/import/imported.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';

export interface SentText {
  readonly text: string;
  /** JSON may be a document with the files beside it. */
  readonly format: DocumentFormat;
}

export type CheckTask =
  | ({ readonly kind: 'check' } & SentText)
  | ({ readonly kind: 'import'; readonly from: ImportFormat; readonly options: ImportOptions } & SentText);

export type CheckAnswer<Task extends CheckTask = CheckTask> = Task extends { readonly kind: 'check' }
  ? CheckedSuite
  : ImportedSuite;

export async function performCheck(task: CheckTask): Promise<CheckAnswer> {
  const opened = openDocument({ text: task.text, format: task.format });
  if (typeof opened === 'string')
    return { ok: false, faults: [{ line: 1, column: 1, path: '', message: opened }], replies: [] };
  const { text, format, files } = opened;
  if (task.kind === 'check') return checkSuite(text, format, files);
  return importSuite(text, task.from, files === undefined ? task.options : { ...task.options, files });
}
