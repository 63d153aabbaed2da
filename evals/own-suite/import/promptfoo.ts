/** Imports a promptfoo configuration: every prompt with every test becomes a case. */
import { readDocument } from '../read-document.ts';
import { nameOf, type Path } from '../fault.ts';
import { type Fields, type Import, type ImportedCase, isFields, type Lose, tagFrom } from './imported.ts';
import { LostList } from './lost-list.ts';
import { gradersOf } from './promptfoo-assertions.ts';
import { askedBy, combinations, countCombinations, Filler, lose, type Source } from './promptfoo-source.ts';
import { fault } from './records.ts';
import { ImportBudget, ImportTooLargeError } from './import-budget.ts';

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
  const budget = new ImportBudget();
  const read = readDocument(text, 'yaml', budget.tokens);
  if (!read.ok) return read;
  try {
    return convert(read.value, (path) => read.locate(path).line, budget);
  } catch (error) {
    if (!(error instanceof ImportTooLargeError)) throw error;
    return { ok: false, faults: [{ ...read.locate(error.path), message: error.message }] };
  }
}

function convert(config: unknown, lineOf: Source['lineOf'], budget: ImportBudget): Import {
  if (!isFields(config)) return fault(1, 'The configuration must be an object with `prompts` and `tests`.');
  const lost = new LostList();
  const templates = fieldsOf(config['assertionTemplates']);
  const source: Source = {
    budget,
    lost,
    lineOf,
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
  const cases = given.flatMap((test) => casesOf(test, shared, prompts, source));
  const title = typeof config['description'] === 'string' ? config['description'].slice(0, 140) : '';
  return { ok: true, cases, lost, ...(title === '' ? {} : { title }) };
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
  readonly path: Path;
  /** Of scenarios: the data, which the test is joined with when its size has been counted. */
  readonly data?: Fields;
  readonly own: Fields;
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
    // Each stands for a case or for something lost.
    source.budget.spend('parts', data.length * own.length, path);
    return data.flatMap((one) => own.map((each) => ({ ...each, data: one.own })));
  });
  // Without tests, each prompt runs once.
  const none = config['tests'] === undefined && config['scenarios'] === undefined;
  return none ? [{ own: {}, path: ['prompts'] }] : [...tests, ...combined];
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
    if (isFields(test)) return [{ own: test, path: [...path, at] }];
    lose(source, [...path, at], 'test from a file', 'Paste the test into the configuration.');
    return [];
  });
}

function readPrompts(given: unknown, source: Source): readonly string[] {
  const list: readonly unknown[] = Array.isArray(given)
    ? given
    : [given === undefined ? '{{prompt}}' : given];
  return list.flatMap((each, at) => {
    const raw: unknown = isFields(each) ? (each['raw'] ?? each['id']) : each;
    if (
      typeof raw === 'string' &&
      !/^(?:file|exec|langfuse|portkey):\/\/|^[^\n]*\.(?:txt|json|jsonl|yaml|js|ts|py|md|csv)(?::\w+)?$/.test(
        raw.trim(),
      )
    )
      return [raw];
    const why = 'Paste the text of the prompt into the configuration.';
    lose(source, ['prompts', at], 'prompt from a file', why);
    return [];
  });
}

function casesOf(
  { own: given, data, path }: Test,
  shared: Fields,
  prompts: readonly string[],
  source: Source,
): readonly ImportedCase[] {
  countParts([given, ...(data === undefined ? [] : [data]), shared], 1, path, source);
  const test = data === undefined ? given : joined(data, given);
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
  const told: Lose = (construct, why) => lose(source, path, construct, why);
  const tags = typeof test['description'] === 'string' ? tagFrom(test['description'], told) : [];
  const variables = { ...fieldsOf(shared['vars']), ...fieldsOf(test['vars']) };
  const isExpanded = options['disableVarExpansion'] !== true;
  const count = isExpanded ? countCombinations(variables) : 1;
  const { budget } = source;
  budget.spend('cases', count * prompts.length, [...path, 'vars'], nameOf(path));
  countParts([test, shared], count * prompts.length, path, source);
  const spend = (characters: number) => budget.spend('characters', characters, path);
  const all = isExpanded ? combinations(variables) : [variables];
  return all.flatMap((values) => {
    const filler = new Filler(values, spend);
    const expect = [
      ...own.flatMap((each, at) => gradersOf(each, filler, [...path, 'assert', at], source)),
      ...common.flatMap((each, at) => gradersOf(each, filler, ['defaultTest', 'assert', at], source)),
    ];
    const isPartial = expect.length < own.length + common.length;
    if (expect.length === 0) {
      const why = 'None of its assertions has a counterpart, and a case needs at least one grader.';
      lose(source, path, 'test', why);
      return [];
    }
    return prompts.flatMap((prompt) => {
      const asked = askedBy(prompt, filler, budget.tokens, told);
      if (!asked.ok) {
        lose(source, path, asked.construct, asked.why);
        return [];
      }
      budget.spend('written', JSON.stringify([asked.asks, expect]).length, path);
      const line = source.lineOf(path);
      const more = { ...(tags.length > 0 ? { tags } : {}), ...passAt, ...(isPartial ? { isPartial } : {}) };
      return [{ line, ...asked.asks, ...more, expect }];
    });
  });
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Counts the variables, assertions and other fields of tests, as often as each is copied. */
function countParts(tests: readonly Fields[], copies: number, path: Path, source: Source): void {
  for (const test of tests) {
    const parts =
      Object.keys(test).length +
      Object.keys(fieldsOf(test['vars'])).length +
      Object.keys(fieldsOf(test['options'])).length +
      listed(test['assert']).length;
    source.budget.spend('parts', copies * parts, path);
  }
}
