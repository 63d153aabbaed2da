/** Imports data sets: of Inspect, of OpenAI Evals, and CSV. */
import type { GraderSpec, SentMessage } from '../document.ts';
import { type Fields, fieldsOf, isDeeper, isFields, parseExactJson } from '../exact-json.ts';
import { maxJsonDepth } from '../graders/read-json.ts';
import { maxDocumentBytes, maxTokens } from '../limits.ts';
import { readDocument, type TokenBudget } from '../read-document.ts';
import {
  beginsWith,
  idFrom,
  type Import,
  type ImportedCase,
  lookFor,
  type Lose,
  promptOf,
  readMessages,
  tagFrom,
  textsOf,
  titleFrom,
  unreadable,
  UnreadableError,
} from './imported.ts';
import { agreement, byRubric } from './imported-judges.ts';
import { LostList } from './lost-list.ts';
import { type ColumnMap, type Importing, readCsv, readRecords, type Rows } from './records.ts';

/** A case for each record; `lose` is told why there is none, and of each field without a counterpart. */
function convert(
  read: Rows,
  known: readonly string[],
  caseOf: (fields: Fields, lose: Lose) => Omit<ImportedCase, 'line'> | null,
  file?: string,
): Import {
  const { rows, lost } = read;
  const cases = rows.flatMap(({ line, fields }): ImportedCase[] => {
    const lose: Lose = (construct, why) => lost.add(line, construct, why, file);
    for (const name of Object.keys(fields).filter((each) => !known.includes(each)))
      lose(name, ['sandbox', 'files', 'setup'].includes(name) ? noSandbox : 'A case has no such field.');
    const made = caseOf(fields, lose);
    if (made === null) lost.leaveOut();
    return made === null ? [] : [{ line, ...(file === undefined ? {} : { file }), ...made }];
  });
  return { cases, lost };
}

const noSandbox = 'The hub runs no sandbox; put what the agent needs into the prompt.';

export const csvColumns = ['prompt', 'expected', 'tags', 'id'];

/** Columns `prompt` and `expected`, and optionally `tags`, separated by `;`, and `id`. */
export function importCsv(text: string, { map }: Pick<Importing, 'map'>): Import {
  const read = readCsv(text, map);
  // A record may have fewer cells than there are columns.
  if (read.rows.length === 0) return { cases: [], lost: read.lost };
  const columns = [...new Set(read.rows.flatMap(({ fields }) => Object.keys(fields)))];
  const missing = ['prompt', 'expected'].find((name) => !columns.includes(name));
  if (missing !== undefined)
    throw unreadable(
      1,
      `The first line must name the columns \`prompt\` and \`expected\`; \`${missing}\` is missing. Name the column that stands for it: \`map\` is \`${missing}=COLUMN\`.`,
    );
  for (const name of columns.filter((each) => !csvColumns.includes(each)))
    read.lost.add(1, `column ${name}`, 'Only prompt, expected, tags and id have a counterpart.');
  return convert(read, columns, ({ prompt, expected, tags, id }, lose) => {
    const isWhole = [prompt, expected].every((cell) => typeof cell === 'string' && cell.trim() !== '');
    if (typeof prompt !== 'string' || !isWhole) {
      lose('row', 'A case needs a prompt and an expected reply.');
      return null;
    }
    const own = typeof tags === 'string' ? tags.split(';').flatMap((tag) => tagFrom(tag, lose)) : [];
    return {
      ...idFrom(id, lose),
      prompt,
      ...(own.length > 0 ? { tags: own } : {}),
      expect: [{ equals: expected, read: 'answer', ignore: ['case', 'whitespace'] }],
    };
  });
}

/** The messages of a text or a list; null if the agent would be asked nothing. */
function messagesOf(input: unknown, lose: Lose): readonly SentMessage[] | null {
  if (typeof input !== 'string') return readMessages(input, lose);
  return input === '' ? null : [{ role: 'user', content: input }];
}

