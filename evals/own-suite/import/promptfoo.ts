/** Imports a promptfoo configuration: every prompt with every test becomes a case. */
import type { GraderSpec } from '../document.ts';
import { readDocument } from '../read-document.ts';
import type { Path } from '../fault.ts';
import {
  beginsWith,
  type Fields,
  type Import,
  type ImportedCase,
  isFields,
  type Lost,
  promptOf,
  readMessages,
  tagFrom,
  textsOf,
} from './imported.ts';

interface Source {
  readonly lineOf: (path: Path) => number;
  readonly lost: Lost[];
}

const knownFields = [
  'prompts',
  'tests',
  'defaultTest',
  'description',
  'providers',
  'scenarios',
  '$schema',
  'metadata',
];

export function importPromptfoo(text: string): Import {
  const read = readDocument(text, 'yaml');
  if (!read.ok) return read;
  const config = read.value;
  if (!isFields(config))
    return {
      ok: false,
      faults: [
        { line: 1, column: 1, message: 'The configuration must be an object with `prompts` and `tests`.' },
      ],
    };
  const source: Source = { lost: [], lineOf: (path) => read.locate(path).line };
  for (const field of Object.keys(config)) {
    if (field === 'providers')
      lose(
        source,
        [field],
        'providers',
        'A suite does not say which agent runs it; name the target when you start a run.',
      );
    else if (!knownFields.includes(field)) lose(source, [field], field, 'A suite has no such setting.');
  }
  if (config['scenarios'] !== undefined)
    lose(source, ['scenarios'], 'scenarios', 'Write the combinations as tests.');
  const prompts = readPrompts(config['prompts'], source);
  const tests: readonly unknown[] = Array.isArray(config['tests']) ? config['tests'] : [];
  if (typeof config['tests'] === 'string')
    lose(
      source,
      ['tests'],
      'tests from a file',
      'Paste the tests into the configuration, or import the file as CSV.',
    );
  const shared = isFields(config['defaultTest']) ? config['defaultTest'] : {};
  const cases = tests.flatMap((test, at) => {
    if (isFields(test)) return casesOf(test, shared, prompts, ['tests', at], source);
    lose(source, ['tests', at], 'test from a file', 'Paste the test into the configuration.');
    return [];
  });
  const title = typeof config['description'] === 'string' ? config['description'].slice(0, 140) : '';
  return { ok: true, cases, lost: source.lost, ...(title === '' ? {} : { title }) };
}

function lose({ lost, lineOf }: Source, path: Path, construct: string, why: string): void {
  lost.push({ line: lineOf(path), construct, why });
}

function readPrompts(given: unknown, source: Source): readonly string[] {
  const list: readonly unknown[] = Array.isArray(given)
    ? given
    : given === undefined
      ? ['{{prompt}}']
      : [given];
  return list.flatMap((each, at) => {
    const raw: unknown = isFields(each) ? (each['raw'] ?? each['id']) : each;
    if (
      typeof raw === 'string' &&
      !/^(?:file|exec|langfuse|portkey):\/\/|\.(?:txt|json|jsonl|yaml|js|ts|py|md|csv)(?::\w+)?$/.test(
        raw.trim(),
      )
    )
      return [raw];
    lose(
      source,
      ['prompts', at],
      'prompt from a file',
      'Paste the text of the prompt into the configuration.',
    );
    return [];
  });
}

