/** Everything that publishing a suite needs to know about its text. Pure, but slow: up to seconds for the longest. */
import { someOf } from '../safe-text.ts';
import { countTokens } from '../token-usage.ts';
import { isFields } from './exact-json.ts';
import { checkDocument, judgesOf } from './check-document.ts';
import { type RunnerJudge, runnerJudgesOf } from './judges.ts';
import type { SuiteCase, SuiteDocument } from './document.ts';
import { nameOf, type Path } from './fault.ts';
import { asksWithImages, type PlacedImage } from './images.ts';
import { placeImages } from './place-images.ts';
import { FilesBeside, type FilesGiven, TooManyFilesError } from './beside.ts';
import { expandDocument } from './expand-document.ts';
import { type CaseIdentity, hashCase, hashDocument } from './identity.ts';
import { textOfMessage } from './messages.ts';
import { maxDocumentWork, maxFaults, maxSampleResults } from './limits.ts';
import { type DocumentFormat, type LocatedFault, readDocument } from './read-document.ts';
import { echoOf, passesText, type SampleResult, trySamples } from './try-samples.ts';
import { WorkBudget } from './work-budget.ts';

export interface SuiteFault extends LocatedFault {
  /** Such as `cases[3].expect[0].equals`; empty for the document itself. */
  readonly path: string;
}

export interface SuiteSize {
  readonly cases: number;
  readonly trials: number;
  /** Cases times trials. */
  readonly replies: number;
  readonly casesWithImages: number;
  /** Estimates: of all prompts of one trial, and of the longest one. */
  readonly promptTokens: number;
  readonly longestPromptTokens: number;
}

export interface SoundSuite {
  readonly ok: true;
  /** As parsed, before defaults are filled in. */
  readonly value: unknown;
  readonly document: Omit<SuiteDocument, 'cases'>;
  readonly hash: string;
  readonly bytes: number;
  /** Id and hash of each case, in order. */
  readonly caseIdentities: readonly CaseIdentity[];
  /** How many cases have each tag, most common first. */
  readonly tags: readonly (readonly [tag: string, cases: number])[];
  /** The webhooks that judge replies, with the first place that names each. */
  readonly judges: readonly (SuiteFault & { readonly id: string })[];
  readonly runnerJudges: readonly RunnerJudge[];
  /** In base64, by the SHA-256 of their bytes. */
  readonly images: readonly (readonly [sha256: string, base64: string])[];
  /** Those that the document names only by their hash, with the fault of naming one that the suite does not have. */
  readonly knownImages: readonly (SuiteFault & { readonly image: PlacedImage })[];
  readonly size: SuiteSize;
  /** What is allowed and may surprise, in sentences. */
  readonly warnings: readonly string[];
  readonly replies: readonly SampleResult[];
}

export interface FaultySuite {
  readonly ok: false;
  /** In the order of the text, at most `maxFaults`. */
  readonly faults: readonly SuiteFault[];
  /** Results of `accepted` and `refused`, of the cases that could be read. */
  readonly replies: readonly SampleResult[];
  /** The files that it names and that were not given. */
  readonly missing?: readonly string[];
}

export type CheckedSuite = SoundSuite | FaultySuite;

/** @param given answers to the names of files in it */
export async function checkSuite(
  text: string,
  format: DocumentFormat,
  given: FilesGiven = {},
): Promise<CheckedSuite> {
  const read = readDocument(text, format);
  if (!read.ok) return faulty(read.faults.map((fault) => ({ ...fault, path: '' })));
  try {
    return await checkRead(read, text, new FilesBeside(given));
  } catch (error) {
    if (!(error instanceof TooManyFilesError)) throw error;
    return faulty([{ line: 1, column: 1, path: '', message: error.message }]);
  }
}

const ofPromptfoo = 'This is a configuration of promptfoo. Run it with `evaluate --import`.';

function isPromptfoo(value: unknown): boolean {
  return (
    isFields(value) &&
    value['cases'] === undefined &&
    ['prompts', 'tests'].some((name) => Object.hasOwn(value, name))
  );
}

function faulty(faults: readonly SuiteFault[]): FaultySuite {
  return { ok: false, faults, replies: [] };
}

