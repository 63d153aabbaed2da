/** Converts a file of another tool to a suite. */
import { FilesBeside, type FilesGiven, TooManyFilesError } from '../beside.ts';
import { checkDocument } from '../check-document.ts';
import type { SentCase, SuiteDocument } from '../document.ts';
import { nameOf } from '../fault.ts';
import { faultOfImage } from '../images.ts';
import { prepareCase, sampleAsReply } from '../grade-reply.ts';
import { graderName } from '../graders/registry.ts';
import {
  maxCases,
  maxDocumentBytes,
  maxDocumentWork,
  maxFaults,
  maxLost,
  maxLostCharacters,
  maxMessageImages,
  maxReplyWork,
  maxTags,
} from '../limits.ts';
import type { LocatedFault } from '../read-document.ts';
import { WorkBudget } from '../work-budget.ts';
import {
  csvColumns,
  type Gradings,
  importCsv,
  importInspect,
  importOpenaiEvals,
  scorers,
  templates,
} from './datasets.ts';
import { type Import, type ImportedCase, UnreadableError } from './imported.ts';
import { type CodeFile, ImportedJudges } from './imported-judges.ts';
import type { Lost, LostList } from './lost-list.ts';
import { importPromptfoo } from './promptfoo.ts';
import type { ColumnMap } from './records.ts';

interface Given {
  readonly map: ColumnMap;
  readonly grading: string | undefined;
  readonly files: FilesBeside;
  readonly keepUngraded: boolean;
}

interface Format {
  /** The fields of records that may have other names in a file. */
  readonly mappable: readonly string[];
  readonly gradings: Gradings;
  readonly convert: (text: string, given: Given) => Import;
}

const formats = {
  inspect: {
    mappable: ['input', 'target', 'choices', 'id'],
    gradings: scorers,
    convert: (text, { map, grading }) => importInspect(text, map, grading),
  },
  promptfoo: {
    mappable: [],
    gradings: {},
    convert: (text, { files, keepUngraded }) => importPromptfoo(text, files, keepUngraded),
  },
  'openai-evals': {
    mappable: ['input', 'ideal', 'criteria', 'id'],
    gradings: templates,
    convert: (text, { map, grading, files }) => importOpenaiEvals(text, map, files, grading),
  },
  csv: { mappable: csvColumns, gradings: {}, convert: (text, { map }) => importCsv(text, map) },
} as const satisfies Readonly<Record<string, Format>>;

