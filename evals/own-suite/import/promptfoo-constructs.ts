/** The kinds of assertions of promptfoo, and the graders that they become. */
import { nearestName } from '#runtime/validation-messages.ts';
import type { GraderSpec } from '../document.ts';
import type { Path } from '../fault.ts';
import { maxRubricCharacters } from '../limits.ts';
import { readDocument } from '../read-document.ts';
import { beginsWith, type Lose, lookFor, textsOf } from './imported.ts';
import { type Fields, isFields } from '../exact-json.ts';
import type { CodeKind } from './code-file.ts';
import { agreement, byCode, byRubric } from './imported-judges.ts';
import { isKind, kinds } from './promptfoo-cells.ts';
import { expressionOf, textsIn } from './promptfoo-values.ts';
import { filesAt } from './promptfoo-files.ts';
import type { Filler } from '../filler.ts';
import { askedBy, lose, type Source } from './promptfoo-source.ts';

/** Where an assertion stands, and what is known there. */
export interface Place {
  readonly path: Path;
  readonly source: Source;
  readonly filler: Filler;
  /** The number of sets around it. */
  readonly depth: number;
  /** Whether its test passes with a share of the assertions, so that those of sets count in part. */
  readonly hasThreshold: boolean;
  /** Of the test: the prompt of its judges. */
  readonly rubricPrompt: unknown;
  /** Takes the names of assertions that are left out. */
  readonly lost: string[];
}

type Make = (value: unknown, assertion: Fields, place: Place) => GraderSpec | null;

/** promptfoo fails every reply for a number where it needs a text. */
const text =
  (make: (text: string, assertion: Fields) => GraderSpec | null): Make =>
  (value, assertion) =>
    typeof value === 'string' && value !== '' ? make(value, assertion) : null;

const oneText =
  (ignoresCase = false): Make =>
  (value) => {
    const texts = Array.isArray(value) ? null : textsOf(value);
    return texts === null ? null : lookFor(texts, 'all', ignoresCase);
  };

const manyTexts =
  (wanted: 'all' | 'any', ignoresCase = false): Make =>
  (value) => {
    const texts = textsIn(value);
    return texts === null ? null : lookFor(texts, wanted, ignoresCase);
  };

/** promptfoo does not accept JSON inside a fence. */
const bare = (json: Fields): GraderSpec => ({ all: [{ json }, { matches: '^```', not: true }] });

/** A schema may be written out as a text of JSON or YAML. Undefined if there is none, null if it is no object. */
function schemaOf(value: unknown, { source }: Place): Fields | null | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') return isFields(value) ? value : null;
  const read = readDocument(value, 'yaml', source.budget.tokens);
  return read.ok && isFields(read.value) ? read.value : null;
}

const anObject = { type: 'object' };

/** A kind of assertion: what it becomes, and how that differs if it is not the same. */
export interface Construct {
  readonly make: Make;
  readonly unlike?: string;
  /** Whether its score counts in part where a test passes with a share. */
  readonly isScored?: true;
  /** A reason to leave it out, other than its value. */
  readonly needs?: string;
  /** Why fields of it are lost. */
  readonly loses?: Readonly<Record<string, string>>;
  /** Code: its value may be a file, which stays where it is, and it inverts its own verdict. */
  readonly isCode?: true;
}

interface Rubric {
  readonly kind: string;
  /** What the rubric says of the texts of an assertion. */
  readonly says?: (text: string) => string;
  readonly between?: string;
}

/** A judge that is a model. */
function rubric({ kind, says = (text) => text, between = '\nor: ' }: Rubric): Construct {
  return {
    make(value, { rubricPrompt }, place) {
      const own = rubricPrompt ?? place.rubricPrompt;
      const texts = value === undefined && own !== undefined ? [''] : textsOf(value);
      if (texts === null) return null;
      const asked = texts.join(between);
      const instructions = own === undefined ? null : instructionsOf(own, asked, place);
      return instructions === null && asked === '' ? null : byRubric(kind, instructions ?? says(asked));
    },
    isScored: true,
    loses: {
      provider: 'Whoever runs the suite brings the model.',
      threshold: 'A judge accepts a reply or does not; `votes` and `pass_at` are in `judges` of the suite.',
    },
  };
}

const asInstructed =
  'Judge as these instructions say. The form of the verdict that they ask for does not matter.\n\n';

/** The source's own prompt, with words in place of what promptfoo inserts; null if it cannot be imported. */
function instructionsOf(given: unknown, asked: string, { path, source, filler }: Place): string | null {
  const lost = (why: string) => {
    lose(source, path, 'assert: rubricPrompt', why);
    return null;
  };
  const isNamed = typeof given === 'string' && isFile(given);
  const [file] = isNamed ? filesAt(given, 'rubricPrompt', path, source) : [];
  if (isNamed && file === undefined) return null;
  const template = file?.text ?? (typeof given === 'string' ? given : JSON.stringify(given));
  const [output, input] = ['(the reply)', '(the conversation)'];
  const words = { output, completion: output, input, rubric: asked, criteria: asked, ideal: asked };
  const told: Lose = (construct, why) => lose(source, path, construct, why);
  const read = askedBy(template, filler.extended(words), source.budget.tokens, told);
  if (!read.ok) return lost(read.why);
  const { prompt, messages = [] } = read.asks;
  const text = asInstructed + (prompt ?? messages.map(({ content }) => content).join('\n\n'));
  return text.length > maxRubricCharacters
    ? lost(`A rubric has at most ${maxRubricCharacters} characters.`)
    : text;
}

