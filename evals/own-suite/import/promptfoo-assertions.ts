/** Converts the assertions of a promptfoo configuration to graders. */
import type { GraderSpec } from '../document.ts';
import type { Path } from '../fault.ts';
import { maxCombinatorDepth } from '../limits.ts';
import { readDocument, type TokenBudget } from '../read-document.ts';
import { beginsWith, type Fields, isFields, textsOf } from './imported.ts';
import type { CodeKind } from './code-file.ts';
import { agreesWith, byCode, byRubric, isJudged, placed } from './imported-judges.ts';
import { filesAt } from './promptfoo-files.ts';
import type { Filler } from '../filler.ts';
import { lose, type Source } from './promptfoo-source.ts';

type Make = (value: unknown, assertion: Fields, tokens: TokenBudget, filler: Filler) => GraderSpec | null;

const oneText =
  (make: (text: string) => GraderSpec): Make =>
  (value) => {
    const texts = Array.isArray(value) ? null : textsOf(value);
    return texts?.[0] === undefined ? null : make(texts[0]);
  };
/** A text of several values is separated by commas. */
const manyTexts =
  (make: (texts: readonly string[]) => GraderSpec): Make =>
  (value) => {
    const texts = typeof value === 'string' ? textsOf(splitTexts(value)) : textsOf(value);
    return texts === null ? null : make(texts);
  };

/** A part in double quotes may contain commas. */
function splitTexts(value: string): readonly string[] {
  return (value.match(/"[^"]*"|[^,"]+(?:"[^,"]*)*/g) ?? [])
    .map((part) => part.trim().replace(/^"(.*)"$/s, '$1'))
    .filter((part) => part !== '');
}

/** A schema may be written out as a text of JSON or YAML. */
function jsonOf(value: unknown, _: Fields, tokens: TokenBudget): GraderSpec | null {
  if (value === undefined || value === null || value === '') return { json: {} };
  if (typeof value !== 'string') return isFields(value) ? { json: { schema: value } } : null;
  const read = readDocument(value, 'yaml', tokens);
  return read.ok && isFields(read.value) ? { json: { schema: read.value } } : null;
}

/** A kind of assertion: what it becomes, and how that differs if it is not the same. */
interface Construct {
  readonly make: Make;
  readonly unlike?: string;
  /** Why fields of it are lost. */
  readonly loses?: Readonly<Record<string, string>>;
  /** Whether its value may be a file, which stays where it is. */
  readonly takesFiles?: true;
}

/** A judge that is a model. */
function rubric(make: (text: string) => GraderSpec, between = '\nor: '): Construct {
  return {
    make: (value) => {
      const texts = textsOf(value);
      return texts === null ? null : make(texts.join(between));
    },
    loses: {
      provider: 'Whoever runs the suite brings the model.',
      rubricPrompt: 'The hub writes the prompt.',
      threshold: 'A judge accepts a reply or does not; `votes` and `pass_at` are in `judges` of the suite.',
    },
  };
}

/** A judge that is a program. The code sees the variables of its test if it names them. */
function code(kind: CodeKind): Construct {
  return {
    make(value, { threshold, config }, _, filler) {
      if (typeof value !== 'string' || value.trim() === '') return null;
      const seesContext = /\bcontext\b/.test(value) || isFile(value);
      const vars = seesContext ? filler.variables() : {};
      if (vars === null || (threshold !== undefined && typeof threshold !== 'number')) return null;
      const context = { vars, ...(config === undefined ? {} : { config }) };
      return byCode({ kind, source: value.trim(), context, threshold: threshold ?? null });
    },
    loses: { provider: 'Code asks no model by itself.' },
    takesFiles: true,
  };
}

const isFile = (value: string): boolean => value.startsWith('file://');

