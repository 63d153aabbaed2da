/** Converts a file of another tool to a suite. */
import { checkDocument } from '../check-document.ts';
import type { SuiteDocument } from '../document.ts';
import { nameOf } from '../fault.ts';
import { maxCases, maxDocumentBytes, maxDocumentWork, maxFaults } from '../limits.ts';
import type { LocatedFault } from '../read-document.ts';
import { WorkBudget } from '../work-budget.ts';
import { importCsv, importInspect, importOpenaiEvals, inspectScorers, openaiTemplates } from './datasets.ts';
import type { Import, ImportedCase } from './imported.ts';
import type { Lost, LostList } from './lost-list.ts';
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
  | {
      readonly ok: true;
      readonly document: SuiteDocument;
      readonly lost: readonly Lost[];
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly faults: readonly LocatedFault[] };

export function importSuite(text: string, format: ImportFormat, options: ImportOptions): ImportedSuite {
  if (Buffer.byteLength(text) > maxDocumentBytes)
    return {
      ok: false,
      faults: [{ line: 1, column: 1, message: `The file must have at most ${maxDocumentBytes} bytes.` }],
    };
  const unknown = faultOfGrading(format, options.grading);
  if (unknown !== null) return { ok: false, faults: [{ line: 1, column: 1, message: unknown }] };
  const imported = readFormat(text, format, options.grading);
  if (!imported.ok) return imported;
  const kept = keepSound(imported.cases, imported.lost);
  const lost = imported.lost.entries();
  const document = {
    suite: 1 as const,
    name: options.name,
    ...(imported.title === undefined ? {} : { title: imported.title }),
    cases: kept,
  };
  if (kept.length === 0) {
    const reasons = lost.slice(0, maxFaults).map(({ line, construct, why }) => ({
      line,
      column: 1,
      message: `${construct}: ${why}`,
    }));
    const first = { line: 1, column: 1, message: 'No case could be imported.' };
    return { ok: false, faults: [first, ...reasons].slice(0, maxFaults) };
  }
  const checked = checkDocument(document);
  if (checked.ok) return { ok: true, document: checked.document, lost, warnings: checked.warnings };
  return {
    ok: false,
    faults: checked.faults.map(({ path, message }) => ({
      line: 1,
      column: 1,
      message: `${nameOf(path)}: ${message}`,
    })),
  };
}

const gradings: Readonly<Record<ImportFormat, readonly string[]>> = {
  inspect: inspectScorers,
  'openai-evals': openaiTemplates,
  promptfoo: [],
  csv: [],
};

function faultOfGrading(format: ImportFormat, grading: string | undefined): string | null {
  const known = gradings[format];
  if (grading === undefined || known.includes(grading)) return null;
  return known.length === 0
    ? `\`grading\` must not be given for ${format}; how replies are graded is in the file.`
    : `\`grading\` must be one of ${known.join(', ')} for ${format}; it is ${JSON.stringify(grading.slice(0, 64))}.`;
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
const tooManyCases = `A suite must have at most ${maxCases} cases.`;
const tooMuchWork = `Checking the cases up to here takes more than ${maxDocumentWork} steps. Use simpler graders, or import the file in parts.`;

type Made = Omit<ImportedCase, 'line'>;

/** Why a suite cannot have the case; null if it can. */
function faultOf(made: Made, work: WorkBudget): string | null {
  if (work.isSpent) return tooMuchWork;
  const checked = checkDocument({ suite: 1, name: 'abc', cases: [made] }, work);
  return checked.ok ? null : (checked.faults[0]?.message ?? rule);
}

/**
 * The cases that a suite can have; the others are lost, with the reason, and so is an id that occurs again. Checking all
 * cases may cost what checking a document may.
 */
function keepSound(cases: readonly ImportedCase[], lost: LostList): readonly Made[] {
  const work = new WorkBudget(maxDocumentWork);
  const ids = new Set<string>();
  return cases.flatMap((each, at) => {
    const { line, id, ...rest } = each;
    const taken = id !== undefined && ids.has(id);
    if (id !== undefined) ids.add(id);
    const whole = taken || id === undefined ? rest : { id, ...rest };
    const name = `case ${id ?? at + 1}`;
    if (taken) lost.add(line, `id ${id}`, 'An earlier case has it; this one is named by its content.');
    const why = at < maxCases ? faultOf(whole, work) : tooManyCases;
    if (why === null) return [whole];
    const made = at < maxCases ? withSoundGraders(whole, work) : null;
    if (made === null) {
      lost.add(line, name, why);
      return [];
    }
    for (const reason of made.reasons) lost.add(line, `grader of ${name}`, reason);
    return [made.case];
  });
}

/** One grader that a suite cannot have, such as an expression that looks behind, does not cost the others. */
function withSoundGraders(
  whole: Made,
  work: WorkBudget,
): { readonly case: Made; readonly reasons: readonly string[] } | null {
  if (whole.expect.length < 2) return null;
  const graders = whole.expect.map((grader) => ({
    grader,
    fault: faultOf({ ...whole, expect: [grader] }, work),
  }));
  const sound = graders.filter(({ fault }) => fault === null).map(({ grader }) => grader);
  const made = { ...whole, expect: sound };
  if (sound.length === 0 || sound.length === graders.length || faultOf(made, work) !== null) return null;
  return { case: made, reasons: graders.flatMap(({ fault }) => fault ?? []) };
}
