/** What the place does with the texts of suites: it checks and imports them. */
import { openDocument } from '#evals/own-suite/beside.ts';
import { type CheckedSuite, checkSuite } from '#evals/own-suite/check-suite.ts';
import {
  type ImportedSuite,
  type ImportFormat,
  type ImportOptions,
  importSuite,
} from '#evals/own-suite/import/import-suite.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';

export type CheckTask =
  | { readonly kind: 'check'; readonly text: string; readonly format: DocumentFormat }
  | {
      readonly kind: 'import';
      readonly text: string;
      /** Of JSON: perhaps a document with the files beside it. */
      readonly isJson: boolean;
      readonly from: ImportFormat;
      readonly options: ImportOptions;
    };

export type CheckAnswer =
  | { readonly kind: 'check'; readonly checked: CheckedSuite }
  | { readonly kind: 'import'; readonly imported: ImportedSuite };

export async function performCheck(task: CheckTask): Promise<CheckAnswer> {
  switch (task.kind) {
    case 'check':
      return { kind: 'check', checked: await checkSent(task) };
    case 'import':
      return { kind: 'import', imported: await importSent(task) };
  }
}

async function checkSent({ text, format }: Extract<CheckTask, { kind: 'check' }>): Promise<CheckedSuite> {
  const opened = openDocument({ text, format });
  if (typeof opened === 'string')
    return { ok: false, faults: [{ line: 1, column: 1, path: '', message: opened }], replies: [] };
  return checkSuite(opened.text, opened.format, opened.files);
}

async function importSent({
  text,
  isJson,
  from,
  options,
}: Extract<CheckTask, { kind: 'import' }>): Promise<ImportedSuite> {
  const opened = openDocument({ text, format: isJson ? 'json' : 'yaml' });
  if (typeof opened === 'string') return { ok: false, faults: [{ line: 1, column: 1, message: opened }] };
  const { files } = opened;
  return importSuite(opened.text, from, files === undefined ? options : { ...options, files });
}
