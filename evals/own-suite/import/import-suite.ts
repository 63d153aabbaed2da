/** Converts a file of another tool to a suite. */
import { checkDocument } from '../check-document.ts';
import type { SuiteDocument } from '../document.ts';
import { nameOf } from '../fault.ts';
import { maxCases, maxFaults } from '../limits.ts';
import type { LocatedFault } from '../read-document.ts';
import { importCsv, importInspect, importOpenaiEvals, inspectScorers, openaiTemplates } from './datasets.ts';
import type { Import, ImportedCase, Lost } from './imported.ts';
import { importPromptfoo } from './promptfoo.ts';

export const importFormats = ['inspect', 'promptfoo', 'openai-evals', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];

export interface ImportOptions {
  /** The name of the new suite. */
  readonly name: string;
  /** How replies are graded where the file does not say: a scorer of Inspect or a template of OpenAI Evals. */
  readonly grading?: string;
}

export type ImportedSuite =
  | { readonly ok: true; readonly document: SuiteDocument; readonly lost: readonly Lost[] }
  | { readonly ok: false; readonly faults: readonly LocatedFault[] };

export function importSuite(text: string, format: ImportFormat, options: ImportOptions): ImportedSuite {
  const imported = readFormat(text, format, options.grading);
  if (!imported.ok) return imported;
  const { kept, lost } = keepSound(imported.cases);
  const document = {
    suite: 1 as const,
    name: options.name,
    ...(imported.title === undefined ? {} : { title: imported.title }),
    cases: kept,
  };
  if (kept.length === 0) {
    const reasons = [...imported.lost, ...lost].map(({ line, construct, why }) => ({
      line,
      column: 1,
      message: `${construct}: ${why}`,
    }));
    const first = { line: 1, column: 1, message: 'No case could be imported.' };
    return { ok: false, faults: [first, ...reasons].slice(0, maxFaults) };
  }
  const checked = checkDocument(document);
  if (checked.ok) return { ok: true, document: checked.document, lost: [...imported.lost, ...lost] };
  return {
    ok: false,
    faults: checked.faults.map(({ path, message }) => ({
      line: 1,
      column: 1,
      message: `${nameOf(path)}: ${message}`,
    })),
  };
}

function readFormat(text: string, format: ImportFormat, grading: string | undefined): Import {
  switch (format) {
    case 'inspect':
      return importInspect(
        text,
        inspectScorers.find((known) => known === grading),
      );
    case 'openai-evals':
      return importOpenaiEvals(
        text,
        openaiTemplates.find((known) => known === grading),
      );
    case 'promptfoo':
      return importPromptfoo(text);
    case 'csv':
      return importCsv(text);
  }
}

const rule = 'It breaks a rule.';

const checkAlone = (made: Omit<ImportedCase, 'line'>) =>
  checkDocument({ suite: 1, name: 'abc', cases: [made] });

/** The cases that a suite can have, and why it cannot have the others. Ids that occur twice are dropped. */
function keepSound(cases: readonly ImportedCase[]): {
  readonly kept: readonly Omit<ImportedCase, 'line'>[];
  readonly lost: readonly Lost[];
} {
  const ids = new Set<string>();
  const lost: Lost[] = [];
  const kept = cases.flatMap((each, at) => {
    const { line, id, ...rest } = each;
    const taken = id !== undefined && ids.has(id);
    if (id !== undefined) ids.add(id);
    const whole = taken || id === undefined ? rest : { id, ...rest };
    const name = `case ${id ?? at + 1}`;
    let made = whole;
    let checked = checkAlone(whole);
    if (!checked.ok && whole.expect.length > 1) {
      // One grader that a suite cannot have, such as an expression that looks behind, does not cost the others.
      const graders = whole.expect.map((grader) => ({
        grader,
        alone: checkAlone({ ...whole, expect: [grader] }),
      }));
      const sound = graders.filter(({ alone }) => alone.ok).map(({ grader }) => grader);
      if (sound.length > 0 && sound.length < graders.length) {
        made = { ...whole, expect: sound };
        checked = checkAlone(made);
        for (const { alone } of graders)
          if (checked.ok && !alone.ok)
            lost.push({ line, construct: `grader of ${name}`, why: alone.faults[0]?.message ?? rule });
      }
    }
    if (checked.ok && at < maxCases) return [made];
    const why = checked.ok
      ? `A suite must have at most ${maxCases} cases.`
      : (checked.faults[0]?.message ?? rule);
    lost.push({ line, construct: name, why });
    return [];
  });
  return { kept, lost };
}