const constructs: Readonly<Record<string, Construct>> = {
  equals: {
    make: (value, _, tokens, filler) =>
      isFields(value) || Array.isArray(value)
        ? { json: { at: '', equals: value } }
        : oneText((text) => ({ equals: text }))(value, {}, tokens, filler),
  },
  contains: { make: oneText((text) => ({ contains: text })) },
  icontains: { make: oneText((text) => ({ contains: text, ignore: ['case'] })) },
  'contains-all': { make: manyTexts((texts) => ({ contains_all: texts })) },
  'contains-any': { make: manyTexts((texts) => ({ contains_any: texts })) },
  'icontains-all': { make: manyTexts((texts) => ({ contains_all: texts, ignore: ['case'] })) },
  'icontains-any': { make: manyTexts((texts) => ({ contains_any: texts, ignore: ['case'] })) },
  'starts-with': { make: oneText((text) => ({ matches: beginsWith(text) })) },
  regex: { make: oneText((text) => ({ matches: text })) },
  'is-json': { make: jsonOf },
  'contains-json': {
    make: jsonOf,
    unlike: 'Imported as `json`: the reply must be JSON or one fenced block of it, with nothing else.',
  },
  'is-refusal': { make: () => ({ refuses: true }) },
  latency: {
    make: (_, { threshold }) =>
      typeof threshold === 'number' && threshold > 0 && threshold <= 600_000
        ? { latency_s: threshold / 1_000 }
        : null,
  },
  'rouge-n': {
    make: (value, { threshold = 0.75 }) =>
      typeof value === 'string' && value !== ''
        ? { similar: 'rouge-l', to: [value], at_least: threshold }
        : null,
    unlike:
      'Imported as the similarity by longest common subsequence of words (ROUGE-L), which gives other values.',
  },
  levenshtein: {
    make(value, { threshold = 5 }) {
      if (typeof value !== 'string' || value === '' || typeof threshold !== 'number') return null;
      const share = 1 - threshold / Math.max(1, value.length);
      return share > 0 ? { similar: 'edit', to: [value], at_least: Number(share.toFixed(4)) } : null;
    },
    unlike: 'Imported as a similarity relative to the length of the longer text, not as a number of edits.',
  },
  'llm-rubric': rubric((text) => byRubric('llm-rubric', text)),
  'model-graded-closedqa': rubric((text) => byRubric('model-graded-closedqa', text)),
  'g-eval': rubric((text) => byRubric('g-eval', text), '\n'),
  factuality: rubric((text) => agreesWith('factuality', text)),
  'model-graded-factuality': rubric((text) => agreesWith('factuality', text)),
  similar: {
    ...rubric((text) => byRubric('similar', `The reply means the same as this text, in any words:\n${text}`)),
    unlike: 'Imported as a judge with a rubric, which compares meanings, not embeddings.',
  },
  javascript: code('javascript'),
  python: code('python'),
};

/** Why kinds of assertions have no counterpart. The first that fits counts. */
const lacking: readonly (readonly [kind: RegExp, why: string])[] = [
  [/^ruby$/, 'Write it as a judge with a `command`, which reads the reply on stdin.'],
  [
    /^(?:llm-|model-|answer-relevance|context-|classifier|moderation|select-best|pi$)/,
    'Write what a reply must be like as a judge with a `rubric`.',
  ],
  [/tools?-call|trajectory|function/, 'Write the calls that you expect as a `tool_calls` grader.'],
  [/^/, 'There is no such grader; a judge with a `command` can take its place.'],
];
const sameWeight = 'Graders have no names, and all of a case weigh the same.';