/** Each correct reply may become one or two graders. No genuine record has this many. */
const maxTargets = 500;
/** Each has a letter. */
const maxChoices = 26;
/** What `any` and `similar` can have. */
const [maxAlternatives, maxSimilar] = [16, 10];

/** The texts of a value that is one or a list of them; null if it is anything else, or they are too many. */
function fewTexts(value: unknown, max: number): readonly string[] | null {
  return Array.isArray(value) && value.length > max ? null : textsOf(value);
}

/** The texts that a grader takes; the others are lost. */
function firstOf(texts: readonly string[], max: number, construct: string, lose: Lose): readonly string[] {
  if (texts.length > max)
    lose(
      construct,
      `The first ${max} of ${texts.length} right replies are imported, which is all that the grader takes.`,
    );
  return texts.slice(0, max);
}

/**
 * Makes the grader of a case, or null if there is no counterpart.
 *
 * @param right the replies that are right
 * @param options the letters of the choices
 */
type Make = (right: readonly string[], lose: Lose, options: readonly string[]) => GraderSpec | null;

/** How replies are graded, which data sets do not say. */
export type Gradings = Readonly<Record<string, Make>>;

const ignore = ['case', 'whitespace'];

const agrees =
  (kind: string): Make =>
  (right) =>
    byRubric(kind, agreement(right.join('\nor: ')));

/** The scorers of Inspect. */
export const scorers: Gradings = {
  match: (right) => ({
    any: [
      // Words may have letters of any script.
      ...right.map((text) => ({ matches: `${beginsWith(text).slice(4)}[^\\p{L}\\p{N}_]*$`, flags: 'i' })),
      { one_of: right, ignore: [...ignore, 'punctuation'] },
    ],
  }),
  includes: (right) => lookFor(right, 'any', true),
  exact: (right) => ({ one_of: right, ignore: [...ignore, 'punctuation'] }),
  answer: (right) => ({ one_of: right, read: 'answer', ignore }),
  choice(right, lose, options) {
    const [letter = ''] = right;
    if (right.length > 1) lose('target', 'Only one right choice has a counterpart.');
    return right.length === 1 && options.length > 1 && options.includes(letter)
      ? { choice: letter, options }
      : null;
  },
  pattern(right, lose) {
    lose(
      'scorer pattern',
      'Its expression is in the code of the task; the target is imported as a text that the reply must contain.',
    );
    return { contains_any: right, ignore };
  },
  model_graded_qa: agrees('model_graded_qa'),
  model_graded_fact: agrees('model_graded_fact'),
  f1(right, lose) {
    lose('scorer f1', 'Imported as a similarity by longest common subsequence of words of at least 0.5.');
    return { similar: 'rouge-l', to: firstOf(right, maxSimilar, 'target', lose), at_least: 0.5, ignore };
  },
};

const closedQa = 'modelgraded-closedqa';

/** The templates of OpenAI Evals. */
export const templates: Gradings = {
  match: (right, lose) => ({
    any: firstOf(right, maxAlternatives, 'ideal', lose).map((text) => ({ matches: beginsWith(text) })),
  }),
  includes: (right) => lookFor(right, 'any'),
  'fuzzy-match': (right, lose) => {
    lose(
      'template fuzzy-match',
      'Imported as: the reply contains the ideal, ignoring case and punctuation. The reverse does not pass.',
    );
    return { contains_any: right, ignore: ['case', 'punctuation', 'whitespace'] };
  },
  'modelgraded-fact': agrees('modelgraded-fact'),
  /** Of these samples, `criteria` are what is right. */
  [closedQa]: (right) => byRubric(closedQa, right.join('\n')),
  'json-match': (right, lose) => {
    try {
      const values = firstOf(right, maxAlternatives, 'ideal', lose).map(parseExactJson);
      if (values.some((value) => isDeeper(value, maxJsonDepth))) {
        lose('ideal', `It is deeper than ${maxJsonDepth} levels, to which replies are read.`);
        return null;
      }
      return { any: values.map((value) => ({ json: { at: '', equals: value } })) };
    } catch {
      lose('ideal', 'It is not JSON.');
      return null;
    }
  },
};

