/** Converts the assertions of a promptfoo configuration to graders. */
import type { GraderSpec } from '../document.ts';
import type { Path } from '../fault.ts';
import { maxCombinatorDepth } from '../limits.ts';
import { readDocument, type TokenBudget } from '../read-document.ts';
import { beginsWith, type Fields, isFields, type Lose, tagFrom, textsOf } from './imported.ts';
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
    make(value, given, tokens) {
      const spec = jsonOf(value, given, tokens);
      return spec === null ? null : { json: { ...(spec['json'] as Fields), anywhere: true } };
    },
  },
  'word-count': {
    make(value) {
      const range = isFields(value) ? value : { min: value, max: value };
      const [min, max] = [range['min'], range['max']].map((one) => (one === undefined ? one : Number(one)));
      const counts = [min, max].filter((one) => one !== undefined);
      if (counts.length === 0 || !counts.every((one) => Number.isInteger(one) && one >= 0)) return null;
      return {
        length: 'words',
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      };
    },
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
        ? { similar: 'rouge-1', to: [value], at_least: threshold, ignore: ['case'] }
        : null,
  },
  levenshtein: {
    make: (value, { threshold = 5 }) =>
      typeof value === 'string' && value !== '' && typeof threshold === 'number' && threshold >= 0
        ? { similar: 'edit', to: [value], at_most: Math.floor(threshold) }
        : null,
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
  [/^cost$/, 'Reports have the cost of the run.'],
  [/^ruby$/, 'Write it as a judge with a `command`, which reads the reply on stdin.'],
  [
    /^(?:llm-|model-|answer-relevance|context-|classifier|moderation|select-best|pi$)/,
    'Write what a reply must be like as a judge with a `rubric`.',
  ],
  [/tools?-call|trajectory|function/, 'Write the calls that you expect as a `tool_calls` grader.'],
  [/^/, 'There is no such grader; a judge with a `command` can take its place.'],
];
/** Where an assertion stands, and what is known there. */
export interface Place {
  readonly path: Path;
  readonly source: Source;
  readonly filler: Filler;
  /** The number of sets around it. */
  readonly depth: number;
  /** Whether its test passes with a share of the assertions, so that those of sets count in part. */
  readonly hasThreshold: boolean;
  /** Takes the names of assertions that are left out. */
  readonly lost: string[];
}

/** The graders of an assertion, of which there is at most one; the rest is named in what is lost. */
export function gradersOf(assertion: unknown, place: Place): readonly GraderSpec[] {
  const { path, source, filler } = place;
  // A set may refer to templates that are sets, so that few lines stand for many assertions.
  source.budget.spend('parts', 1, path, 'assert');
  const given = source.resolve(assertion);
  if (!isFields(given) || typeof given['type'] !== 'string')
    return leaveOut(place, 'assert', 'It has no type.');
  const type = given['type'];
  if (given['weight'] === 0) {
    lose(source, [...path, 'weight'], `assert: ${type} with weight`, weighsNothing);
    return [];
  }
  if (type === 'assert-set') return setOf(given, place);
  const negated = type.startsWith('not-');
  const plain = negated ? type.slice(4) : type;
  const construct = Object.hasOwn(constructs, plain) ? constructs[plain] : undefined;
  if (construct === undefined)
    return leaveOut(place, `assert: ${type}`, lacking.find(([kind]) => kind.test(plain))?.[1] ?? '');
  if (!keepsReply(given['transform']))
    return leaveOut(place, `assert: ${type} with transform`, 'Graders read the reply as it is.', 'transform');
  const { loses = { provider: noSuchField, config: noSuchField }, takesFiles } = construct;
  for (const [field, why] of Object.entries(loses))
    if (given[field] !== undefined) lose(source, [...path, field], `assert: ${type} with ${field}`, why);
  const value =
    takesFiles && typeof given['value'] === 'string' && isFile(given['value'])
      ? { filled: given['value'] }
      : valueOf(given['value'], filler, type, path, source);
  const spec = value === null ? null : construct.make(value.filled, given, source.budget.tokens, filler);
  if (spec === null) return leaveOut(place, `assert: ${type}`, 'Its value has no counterpart.');
  if (construct.unlike !== undefined) lose(source, path, `assert: ${type}`, construct.unlike);
  const { line, file } = { line: source.lineOf(path), file: source.file };
  const graded = placed(spec, { line, file, construct: `assert: ${type}` });
  return [{ ...graded, ...(negated ? { not: true } : {}), ...marksOf(given, place) }];
}