/** The graders of an assertion, of which there is at most one; the rest is named in what is lost. */
export function gradersOf(
  assertion: unknown,
  filler: Filler,
  path: Path,
  source: Source,
  depth = 0,
): readonly GraderSpec[] {
  // A set may refer to templates that are sets, so that few lines stand for many assertions.
  source.budget.spend('parts', 1, path, 'assert');
  const given = source.resolve(assertion);
  if (!isFields(given) || typeof given['type'] !== 'string') {
    lose(source, path, 'assert', 'It has no type.');
    return [];
  }
  const type = given['type'];
  if (type === 'assert-set') return setOf(given, filler, path, source, depth);
  const negated = type.startsWith('not-');
  const plain = negated ? type.slice(4) : type;
  const construct = Object.hasOwn(constructs, plain) ? constructs[plain] : undefined;
  if (construct === undefined) {
    const why = lacking.find(([kind]) => kind.test(plain))?.[1] ?? '';
    lose(source, path, `assert: ${type}`, why);
    return [];
  }
  const unlike = whyUnlike(given);
  if (unlike !== undefined) {
    lose(source, [...path, unlike.field], `assert: ${type} with ${unlike.field}`, unlike.why);
    return [];
  }
  const { loses = { provider: sameWeight, config: sameWeight }, takesFiles } = construct;
  for (const [field, why] of Object.entries({ weight: sameWeight, metric: sameWeight, ...loses }))
    if (given[field] !== undefined && given[field] !== 1)
      lose(source, [...path, field], `assert: ${type} with ${field}`, why);
  const value =
    takesFiles && typeof given['value'] === 'string' && isFile(given['value'])
      ? { filled: given['value'] }
      : valueOf(given['value'], filler, type, path, source);
  const spec = value === null ? null : construct.make(value.filled, given, source.budget.tokens, filler);
  if (spec === null) {
    lose(source, path, `assert: ${type}`, 'Its value has no counterpart.');
    return [];
  }
  if (construct.unlike !== undefined) lose(source, path, `assert: ${type}`, construct.unlike);
  const graded = placed(spec, {
    line: source.lineOf(path),
    file: source.file,
    construct: `assert: ${type}`,
  });
  return [negated ? { ...graded, not: true } : graded];
}

/** An assertion that would grade something else is left out instead. */
function whyUnlike(given: Fields): { readonly field: string; readonly why: string } | undefined {
  if (given['transform'] !== undefined)
    return { field: 'transform', why: 'It is left out: graders read the reply as it is.' };
  if (given['weight'] === 0)
    return { field: 'weight', why: 'It is left out: an assertion that weighs nothing cannot fail a test.' };
  return undefined;
}

/** The value, or that of the file it names, with its variables filled in; null if it has more than variables. */
function valueOf(
  value: unknown,
  filler: Filler,
  type: string,
  path: Path,
  source: Source,
): { readonly filled: unknown } | null {
  if (value === undefined || value === null) return { filled: undefined };
  if (typeof value === 'string' && value.startsWith('file://')) {
    const [file] = filesAt(value, `assert: ${type}`, path, source);
    return file === undefined ? null : { filled: file.text.trim() };
  }
  const filled: unknown = Array.isArray(value)
    ? value.map((each: unknown) => (typeof each === 'string' ? filler.fill(each) : each))
    : typeof value === 'string'
      ? filler.fill(value)
      : value;
  return filled === null || (Array.isArray(filled) && filled.includes(null)) ? null : { filled };
}

/** A set passes with all of its assertions, or with the share that its threshold says. */
function setOf(
  given: Fields,
  filler: Filler,
  path: Path,
  source: Source,
  depth: number,
): readonly GraderSpec[] {
  if (depth >= maxCombinatorDepth) {
    lose(source, path, 'assert-set', `Sets must be at most ${maxCombinatorDepth} deep.`);
    return [];
  }
  const own: readonly unknown[] = Array.isArray(given['assert']) ? given['assert'] : [];
  const parts = own.flatMap((each, at) =>
    gradersOf(each, filler, [...path, 'assert', at], source, depth + 1),
  );
  const share = typeof given['threshold'] === 'number' ? given['threshold'] : 1;
  const needed = Math.ceil(share * own.length);
  for (const field of ['weight', 'metric', 'config'].filter((name) => given[name] !== undefined))
    lose(source, [...path, field], `assert-set with ${field}`, sameWeight);
  const hasJudges = parts.some(isJudged);
  if (own.length > 0 && parts.length === own.length) {
    // Judges stand outside of sets. A case passes with all of its graders.
    if (needed === own.length) return hasJudges ? parts : [{ all: parts }];
    if (needed === 1 && !hasJudges) return [{ any: parts }];
  }
  const why =
    parts.length < own.length
      ? 'Not all of its assertions have a counterpart.'
      : hasJudges
        ? 'Judges have no counterpart in a set of which some must pass.'
        : 'Only sets of which all or any must pass have a counterpart.';
  lose(source, path, 'assert-set', why);
  return [];
}