async function checkRead(
  read: Parameters<typeof expandDocument>[0],
  text: string,
  files: FilesBeside,
): Promise<CheckedSuite> {
  if (isPromptfoo(read.value)) return faulty([{ line: 1, column: 1, path: '', message: ofPromptfoo }]);
  const expanded = expandDocument(read, files);
  const { locate } = expanded;
  const placed = expanded.isBroken ? null : placeImages(expanded.value, locate, files);
  const value = placed === null ? expanded.value : placed.value;
  const early = [...expanded.faults, ...(placed?.faults ?? [])].map(({ path, ...fault }) => ({
    ...fault,
    path: nameOf(path),
  }));
  const missing = files.missing();
  if (missing.length > 0) return { ...faulty(early), missing };
  if (expanded.isBroken) return faulty(early);
  const work = new WorkBudget(maxDocumentWork);
  const checked = checkDocument(value, work);
  const tried = work.isSpent
    ? { replies: [], faults: [] }
    : await trySamples(checked.ok ? checked.document.cases.entries() : checked.sound, work);
  const replies = shorten(tried.replies);
  const faultAt = (path: Path, message: string) => ({ ...locate(path), path: nameOf(path), message });
  const late = [...(checked.ok ? [] : checked.faults), ...tried.faults].map(({ path, message }) =>
    faultAt(path, message),
  );
  const faults = withoutRepeats(early, late)
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .slice(0, maxFaults);
  if (!checked.ok || faults.length > 0) return { ok: false, faults, replies };
  const { document } = checked;
  const { cases, ...head } = document;
  const warnings = [...checked.warnings, ...(await hollowWarnings(cases, work))];
  return {
    ok: true,
    value,
    document: head,
    hash: hashDocument(value),
    bytes: value === read.value ? Buffer.byteLength(text) : Buffer.byteLength(JSON.stringify(value)),
    caseIdentities: cases.map((each) => [each.id, hashCase(each, document)]),
    tags: countTags(cases),
    judges: [...judgesOf(document)].map(([id, path]) => ({ id, ...faultAt(path, '') })),
    runnerJudges: runnerJudgesOf(document),
    images: [...(placed?.images ?? [])],
    knownImages: (placed?.known ?? []).map(({ image, path }) => ({
      image,
      ...faultAt(path, `\`${nameOf(path)}\` is no image of the suite. Give its file or a data URL.`),
    })),
    size: measure(document),
    warnings: [...(expanded.warnings ?? []), ...warnings],
    replies,
  };
}

/** A default has its fault in every case, and a text without its variable often has another one. */
function withoutRepeats(early: readonly SuiteFault[], late: readonly SuiteFault[]): readonly SuiteFault[] {
  const paths = new Set(early.map(({ path }) => path));
  const faults = [...early, ...late.filter(({ path }) => !paths.has(path))];
  const seen = new Set<string>();
  return faults.filter(({ file, line, column, message }) => {
    const key = JSON.stringify([
      file,
      line,
      column,
      message.replace(/^cases\[\d+\]/, '').replace(/^\.\w+\[\d+\]/, ''),
    ]);
    return !seen.has(key) && seen.add(key);
  });
}

const namedMax = 20;

/** Names cases that pass with an empty reply, as broken programs often print, or with the repeated prompt. */
async function hollowWarnings(cases: readonly SuiteCase[], work: WorkBudget): Promise<readonly string[]> {
  const [silent, echoed]: [string[], string[]] = [[], []];
  for (const each of cases) {
    const isSilent = await passesText(each, '', work);
    const isEcho = !isSilent && (await passesText(each, echoOf(each), work));
    if (work.isSpent) break;
    if (isSilent || isEcho) (isSilent ? silent : echoed).push(each.id);
  }
  const passes = (ids: readonly string[]): string =>
    `passes ${ids.length} of ${cases.length} case${cases.length === 1 ? '' : 's'}: ${someOf(ids, namedMax)}`;
  return [
    ...(silent.length === 0
      ? []
      : [
          `An empty reply, such as that of an agent that does not work, ${passes(silent)}. Add \`{ length: characters, min: 1 }\` to \`expect\` of each, or a grader of what the reply must have.`,
        ]),
    ...(echoed.length === 0
      ? []
      : [
          `A reply that repeats its prompt ${passes(echoed)}. Add a grader of what the prompt does not have, or limit the \`length\`.`,
        ]),
  ];
}

function disagrees({ passed, list }: SampleResult): boolean {
  return passed !== null && passed !== (list === 'accepted');
}

/** If there are too many, those that contradict their list stay. */
function shorten(replies: readonly SampleResult[]): readonly SampleResult[] {
  if (replies.length <= maxSampleResults) return replies;
  return [...replies.filter(disagrees), ...replies.filter((one) => !disagrees(one))].slice(
    0,
    maxSampleResults,
  );
}

function countTags(cases: readonly SuiteCase[]): [string, number][] {
  const all = cases.flatMap(({ tags = [] }) => [...new Set(tags)]);
  const counts = [...Map.groupBy(all, (tag) => tag)].map(([tag, { length }]): [string, number] => [
    tag,
    length,
  ]);
  return counts.toSorted(([a, of], [b, than]) => than - of || (a < b ? -1 : 1));
}

function measure(document: SuiteDocument): SuiteSize {
  const trials = document.defaults?.trials ?? 1;
  const tokens = document.cases.map((each) => countTokens(shownText(each, document)));
  return {
    cases: document.cases.length,
    trials,
    replies: document.cases.length * trials,
    casesWithImages: document.cases.filter(asksWithImages).length,
    promptTokens: tokens.reduce((sum, each) => sum + each, 0),
    longestPromptTokens: tokens.reduce((most, each) => Math.max(most, each), 0),
  };
}

/** What an agent is sent for a case. */
function shownText(
  { prompt = '', messages = [], turns = [], tools }: SuiteCase,
  document: SuiteDocument,
): string {
  const offered = tools ?? document.tools;
  return [
    document.system ?? '',
    prompt,
    ...messages.map(textOfMessage),
    ...turns,
    offered === undefined ? '' : JSON.stringify(offered),
  ].join('\n');
}
