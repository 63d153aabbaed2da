/** Imports texts, for tests of the results. */
import { type ImportOptions, importSuite } from '#evals/own-suite/import/import-suite.ts';
import type { ImportFormat } from '#evals/own-suite/import/imported.ts';

type More = Partial<ImportOptions>;

export async function importText(text: string, format: ImportFormat = 'promptfoo', more: More = {}) {
  const imported = await importSuite(text, format, { name: 'imported', ...more });
  if (!imported.ok) throw new Error(JSON.stringify(imported));
  const { document, lost } = imported;
  const lines = lost.map(({ line, construct }) => `${line} ${construct}`);
  return { ...imported, cases: document.cases, judges: Object.entries(document.judges ?? {}), lines };
}

/** The message of the first fault. */
export async function refusalOf(text: string, format: ImportFormat = 'promptfoo', more: More = {}) {
  const imported = await importSuite(text, format, { name: 'imported', ...more });
  return imported.ok ? 'imported' : (imported.faults[0]?.message ?? '');
}