const noSuchField = 'A grader has no such field.';
const weighsNothing = 'It is left out: an assertion that weighs nothing cannot fail a test.';
const maxWeight = 1_000;

function leaveOut(
  { path, source, lost }: Place,
  construct: string,
  why: string,
  ...keys: Path
): readonly GraderSpec[] {
  lose(source, [...path, ...keys], construct, why);
  lost.push(construct);
  return [];
}

/** Whether a transformation leaves what graders read: they trim replies by themselves. */
export function keepsReply(transform: unknown): boolean {
  return transform === undefined || (typeof transform === 'string' && trims.test(transform.trim()));
}

const trims = /^(?:return\s+)?(?:output|String\(output\))(?:\.trim(?:Start|End)?\(\))?;?$/;

/** The weight and the metric of an assertion. */
function marksOf({ type, weight = 1, metric }: Fields, { path, source, filler, depth }: Place): GraderSpec {
  const told: Lose = (construct, why) => lose(source, [...path, 'metric'], construct, why);
  const weighs = typeof weight === 'number' && weight > 0 && weight <= maxWeight;
  if (!weighs)
    lose(
      source,
      [...path, 'weight'],
      `assert: ${String(type)} with weight`,
      `A weight is at most ${maxWeight}.`,
    );
  const [name] = typeof metric === 'string' ? tagFrom(filler.fill(metric) ?? metric, told, 'metric') : [];
  if (name !== undefined && depth > 0)
    told(`assert: ${String(type)} with metric`, 'Metrics are of whole sets, not of the assertions in them.');
  return {
    ...(weighs && weight !== 1 ? { weight } : {}),
    ...(name !== undefined && depth === 0 ? { metric: name } : {}),
  };
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

/** A set passes with all of its assertions, or with the share that its threshold says, by their weights. */
function setOf(given: Fields, place: Place): readonly GraderSpec[] {
  const { path, depth, hasThreshold, source } = place;
  if (depth >= maxCombinatorDepth)
    return leaveOut(place, 'assert-set', `Sets must be at most ${maxCombinatorDepth} deep.`);
  const own: readonly unknown[] = Array.isArray(given['assert']) ? given['assert'] : [];
  const lost: string[] = [];
  const parts = own.flatMap((each, at) =>
    gradersOf(each, { ...place, lost, depth: depth + 1, path: [...path, 'assert', at] }),
  );
  const { threshold } = given;
  // The share of a set that counts in part is the mean of its assertions, whatever its threshold is.
  const share = hasThreshold ? 1 : typeof threshold === 'number' && threshold < 1 ? threshold : undefined;
  if (parts.length === 0 && lost.length === 0) return [];
  if (share !== undefined && share <= 0)
    return leaveOut(place, 'assert-set', 'Its threshold passes every reply.', 'threshold');
  if (share !== undefined && lost.length > 0)
    return leaveOut(place, 'assert-set', 'Not all of its assertions have a counterpart.');
  place.lost.push(...lost);
  const hasJudges = parts.some(isJudged);
  if (share !== undefined && hasJudges)
    return leaveOut(place, 'assert-set', 'Judges have no counterpart in a set of which some must pass.');
  const marks = marksOf(given, place);
  if (given['config'] !== undefined) lose(source, [...path, 'config'], 'assert-set with config', noSuchField);
  if (share !== undefined) return [{ any: parts, at_least: share, ...marks }];
  // Judges stand outside of sets. A case passes with all of its graders.
  if (hasJudges) return parts.map((part) => ({ ...part, ...marks }));
  return parts.length === 0 ? [] : [{ all: parts, ...marks }];
}