export type ImportFormat = keyof typeof formats;
// The keys of the object are those of its type.
export const importFormats = Object.keys(formats) as readonly ImportFormat[];

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
  const unknown = faultOfGrading(format, rules, options.grading);
  if (unknown !== null) return refuse(unknown);
  const map = readMap(format, rules, options.map);
  if (typeof map === 'string') return refuse(map);
  try {
    const files = new FilesBeside(options.files);
    const imported = convert(text, {
      map,
      grading: options.grading,
      files,
      keepUngraded: options.keepUngraded === true,
    });
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

const rule = 'It breaks a rule.';
const tooManyCases = `A suite must have at most ${maxCases} cases.`;
const tooMuchWork = `Checking the cases up to here takes more than ${maxDocumentWork} steps. Use simpler graders, or import the file in parts.`;

type Made = Omit<ImportedCase, 'line' | 'file'>;

interface Checking {
  readonly judges: ImportedJudges;
  readonly work: WorkBudget;
}

/** Why a suite cannot have the case; null if it can. */
function faultOf(made: Made, { judges, work }: Checking): string | null {
  if (work.isSpent) return tooMuchWork;
  const image = faultOfImages(made);
  if (image !== null) return image;
  const cases = [withoutImages(made)];
  const checked = checkDocument({ suite: 1, name: 'abc', ...judges.of([made]), cases }, work);
  return checked.ok ? null : (checked.faults[0]?.message ?? rule);
}

/** Publishing takes the images in; before that, they are paths and data URLs. */
function withoutImages({ messages, ...made }: Made): Made {
  return messages === undefined
    ? made
    : { ...made, messages: messages.map(({ role, content }) => ({ role, content })) };
}

function faultOfImages({ messages = [] }: Made): string | null {
  for (const { role, images = [] } of messages) {
    if (images.length > 0 && role !== 'user') return 'Only messages of the user have images.';
    if (images.length > maxMessageImages) return `A message has at most ${maxMessageImages} images.`;
    const fault = images.map(faultOfImage).find((each) => each !== null);
    if (fault !== undefined) return `An image ${fault}.`;
  }
  return null;
}

interface Keeping {
  readonly keepUngraded: boolean;
  readonly judges: ImportedJudges;
}

/**
 * The cases that a suite can have; the others are lost, with the reason, and so is an id that occurs again. Checking all
 * cases may cost what checking a document may.
 */
async function keepSound(
  cases: readonly ImportedCase[],
  lost: LostList,
  { keepUngraded, judges }: Keeping,
): Promise<readonly Made[]> {
  const checking = { judges, work: new WorkBudget(maxDocumentWork) };
  const ids = new Set<string>();
  const kept: Made[] = [];
  for (const [at, { line, file, id, lost: gone = [], ...rest }] of cases.entries()) {
    const taken = id !== undefined && ids.has(id);
    if (id !== undefined) ids.add(id);
    const whole = taken || id === undefined ? rest : { id, ...rest };
    const name = `case ${id ?? at + 1}`;
    const leaveOut = (why: string) => lost.add(line, name, why, file);
    if (taken) lost.add(line, `id ${id}`, 'An earlier case has it; this one is named by its content.', file);
    const hasGraders = rest.expect.length > 0;
    if (!hasGraders && !keepUngraded) {
      leaveOut('It has no grader. Kept with `--keep-ungraded`, it would pass with any reply.');
      continue;
    }
    const asked = hasGraders ? whole : ungraded(marked(whole, gone));
    const why = at < maxCases ? faultOf(asked, checking) : tooManyCases;
    if (why === null && !hasGraders) {
      kept.push(asked);
      continue;
    }
    const made =
      why === null ? { case: whole, unsound: [] } : at < maxCases ? withSoundGraders(whole, checking) : null;
    if (made === null) {
      const names = whole.expect.map((spec) => `grader: ${graderName(spec)}`);
      const plain = ungraded(marked(whole, [...gone, ...names]));
      const isKept = keepUngraded && hasGraders && at < maxCases && faultOf(plain, checking) === null;
      if (isKept) kept.push(plain);
      if (isKept) lost.add(line, `graders of ${name}`, why ?? rule, file);
      else leaveOut(why ?? rule);
      continue;
    }
    for (const { fault } of made.unsound) lost.add(line, `grader of ${name}`, fault, file);
    const partial = marked(made.case, [...gone, ...made.unsound.map((each) => each.name)]);
    if (partial.lost === undefined || !(await passesAnything(partial, checking.work))) kept.push(partial);
    else if (keepUngraded) kept.push(ungraded(partial));
    else leaveOut('Without the assertions that were lost, an empty reply or its own prompt would pass.');
  }
  return kept;
}

const partialTag = 'lost-assertions';

/** Says in the case which of its assertions are lost. */
function marked(made: Made, lost: readonly string[]): Made {
  if (lost.length === 0) return made;
  const names = lost.map((name) => name.slice(0, maxLostCharacters));
  const listed =
    names.length > maxLost ? [...names.slice(0, maxLost - 1), `${names.length - maxLost + 1} more`] : names;
  return { ...tagged(made, partialTag), lost: listed };
}

function tagged(made: Made, tag: string): Made {
  return { ...made, tags: [...(made.tags ?? []).slice(0, maxTags - 1), tag] };
}

function ungraded(made: Made): Made {
  return { ...tagged(made, 'ungraded'), expect: [{ length: 'characters', min: 1 }] };
}

/**
 * Whether what is left of a case passes an agent that says nothing, or repeats what it is asked. A judge that is left
 * accepts neither.
 */
async function passesAnything(made: Made, whole: WorkBudget): Promise<boolean> {
  const echo = made.prompt ?? made.messages?.at(-1)?.content ?? '';
  const { expect, pass_at: passAt = 1 } = made;
  const grade = prepareCase({ id: '', expect, pass_at: passAt });
  for (const reply of ['', echo]) {
    const work = new WorkBudget(maxReplyWork, whole);
    const graded = await grade(sampleAsReply(reply), { judge: null, leavesJudges: true, work });
    if (!('passed' in graded) || graded.passed) return true;
  }
  return false;
}

interface Unsound {
  readonly name: string;
  readonly fault: string;
}

/** One grader that a suite cannot have, such as an expression that looks behind, does not cost the others. */
function withSoundGraders(
  whole: Made,
  checking: Checking,
): { readonly case: Made; readonly unsound: readonly Unsound[] } | null {
  if (whole.expect.length < 2) return null;
  const graders = whole.expect.map((grader) => ({
    grader,
    fault: faultOf({ ...whole, expect: [grader] }, checking),
  }));
  const sound = graders.filter(({ fault }) => fault === null).map(({ grader }) => grader);
  const made = { ...whole, expect: sound };
  if (sound.length === 0 || sound.length === graders.length || faultOf(made, checking) !== null) return null;
  const unsound = graders.flatMap(({ grader, fault }) =>
    fault === null ? [] : [{ name: `grader: ${graderName(grader)}`, fault }],
  );
  return { case: made, unsound };
}