/** @param grading by default `choice` where a sample has choices, otherwise `includes` */
export function importInspect(text: string, { map, grading: scorer }: Importing): Import {
  const read = /^\s*[[{]/.test(text) ? readRecords(text, map) : readCsv(text, map);
  const withMetadata = read.rows.find(({ fields }) => fields['metadata'] !== undefined);
  if (withMetadata !== undefined)
    read.lost.add(withMetadata.line, 'metadata', 'A case has no such field, here and below.');
  const tokens: TokenBudget = { left: maxTokens };
  const known = ['input', 'target', 'choices', 'id', 'title', 'metadata'];
  return convert(read, known, ({ input, target: right, choices: given = '', id, title }, lose) => {
    const messages = messagesOf(input, lose);
    const target = fewTexts(right, maxTargets);
    const choices = given === '' ? null : choicesOf(given, tokens);
    if (choices === null && given !== '')
      lose('choices', `They must be a list of at most ${maxChoices} texts.`);
    if (messages === null)
      lose('input', 'It must be a text, or messages with text that end with one from the user.');
    if (target === null) lose('target', `It must be a text or a list of at most ${maxTargets} texts.`);
    if (messages === null || target === null) return null;
    if (choices !== null && (scorer === 'includes' || scorer === 'pattern')) {
      lose(
        `scorer ${scorer}`,
        'Nearly every reply contains the letter of a choice. Import samples with choices without `--grading`, or with `--grading match`.',
      );
      return null;
    }
    const make = scorers[scorer ?? (choices === null ? 'includes' : 'choice')];
    const expect =
      make?.(
        target,
        lose,
        (choices ?? []).map((_, at) => letterOf(at)),
      ) ?? null;
    if (expect === null) {
      lose('sample', 'A case needs at least one grader.');
      return null;
    }
    const asked = promptOf(choices === null ? messages : withChoices(messages, choices));
    return { ...idFrom(id, lose), ...titleFrom(title, lose), ...asked, expect: [expect] };
  });
}

/** In CSV, choices are separated by commas, or written as a JSON list. */
function choicesOf(value: unknown, tokens: TokenBudget): readonly string[] | null {
  if (typeof value !== 'string') return fewTexts(value, maxChoices);
  if (value.trimStart().startsWith('[')) {
    const read = readDocument(value, 'json', tokens);
    return read.ok ? fewTexts(read.value, maxChoices) : null;
  }
  const given = value.split(',', maxChoices + 1).map((each) => each.trim());
  return fewTexts(given, maxChoices);
}

const letterOf = (at: number): string => String.fromCharCode(65 + at);

function withChoices(messages: readonly SentMessage[], choices: readonly string[]): readonly SentMessage[] {
  const listed = choices.map((text, at) => `${letterOf(at)}) ${text}`).join('\n');
  const asked = `\n\n${listed}\n\nReply with the letter of the right choice only.`;
  return messages.map((message, at) =>
    at === messages.length - 1 ? { ...message, content: `${message.content}${asked}` } : message,
  );
}

/** Samples, or a registry that names them. */
export function importOpenaiEvals(text: string, importing: Importing): Import {
  const { map, grading: template } = importing;
  if (/^\s*(?:[[{]|$)/.test(text)) return importSamples(text, { map, template: template ?? 'match' });
  const read = readDocument(text, 'yaml');
  if (!read.ok) throw new UnreadableError(read.faults);
  if (!isFields(read.value))
    throw unreadable(1, 'The registry must be an object with an entry for each eval.');
  const lost = new LostList();
  const budget = { left: maxTokens, characters: maxSamplesCharacters };
  const cases = Object.entries(read.value).flatMap(([name, entry]) => {
    const lose: Lose = (construct, why) => lost.add(read.locate([name]).line, construct, why);
    // Other entries name the version that is meant, or the evals of a set.
    const own = isFields(entry) && typeof entry['class'] === 'string' ? entry : null;
    return own === null ? [] : samplesOf(name, own, { ...importing, lose, lost, budget });
  });
  return { cases, lost };
}

/** Characters of the samples of all evals; a file that several name counts for each. */
const maxSamplesCharacters = 4 * maxDocumentBytes;

interface Registry extends Importing {
  readonly budget: TokenBudget & { characters: number };
  readonly lose: Lose;
  readonly lost: LostList;
}

/** The cases of one eval, whose samples are beside the registry, or in the folder `data` beside its own. */
function samplesOf(name: string, entry: Fields, registry: Registry): readonly ImportedCase[] {
  const { lose, files, lost, map, grading, budget } = registry;
  const none = (why: string) => {
    lose(name, why);
    return [];
  };
  const { samples_jsonl: samples, modelgraded_spec: spec, ...more } = fieldsOf(entry['args']);
  for (const field of Object.keys(more)) lose(`${name}: args.${field}`, 'A suite has no such setting.');
  const template = grading ?? templateOf(String(entry['class']), spec);
  if (template === undefined)
    return none('Replies of its class have no counterpart. Name a template as `grading`.');
  if (typeof samples !== 'string') return none('It names no file of samples.');
  if (files.isAlone) return none(`Only the registry was given. Send ${samples} too.`);
  const texts = [samples, `../data/${samples}`].map((file) => [file, files.read(file)] as const);
  if (texts.some(([, text]) => text === undefined)) return [];
  const [file, text] = texts.find(([, each]) => typeof each === 'string') ?? [];
  budget.characters -= text?.length ?? 0;
  if (budget.characters < 0)
    return none(
      `The samples up to here have more than ${maxSamplesCharacters} characters. Import the evals in parts.`,
    );
  if (file === undefined || typeof text !== 'string') return none(`There is no file ${samples}.`);
  try {
    const read = importSamples(text, { map, template, file, budget });
    for (const each of read.lost.entries()) lost.add(each.line, each.construct, each.why, each.file ?? file);
    lost.leaveOut(read.lost.leftOut);
    return read.cases;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return none(`${file}, line ${error.faults[0]?.line}: ${error.message}`);
  }
}

/** By the class of an eval. */
const templateOfClass: Readonly<Record<string, string>> = {
  Match: 'match',
  Includes: 'includes',
  FuzzyMatch: 'fuzzy-match',
  JsonMatch: 'json-match',
};

function templateOf(named: string, spec: unknown): string | undefined {
  const own = named.split(':').at(-1) ?? '';
  if (own === 'ModelBasedClassify')
    return spec === 'fact' || spec === 'closedqa' ? `modelgraded-${spec}` : undefined;
  return Object.hasOwn(templateOfClass, own) ? templateOfClass[own] : undefined;
}

interface Samples {
  readonly map: ColumnMap;
  readonly template: string;
  readonly file?: string;
  readonly budget?: TokenBudget;
}

function importSamples(text: string, { map, template, file, budget }: Samples): Import {
  const right = template === closedQa ? 'criteria' : 'ideal';
  const known = ['input', right, 'id', 'title'];
  const caseOf = ({ input, id, title, ...fields }: Fields, lose: Lose) => {
    const messages = messagesOf(asUser(input), lose);
    const ideal = fewTexts(fields[right], maxTargets);
    if (messages === null) lose('input', 'It must be a text, or messages with text.');
    if (ideal === null)
      lose(
        right,
        `It must be a text or a list of at most ${maxTargets} texts; a case without one has no grader.`,
      );
    if (messages === null || ideal === null) return null;
    const expect = templates[template]?.(ideal, lose, []) ?? null;
    if (expect === null) return null;
    return { ...idFrom(id, lose), ...titleFrom(title, lose), ...promptOf(messages), expect: [expect] };
  };
  return convert(readRecords(text, map, budget), known, caseOf, file);
}

/** Data sets may end with a system message, which models then reply to; a suite ends with the user's. */
function asUser(input: unknown): unknown {
  if (!Array.isArray(input)) return input;
  return input.map((message: unknown, at) =>
    isFields(message) && at === input.length - 1 && message['role'] === 'system'
      ? { ...message, role: 'user' }
      : message,
  );
}