/** A judge that is a program. The code sees the variables of its test if it names them. */
function code(kind: CodeKind): Construct {
  return {
    make(value, { type, threshold = null, config }, { filler, hasThreshold }) {
      if (typeof value !== 'string' || value.trim() === '') return null;
      const seesContext = /\bcontext\b/.test(value) || isFile(value);
      const vars = seesContext ? filler.variables() : {};
      if (vars === null || (threshold !== null && typeof threshold !== 'number')) return null;
      const context = { vars, ...(config === undefined ? {} : { config }) };
      const isNegated = String(type).startsWith('not-');
      return byCode({ kind, source: value.trim(), context, threshold, isNegated, isScored: hasThreshold });
    },
    loses: { provider: 'Code asks no model by itself.' },
    isCode: true,
  };
}

/** Calls of the tools that a provider offers, with arguments that match their schemas. */
function validCalls(counts: Fields): Construct {
  return {
    make(_value, _assertion, { source: { tools } }) {
      const schemas = tools.map(({ name, parameters = {} }) => [name, parameters] as const);
      return schemas.length === 0 ? null : { calls: { ...counts, arguments: Object.fromEntries(schemas) } };
    },
    needs: 'No provider lists its tools in the configuration.',
  };
}

export const isFile = (value: string): boolean => value.startsWith('file://');

const constructs: Readonly<Record<string, Construct>> = {
  equals: {
    make(value) {
      if (isFields(value) || Array.isArray(value)) return bare({ at: '', equals: value });
      const [only] = textsOf(typeof value === 'boolean' ? String(value) : value) ?? [];
      return only === undefined ? null : { equals: only };
    },
  },
  contains: { make: oneText() },
  icontains: { make: oneText(true) },
  'contains-all': { make: manyTexts('all') },
  'contains-any': { make: manyTexts('any') },
  'icontains-all': { make: manyTexts('all', true) },
  'icontains-any': { make: manyTexts('any', true) },
  'starts-with': {
    make: text((start) => (start.trim() === '' ? null : { matches: beginsWith(start.trimStart()) })),
  },
  regex: {
    make: text((source) => {
      const expression = expressionOf(source);
      return expression === null ? null : { matches: expression };
    }),
  },
  'is-json': {
    make(value, _, place) {
      const schema = schemaOf(value, place);
      return schema === null ? null : bare(schema === undefined ? {} : { schema });
    },
  },
  'contains-json': {
    make(value, _, place) {
      const schema = schemaOf(value, place);
      if (schema === null) return null;
      // It only looks for objects.
      if (schema === undefined)
        return {
          json: { schema: { anyOf: [anObject, { type: 'array', contains: anObject }] }, anywhere: true },
        };
      const { type = 'object' } = schema;
      return [type].flat().includes('object')
        ? { json: { schema: { ...schema, ...anObject }, anywhere: true } }
        : null;
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
  'is-refusal': {
    make: () => ({ refuses: true }),
    unlike: 'The hub has its own list of phrases of refusals, and an empty reply is not a refusal.',
  },
  latency: {
    make: (_, { threshold }) =>
      typeof threshold === 'number' && threshold > 0 && threshold <= 600_000
        ? { latency_s: threshold / 1_000 }
        : null,
  },
  cost: {
    make: (_, { threshold }) =>
      typeof threshold === 'number' && threshold >= 0 && threshold <= 1_000 ? { cost_usd: threshold } : null,
  },
  'is-valid-openai-tools-call': validCalls({ at_least: 1 }),
  'is-valid-openai-function-call': validCalls({ at_least: 1, at_most: 1 }),
  'is-valid-function-call': validCalls({ at_least: 1, at_most: 1 }),
  'rouge-n': {
    isScored: true,
    make: text((value, { threshold = 0.75 }) => ({
      similar: 'rouge-1',
      to: [value],
      at_least: threshold,
      ignore: ['case'],
    })),
  },
  levenshtein: {
    make: text((value, { threshold = 5 }) =>
      typeof threshold === 'number' && threshold >= 0
        ? { similar: 'edit', to: [value], at_most: Math.floor(threshold) }
        : null,
    ),
  },
  'llm-rubric': rubric({ kind: 'llm-rubric' }),
  'model-graded-closedqa': rubric({ kind: 'model-graded-closedqa' }),
  'g-eval': rubric({ kind: 'g-eval', between: '\n' }),
  factuality: rubric({ kind: 'factuality', says: agreement }),
  'model-graded-factuality': rubric({ kind: 'factuality', says: agreement }),
  similar: {
    ...rubric({
      kind: 'similar',
      says: (text) => `The reply means the same as this text, in any words:\n${text}`,
    }),
    unlike: 'Imported as a judge with a rubric, which compares meanings, not embeddings.',
  },
  javascript: code('javascript'),
  python: code('python'),
};

export const constructOf = (kind: string): Construct | undefined =>
  Object.hasOwn(constructs, kind) ? constructs[kind] : undefined;

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

/** Why a kind of assertion has no counterpart. */
export function whyLacking(kind: string): string {
  const meant = isKind(kind) ? null : nearestName(kind, [...kinds]);
  if (meant !== null) return `promptfoo has no such assertion. Did you mean \`${meant}\`?`;
  return lacking.find(([each]) => each.test(kind))?.[1] ?? '';
}