function casesOf(
  test: Fields,
  shared: Fields,
  prompts: readonly string[],
  path: Path,
  source: Source,
): readonly ImportedCase[] {
  const variables = { ...fieldsOf(shared['vars']), ...fieldsOf(test['vars']) };
  for (const field of Object.keys(test)) {
    if (!['vars', 'assert', 'description', 'metadata', 'threshold'].includes(field))
      lose(source, [...path, field], `test: ${field}`, 'A case has no such setting.');
  }
  if (typeof test['threshold'] === 'number' && (test['threshold'] <= 0 || test['threshold'] > 1)) {
    lose(
      source,
      [...path, 'threshold'],
      'test: threshold',
      'The share at which a case passes must be above 0 and at most 1.',
    );
  }
  const own: readonly unknown[] = Array.isArray(test['assert']) ? test['assert'] : [];
  const common: readonly unknown[] = Array.isArray(shared['assert']) ? shared['assert'] : [];
  const expect = [
    ...own.flatMap((each, at) => graderOf(each, variables, [...path, 'assert', at], source)),
    ...common.flatMap((each, at) => graderOf(each, variables, ['defaultTest', 'assert', at], source)),
  ];
  if (expect.length === 0) {
    lose(
      source,
      path,
      'test',
      'None of its assertions has a counterpart, and a case needs at least one grader.',
    );
    return [];
  }
  const passAt =
    typeof test['threshold'] === 'number' && test['threshold'] > 0 && test['threshold'] <= 1
      ? { pass_at: test['threshold'] }
      : {};
  const tags = typeof test['description'] === 'string' ? tagFrom(test['description']) : [];
  return combinations(variables).flatMap((values) =>
    prompts.flatMap((prompt) => {
      const filled = fillIn(prompt, values);
      if (filled === null) {
        lose(
          source,
          path,
          'template',
          'Only plain variables, such as {{name}}, have a counterpart; write out the text of the prompt.',
        );
        return [];
      }
      const messages = readMessages(parseJson(filled));
      return [
        {
          line: source.lineOf(path),
          ...(messages === null ? { prompt: filled } : promptOf(messages)),
          ...(tags.length > 0 ? { tags } : {}),
          ...passAt,
          expect,
        },
      ];
    }),
  );
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

const maxCombinations = 2_000;

/** A variable with a list of values stands for one test each. */
function combinations(variables: Fields): readonly Fields[] {
  let all: Fields[] = [{}];
  for (const [name, value] of Object.entries(variables)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    all = all.flatMap((each) => values.map((one) => ({ ...each, [name]: one }))).slice(0, maxCombinations);
  }
  return all;
}

/** The template with its variables filled in; null if it has anything but plain variables. */
function fillIn(template: string, variables: Fields): string | null {
  let plain = !/\{%|\{#/.test(template);
  const filled = template.replaceAll(/\{\{-?([^{}]*)-?\}\}/g, (_, inner: string) => {
    const value = variables[inner.trim()];
    plain &&= value !== undefined && !(typeof value === 'string' && value.startsWith('file://'));
    return typeof value === 'string' ? value : JSON.stringify(value ?? null);
  });
  return plain ? filled : null;
}

function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Make = (value: unknown, assertion: Fields) => GraderSpec | null;

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
    const texts =
      typeof value === 'string' ? textsOf(value.split(',').map((part) => part.trim())) : textsOf(value);
    return texts === null ? null : make(texts);
  };

const makers: Readonly<Record<string, Make>> = {
  equals: (value) =>
    isFields(value) || Array.isArray(value)
      ? { json: { at: '', equals: value } }
      : oneText((text) => ({ equals: text }))(value, {}),
  contains: oneText((text) => ({ contains: text })),
  icontains: oneText((text) => ({ contains: text, ignore: ['case'] })),
  'contains-all': manyTexts((texts) => ({ contains_all: texts })),
  'contains-any': manyTexts((texts) => ({ contains_any: texts })),
  'icontains-all': manyTexts((texts) => ({ contains_all: texts, ignore: ['case'] })),
  'icontains-any': manyTexts((texts) => ({ contains_any: texts, ignore: ['case'] })),
  'starts-with': oneText((text) => ({ matches: beginsWith(text) })),
  regex: oneText((text) => ({ matches: text })),
  'is-json': (value) => ({ json: isFields(value) ? { schema: value } : {} }),
  'is-refusal': () => ({ refuses: true }),
  latency: (_, { threshold }) =>
    typeof threshold === 'number' && threshold > 0 && threshold <= 600_000
      ? { latency_s: threshold / 1_000 }
      : null,
  'rouge-n': (value, { threshold = 0.75 }) =>
    typeof value === 'string' && value !== ''
      ? { similar: 'rouge-l', to: [value], at_least: threshold }
      : null,
  levenshtein(value, { threshold = 5 }) {
    if (typeof value !== 'string' || value === '' || typeof threshold !== 'number') return null;
    const share = 1 - threshold / Math.max(1, value.length);
    return share > 0 ? { similar: 'edit', to: [value], at_least: Number(share.toFixed(4)) } : null;
  },
};

/** Counterparts that are close but not equal, which the list of losses says. */
const approximate: Readonly<Record<string, string>> = {
  'rouge-n':
    'Imported as the similarity by longest common subsequence of words (ROUGE-L), which gives other values.',
  levenshtein:
    'Imported as a similarity relative to the length of the longer text, not as a number of edits.',
  'contains-json': 'Imported as `json`: the reply must be JSON or one fenced block of it, with nothing else.',
};

function graderOf(given: unknown, variables: Fields, path: Path, source: Source): readonly GraderSpec[] {
  if (!isFields(given) || typeof given['type'] !== 'string') {
    lose(source, path, 'assert', 'It has no type.');
    return [];
  }
  const type = given['type'];
  const negated = type.startsWith('not-');
  const plain = negated ? type.slice(4) : type;
  for (const field of ['weight', 'metric', 'transform', 'provider', 'config'].filter(
    (name) => given[name] !== undefined,
  )) {
    lose(
      source,
      [...path, field],
      `assert: ${type} with ${field}`,
      'All graders of a case weigh the same and read the reply as it is.',
    );
  }
  const make = makers[plain === 'contains-json' ? 'is-json' : plain];
  const value = typeof given['value'] === 'string' ? fillIn(given['value'], variables) : given['value'];
  const spec =
    typeof value === 'string' && value.startsWith('file://') ? null : (make?.(value, given) ?? null);
  if (spec === null) {
    lose(
      source,
      path,
      `assert: ${type}`,
      make === undefined ? whyNot(plain) : 'Its value has no counterpart.',
    );
    return [];
  }
  if (approximate[plain] !== undefined) lose(source, path, `assert: ${type}`, approximate[plain]);
  return [negated ? { ...spec, not: true } : spec];
}

function whyNot(type: string): string {
  if (['javascript', 'python', 'ruby'].includes(type))
    return 'The hub runs no code from a suite. Put it behind a `webhook` grader, which sends you the reply.';
  if (
    /^(?:llm-|model-|g-eval|factuality|answer-relevance|context-|similar|classifier|moderation|select-best|pi$)/.test(
      type,
    )
  ) {
    return 'The hub has no keys for models. Put your judge behind a `webhook` grader.';
  }
  if (/tools?-call|trajectory|function/.test(type))
    return 'Write the calls that you expect as a `tool_calls` grader.';
  return 'There is no such grader; a `webhook` grader can take its place.';
}
