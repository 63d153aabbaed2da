/** Imports a promptfoo configuration: every prompt with every test becomes a case. */
import { readDocument } from '../read-document.ts';
import type { Path } from '../fault.ts';
import { type Fields, type Import, type ImportedCase, isFields, type Lost, tagFrom } from './imported.ts';
import { gradersOf } from './promptfoo-assertions.ts';
import { askedBy, combinations, lose, maxCombinations, type Source } from './promptfoo-source.ts';

const knownFields = [
  'prompts',
  'tests',
  'defaultTest',
  'description',
  'scenarios',
  'assertionTemplates',
  '$schema',
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
  const lost = new Map<string, Lost>();
  const templates = fieldsOf(config['assertionTemplates']);
  const source: Source = {
    lost,
    lineOf: (path) => read.locate(path).line,
    resolve(value) {
      const name = isFields(value) ? value['$ref'] : undefined;
      return typeof name === 'string' ? templates[name.replace('#/assertionTemplates/', '')] : value;
    },
  };
  for (const field of Object.keys(config)) {
    if (['providers', 'targets'].includes(field))
      lose(
        source,
        [field],
        field,
        'A suite does not say which agent runs it, nor with which settings; name the target when you start a run.',
      );
    else if (!knownFields.includes(field)) lose(source, [field], field, 'A suite has no such setting.');
  }
  const shared = sharedOf(config['defaultTest'], source);
  const prompts = readPrompts(config['prompts'], source);
  const given = testsOf(config, source);
  const cases = given.flatMap(({ test, path }) => casesOf(test, shared, prompts, path, source));
  const title = typeof config['description'] === 'string' ? config['description'].slice(0, 140) : '';
  return {
    ok: true,
    cases,
    lost: [...lost.values()].toSorted((one, other) => one.line - other.line),
    ...(title === '' ? {} : { title }),
  };
}

const known = ['vars', 'assert', 'description', 'threshold', 'options'];
const noSetting = 'A case has no such setting.';

/** What every test has unless it says otherwise. */
function sharedOf(given: unknown, source: Source): Fields {
  if (typeof given === 'string')
    lose(source, ['defaultTest'], 'defaultTest from a file', 'Paste it into the configuration.');
  const shared = fieldsOf(given);
  loseFields(shared, ['defaultTest'], 'defaultTest', source);
  return shared;
}

function loseFields(test: Fields, path: Path, name: string, source: Source): void {
  for (const field of Object.keys(test).filter((each) => !known.includes(each)))
    lose(source, [...path, field], `${name}: ${field}`, noSetting);
  if (typeof test['vars'] === 'string')
    lose(source, [...path, 'vars'], `${name}: vars from a file`, 'Paste them into the configuration.');
  for (const option of Object.keys(fieldsOf(test['options']))) {
    if (!['disableVarExpansion', 'disableDefaultAsserts', 'transform'].includes(option))
      lose(source, [...path, 'options', option], `${name}: options.${option}`, noSetting);
  }
}

interface Test {
  readonly test: Fields;
  readonly path: Path;
}

/** The tests, and those that scenarios stand for: each of their data with each of their tests. */
function testsOf(config: Fields, source: Source): readonly Test[] {
  const tests = listOf(config['tests'], ['tests'], source);
  const scenarios: readonly unknown[] = Array.isArray(config['scenarios']) ? config['scenarios'] : [];
  if (config['scenarios'] !== undefined && !Array.isArray(config['scenarios']))
    lose(source, ['scenarios'], 'scenarios from a file', 'Paste them into the configuration.');
  const combined = scenarios.flatMap((scenario, at) => {
    const path = ['scenarios', at];
    if (!isFields(scenario)) {
      lose(source, path, 'scenario from a file', 'Paste it into the configuration.');
      return [];
    }
    const data = listOf(scenario['config'], [...path, 'config'], source);
    const own = listOf(scenario['tests'], [...path, 'tests'], source);
    return data.flatMap((one) => own.map((each) => ({ path: each.path, test: joined(one.test, each.test) })));
  });
  // Without tests, each prompt runs once.
  const none = config['tests'] === undefined && config['scenarios'] === undefined;
  return none ? [{ test: {}, path: ['prompts'] }] : [...tests, ...combined];
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function joined(one: Fields, other: Fields): Fields {
  return {
    ...one,
    ...other,
    vars: { ...fieldsOf(one['vars']), ...fieldsOf(other['vars']) },
    assert: [...listed(one['assert']), ...listed(other['assert'])],
  };
}

function listOf(given: unknown, path: Path, source: Source): readonly Test[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) {
    const why = 'Paste the tests into the configuration, or import the file as CSV.';
    lose(source, path, 'tests from a file', why);
    return [];
  }
  return given.flatMap((test: unknown, at) => {
    if (isFields(test)) return [{ test, path: [...path, at] }];
    lose(source, [...path, at], 'test from a file', 'Paste the test into the configuration.');
    return [];
  });
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
      !/^(?:file|exec|langfuse|portkey):\/\/|^[^\n]*\.(?:txt|json|jsonl|yaml|js|ts|py|md|csv)(?::\w+)?$/.test(
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
  loseFields(test, path, 'test', source);
  const options = { ...fieldsOf(shared['options']), ...fieldsOf(test['options']) };
  const own: readonly unknown[] = Array.isArray(test['assert']) ? test['assert'] : [];
  const common: readonly unknown[] =
    Array.isArray(shared['assert']) && options['disableDefaultAsserts'] !== true ? shared['assert'] : [];
  const threshold = test['threshold'] ?? shared['threshold'];
  const passAt =
    typeof threshold === 'number' && threshold > 0 && threshold <= 1 ? { pass_at: threshold } : {};
  if (typeof threshold === 'number' && !('pass_at' in passAt)) {
    const at = test['threshold'] === undefined ? ['defaultTest'] : path;
    const why = 'The share at which a case passes must be above 0 and at most 1.';
    lose(source, [...at, 'threshold'], 'test: threshold', why);
  }
  if (own.length + common.length === 0 || options['transform'] !== undefined) {
    const why =
      options['transform'] === undefined
        ? 'It has no assertions, and a case needs at least one grader.'
        : 'Its assertions read a transformed reply; graders read the reply as it is.';
    lose(source, path, options['transform'] === undefined ? 'test' : 'test: options.transform', why);
    return [];
  }
  const tags = typeof test['description'] === 'string' ? tagFrom(test['description']) : [];
  const variables = { ...fieldsOf(shared['vars']), ...fieldsOf(test['vars']) };
  const all = options['disableVarExpansion'] === true ? [variables] : combinations(variables);
  if (all.length > maxCombinations)
    lose(
      source,
      path,
      'test',
      `Only the first ${maxCombinations} combinations of its variables are imported.`,
    );
  return all.slice(0, maxCombinations).flatMap((values) => {
    const expect = [
      ...own.flatMap((each, at) => gradersOf(each, values, [...path, 'assert', at], source)),
      ...common.flatMap((each, at) => gradersOf(each, values, ['defaultTest', 'assert', at], source)),
    ];
    if (expect.length === 0) {
      const why = 'None of its assertions has a counterpart, and a case needs at least one grader.';
      lose(source, path, 'test', why);
      return [];
    }
    return prompts.flatMap((prompt) => {
      const asked = askedBy(prompt, values);
      if (!asked.ok) {
        lose(source, path, asked.construct, asked.why);
        return [];
      }
      const line = source.lineOf(path);
      return [{ line, ...asked.asks, ...(tags.length > 0 ? { tags } : {}), ...passAt, expect }];
    });
  });
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
