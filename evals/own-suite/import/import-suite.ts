/** Converts a file of another tool to a suite. */
import { FilesBeside, type FilesGiven, TooManyFilesError } from '../beside.ts';
import { checkDocument } from '../check-document.ts';
import type { SentCase, SuiteDocument } from '../document.ts';
import { nameOf } from '../fault.ts';
import { maxDocumentBytes, maxFaults } from '../limits.ts';
import type { LocatedFault } from '../read-document.ts';
import {
  csvColumns,
  type Gradings,
  importCsv,
  importInspect,
  importOpenaiEvals,
  scorers,
  templates,
} from './datasets.ts';
import { type Import, type ImportFormat, UnreadableError } from './imported.ts';
import { type CodeFile, ImportedJudges } from './imported-judges.ts';
import { keepSound, withoutImages } from './keep-sound.ts';
import type { Lost } from './lost-list.ts';
import { importPromptfoo } from './promptfoo.ts';
import type { ColumnMap, Importing } from './records.ts';

interface Format {
  /** The fields of records that may have other names in a file. */
  readonly mappable: readonly string[];
  readonly gradings: Gradings;
  readonly convert: (text: string, given: Importing) => Import;
}

const formats = {
  inspect: {
    mappable: ['input', 'target', 'choices', 'id'],
    gradings: scorers,
    convert: importInspect,
  },
  promptfoo: { mappable: [], gradings: {}, convert: importPromptfoo },
  'openai-evals': {
    mappable: ['input', 'ideal', 'criteria', 'id'],
    gradings: templates,
    convert: importOpenaiEvals,
  },
  csv: { mappable: csvColumns, gradings: {}, convert: importCsv },
} as const satisfies Readonly<Record<ImportFormat, Format>>;

export interface ImportOptions {
  /** The name of the new suite. */
  readonly name: string;
  /** How replies are graded where the file does not say: a scorer of Inspect or a template of OpenAI Evals. */
  readonly grading?: string;
  /** Whether files can be written beside the suite. By default, code is lost. */
  readonly writesFiles?: boolean;
  /** The names of the file for those of the format, such as `prompt=question,expected=answer`. */
  readonly map?: string;
  /** Answers to the names of files in it. Without them, what is in files is lost. */
  readonly files?: FilesGiven;
  /** Whether cases without graders are kept: every reply but an empty one passes them. */
  readonly keepUngraded?: boolean;
}

/** Its images are paths and data URLs, which publishing takes in. */
export interface ImportedDocument extends Omit<SuiteDocument, 'cases'> {
  readonly cases: readonly SentCase[];
}

export type ImportedSuite =
  | {
      readonly ok: true;
      readonly document: ImportedDocument;
      readonly lost: readonly Lost[];
      readonly warnings: readonly string[];
      /** Files to be written beside the suite, which judges run. */
      readonly code: readonly CodeFile[];
    }
  | {
      readonly ok: false;
      readonly faults: readonly LocatedFault[];
      /** Names and patterns of files that must be given too, relative to the folder of the source. */
      readonly missing?: readonly string[];
    };

export async function importSuite(
  given: string,
  format: ImportFormat,
  options: ImportOptions,
): Promise<ImportedSuite> {
  const text = given.replace(/^\ufeff/, '');
  if (Buffer.byteLength(text) > maxDocumentBytes)
    return refuse(`The file must have at most ${maxDocumentBytes} bytes.`);
  const { convert, ...rules }: Format = formats[format];
  const { grading, keepUngraded = false } = options;
  const unknown = faultOfGrading(format, rules, grading);
  if (unknown !== null) return refuse(unknown);
  const map = readMap(format, rules, options.map);
  if (typeof map === 'string') return refuse(map);
  try {
    const files = new FilesBeside(options.files);
    const imported = convert(text, { map, grading, files, keepUngraded });
    const missing = files.missing();
    if (missing.length > 0) return { ok: false, faults: [], missing };
    return await suiteOf(imported, options);
  } catch (error) {
    if (error instanceof TooManyFilesError) return refuse(error.message);
    if (error instanceof UnreadableError) return { ok: false, faults: error.faults };
    throw error;
  }
}

async function suiteOf(
  imported: Import,
  { name, keepUngraded = false, writesFiles = false }: ImportOptions,
): Promise<ImportedSuite> {
  const judges = new ImportedJudges(writesFiles ? name : null);
  const named = imported.cases.map((each) => judges.name(each, imported.lost));
  const kept = await keepSound(named, imported.lost, { keepUngraded, judges });
  const lost = imported.lost.entries();
  const document = {
    suite: 1 as const,
    name,
    ...(imported.title === undefined ? {} : { title: imported.title }),
    ...judges.of(kept),
    ...(imported.tools === undefined ? {} : { tools: imported.tools }),
    ...(imported.lost.leftOut === 0 ? {} : { left_out: imported.lost.leftOut }),
    cases: kept,
  };
  if (kept.length === 0) {
    const reasons = lost.map(({ line, construct, why, file }) => ({
      line,
      column: 1,
      message: `${file === undefined ? '' : `${file}: `}${construct}: ${why}`,
    }));
    const first = { line: 1, column: 1, message: 'No case could be imported.' };
    return { ok: false, faults: [first, ...reasons].slice(0, maxFaults) };
  }
  const checked = checkDocument({ ...document, cases: kept.map(withoutImages) });
  return checked.ok
    ? {
        ok: true,
        document: {
          ...checked.document,
          cases: checked.document.cases.map(({ messages: _own, ...each }, at) => {
            const { messages } = kept[at] ?? {};
            return messages === undefined ? each : { ...each, messages };
          }),
        },
        lost,
        warnings: [...(imported.warnings ?? []), ...checked.warnings],
        code: judges.files(kept),
      }
    : refuse(...checked.faults.map(({ path, message }) => `${nameOf(path)}: ${message}`));
}

function refuse(...messages: readonly string[]): ImportedSuite {
  return { ok: false, faults: messages.map((message) => ({ line: 1, column: 1, message })) };
}

function faultOfGrading(
  format: ImportFormat,
  { gradings }: Pick<Format, 'gradings'>,
  grading: string | undefined,
): string | null {
  if (grading === undefined || Object.hasOwn(gradings, grading)) return null;
  const known = Object.keys(gradings);
  return known.length === 0
    ? `\`grading\` must not be given for ${format}; how replies are graded is in the file.`
    : `\`grading\` must be one of ${known.join(', ')} for ${format}; it is ${JSON.stringify(grading.slice(0, 64))}.`;
}

/** @returns what is wrong with it, in a sentence, if it cannot be used */
function readMap(
  format: ImportFormat,
  { mappable: known }: Pick<Format, 'mappable'>,
  given: string | undefined,
): ColumnMap | string {
  if (given === undefined) return new Map();
  if (known.length === 0) return `\`map\` must not be given for ${format}, whose fields have fixed names.`;
  const pairs = given.split(',').map((pair) => pair.split('=').map((name) => name.trim()));
  const map = new Map<string, string>();
  for (const [name = '', column = '', more] of pairs) {
    if (!known.includes(name) || column === '' || more !== undefined || map.has(name))
      return `\`map\` must be pairs such as ${known[0]}=COLUMN, separated by commas, each for another one of ${known.join(', ')}.`;
    map.set(name, column);
  }
  const isDoubled = new Set(map.values()).size < map.size;
  return isDoubled ? '`map` must name another column for each field.' : map;
}
