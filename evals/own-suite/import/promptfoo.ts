/** Imports a promptfoo configuration and the files that it names: every prompt with every test becomes a case. */
import { nameOf } from '../fault.ts';
import { readDocuments } from '../read-document.ts';
import { ImportBudget, ImportTooLargeError } from './import-budget.ts';
import {
  idFrom,
  type Import,
  type ImportedCase,
  type Lose,
  maxIdCharacters,
  titleFrom,
  unreadable,
  UnreadableError,
} from './imported.ts';
import { type Fields, fieldsOf, isFields } from '../exact-json.ts';
import { LostList } from './lost-list.ts';
import { gradersOf, keepsReply } from './promptfoo-assertions.ts';
import {
  fieldsFrom,
  followed,
  type Found,
  listed,
  type Prompt,
  promptsOf,
  variableFrom,
} from './promptfoo-files.ts';
import { Filler, listNames } from '../filler.ts';
import type { Importing } from './records.ts';
import { toolsIn } from './promptfoo-tools.ts';
import { askedBy, combinations, countCombinations, lose, type Source } from './promptfoo-source.ts';

/** Of variables whose values name variables again. */
const maxNesting = 4;

const knownFields = [
  'prompts',
  'tests',
  'defaultTest',
  'description',
  'scenarios',
  'assertionTemplates',
  '$schema',
];

/** They say which agent runs and where results go, which a suite leaves to whoever starts a run. */
const settings = [
  'providers',
  'targets',
  'outputPath',
  'sharing',
  'evaluateOptions',
  'commandLineOptions',
  'writeLatestResults',
  'tags',
  'metadata',
];

export function importPromptfoo(text: string, { files, keepUngraded }: Importing): Import {
  const budget = new ImportBudget();
  const read = readDocuments(text, budget.tokens);
  if (!read.ok) throw new UnreadableError(read.faults);
  const given = { budget, files, keepUngraded, lost: new LostList() };
  try {
    const all = read.documents.map(({ value, locate }) => convert(value, (path) => locate(path).line, given));
    const [first] = all;
    if (first === undefined) throw unreadable(1, notAConfiguration);
    const warnings = all.flatMap((each) => each.warnings ?? []);
    return { ...first, cases: all.flatMap(({ cases }) => cases), warnings };
  } catch (error) {
    if (!(error instanceof ImportTooLargeError)) throw error;
    const place = read.documents[0]?.locate(error.path) ?? { line: 1, column: 1 };
    throw new UnreadableError([{ ...place, message: error.message }]);
  }
}

const notAConfiguration = 'The configuration must be an object with `prompts` and `tests`.';

function convert(
  config: unknown,
  lineOf: Source['lineOf'],
  given: Pick<Source, 'budget' | 'files' | 'keepUngraded' | 'lost'>,
): Import {
  if (!isFields(config)) throw unreadable(1, notAConfiguration);
  if (config['suite'] === 1 && config['prompts'] === undefined)
    throw unreadable(1, 'This is already a suite of a hub. Run it with `--suite-file`.');
  const templates = fieldsOf(config['assertionTemplates']);
  const bare: Source = {
    ...given,
    tools: [],
    unused: new Set(),
    lineOf,
    resolve(value) {
      if (!isFields(value)) return value;
      const { $ref: name, ...beside } = value;
      if (typeof name !== 'string') return value;
      const template = templates[name.replace('#/assertionTemplates/', '')];
      return isFields(template) ? { ...template, ...beside } : template;
    },
  };
  const source = { ...bare, tools: toolsIn(config, bare) };
  const left = Object.keys(config).filter((field) => settings.includes(field));
  for (const field of Object.keys(config).filter((each) => ![...knownFields, ...settings].includes(each)))
    lose(source, [field], field, 'A suite has no such setting.');
  const prompts = promptsOf(config['prompts'], source);
  const shared = sharedOf(config['defaultTest'], source);
  const cases = testsOf(config, source).flatMap((test) => casesOf(test, shared, prompts));
  return {
    cases,
    ...(source.tools.length === 0 ? {} : { tools: source.tools }),
    lost: source.lost,
    ...titleFrom(config['description'], (construct, why) => lose(source, ['description'], construct, why)),
    warnings: [
      ...(left.length === 0 ? [] : [`${left.join(', ')}: ${notOfASuite}`]),
      ...(source.unused.size === 0 ? [] : [`${listNames([...source.unused])}: ${notNamed}`]),
      ...(cases.every(({ id }) => id !== undefined) ? [] : [idsOf]),
    ],
  };
}

const notNamed = 'no prompt and no assertion names these variables, so the agent is not sent them.';
const notOfASuite =
  'a suite does not say which agent runs it, nor where results go; say so when you start a run.';
const idsOf = '`metadata.id` of a test, or the column `__metadata:id` of a table, is the id of its case.';
const known = ['vars', 'assert', 'description', 'threshold', 'options', 'metadata'];
const knownOptions = [
  'disableVarExpansion',
  'disableDefaultAsserts',
  'transform',
  'prefix',
  'suffix',
  'rubricPrompt',
];
const noSetting = 'A case has no such setting.';

/** What every test has unless it says otherwise. */
interface Shared {
  readonly fields: Fields;
  readonly vars: Fields;
  readonly assert: readonly Found[];
}

function sharedOf(value: unknown, source: Source): Shared {
  const [found = { value: {}, path: ['defaultTest'], source }] =
    value === undefined ? [] : followed({ value, path: ['defaultTest'], source }, 'defaultTest');
  const fields = fieldsOf(found.value);
  loseFields(fields, found, 'defaultTest');
  return { fields, vars: varsOf(fields, found), assert: assertOf(fields, found) };
}

function loseFields(test: Fields, { path, source }: Found, name: string): void {
  for (const field of Object.keys(test).filter((each) => !known.includes(each)))
    lose(source, [...path, field], `${name}: ${field}`, noSetting);
  for (const option of Object.keys(fieldsOf(test['options'])).filter((each) => !knownOptions.includes(each)))
    lose(source, [...path, 'options', option], `${name}: options.${option}`, noSetting);
  for (const field of Object.keys(fieldsOf(test['metadata'])).filter(
    (each) => name !== 'test' || each !== 'id',
  ))
    lose(source, [...path, 'metadata', field], `${name}: metadata.${field}`, noSetting);
}

/** The variables of a test, which may name files, as may each of them. */
function varsOf(test: Fields, { path, source }: Found): Fields {
  const given = test['vars'];
  const vars = isFields(given)
    ? given
    : fieldsFrom({ value: given, path: [...path, 'vars'], source }, 'variables');
  const entries = Object.entries(vars).map(
    ([name, value]) => [name, variableFrom(value, name, path, source)] as const,
  );
  return Object.fromEntries(entries);
}

function assertOf(test: Fields, { path, source }: Found): readonly Found[] {
  const given = test['assert'];
  return listed({ value: isFields(given) ? [given] : given, path: [...path, 'assert'], source }, 'assert');
}

interface Test extends Found {
  /** Of scenarios: the data, which the test is joined with when its size has been counted. */
  readonly data?: Found;
}

/** The tests, and those that scenarios stand for: each of their data with each of their tests. */
function testsOf(config: Fields, source: Source): readonly Test[] {
  const tests = testsIn({ value: config['tests'], path: ['tests'], source });
  const scenarios = listed({ value: config['scenarios'], path: ['scenarios'], source }, 'scenarios');
  const combined = scenarios.flatMap(({ value, path, source: own }) => {
    const { config: given, tests: asked } = fieldsOf(value);
    const data = testsIn({ value: given, path: [...path, 'config'], source: own });
    const each = testsIn({ value: asked, path: [...path, 'tests'], source: own });
    // Each stands for a case or for something lost.
    source.budget.spend('parts', data.length * each.length, path);
    return data.flatMap((one) => each.map((test) => ({ ...test, data: one })));
  });
  // Without tests, each prompt runs once.
  const none = config['tests'] === undefined && config['scenarios'] === undefined;
  return none ? [{ value: {}, path: ['prompts'], source }] : [...tests, ...combined];
}

function testsIn(found: Found): readonly Found[] {
  return listed(found, 'tests').filter(({ value, path, source }) => {
    if (isFields(value) && value['path'] === undefined) return true;
    lose(source, path, 'test', 'A test must be an object, and cannot be made by a program.');
    source.lost.leaveOut();
    return false;
  });
}

function casesOf(found: Test, shared: Shared, prompts: readonly Prompt[]): readonly ImportedCase[] {
  const { path, source, data } = found;
  const { budget } = source;
  const [test, base] = [fieldsOf(found.value), fieldsOf(data?.value)];
  const parts = [test, base, shared.fields, shared.vars].map(countParts).reduce((sum, each) => sum + each, 0);
  budget.spend('parts', parts, path);
  loseFields(test, found, 'test');
  const options = {
    ...fieldsOf(shared.fields['options']),
    ...fieldsOf(base['options']),
    ...fieldsOf(test['options']),
  };
  const asserts = [
    ...(data === undefined ? [] : assertOf(base, data)),
    ...assertOf(test, found),
    ...(options['disableDefaultAsserts'] === true ? [] : shared.assert),
  ];
  const threshold = test['threshold'] ?? base['threshold'] ?? shared.fields['threshold'];
  const isShare = typeof threshold === 'number' && threshold > 0 && threshold <= 1;
  if (threshold !== undefined && !isShare)
    lose(source, path, 'test: threshold', 'The share at which a case passes must be above 0 and at most 1.');
  const isReplyItself = keepsReply(options['transform']);
  if (!isReplyItself) {
    const why = 'Its assertions read a transformed reply; graders read the reply as it is.';
    lose(source, path, 'test: options.transform', why);
  }
  const told: Lose = (construct, why) => lose(source, path, construct, why);
  const { title } = titleFrom(test['description'] ?? base['description'], told);
  const variables = {
    ...shared.vars,
    ...(data === undefined ? {} : varsOf(base, data)),
    ...varsOf(test, found),
  };
  const isExpanded = options['disableVarExpansion'] !== true;
  const count = (isExpanded ? countCombinations(variables) : 1) * prompts.length;
  if (asserts.length === 0) {
    lose(source, path, 'test', 'It has no assertions.');
    if (!source.keepUngraded) {
      source.lost.leaveOut(count);
      return [];
    }
  }
  budget.spend('cases', count, [...path, 'vars'], nameOf(path));
  budget.spend('parts', count * parts, path);
  const spend = (characters: number) => budget.spend('characters', characters, path);
  const unknown = (name: string) => {
    if (!name.startsWith('vars.')) told(`{{${name}}}`, 'Nothing defines the variable, so it is empty.');
  };
  const all = isExpanded ? combinations(variables) : [variables];
  const [prefix = '', suffix = ''] = ['prefix', 'suffix'].map((name) =>
    typeof options[name] === 'string' ? options[name] : '',
  );
  const { id, ...named } = idFrom(fieldsOf(test['metadata'])['id'], told);
  return all.flatMap((values, row) => {
    const filler = new Filler(withoutLastBreaks(values), { spend, unknown, maxNesting, hasTags: true });
    const lost: string[] = isReplyItself ? [] : ['options.transform'];
    const { rubricPrompt } = options as Fields;
    const grading = { filler, lost, depth: 0, hasThreshold: isShare, rubricPrompt };
    const expect = isReplyItself
      ? asserts.flatMap(({ value, ...place }) => gradersOf(value, { ...grading, ...place }))
      : [];
    const made = prompts.flatMap(({ text, label }, column) => {
      if (text === null) {
        source.lost.leaveOut();
        return [];
      }
      // A prompt may be JSON, which is parsed for each case.
      spend(prefix.length + text.length + suffix.length);
      const asked = askedBy(`${prefix}${text}${suffix}`, filler, budget.tokens, told);
      if (!asked.ok) {
        lose(source, path, asked.construct, asked.why);
        source.lost.leaveOut();
        return [];
      }
      budget.spend('written', JSON.stringify([asked.asks, expect]).length, path);
      return [
        {
          line: source.lineOf(path),
          ...(source.file === undefined ? {} : { file: source.file }),
          ...asked.asks,
          ...named,
          ...(id === undefined ? {} : { id: numbered(id, row * prompts.length + column + 1) }),
          // Of several prompts, each makes a case with the same description.
          ...titleFrom(prompts.length === 1 ? title : joined(label, title), told),
          ...(isShare ? { pass_at: threshold } : {}),
          ...(lost.length > 0 ? { lost } : {}),
          expect,
        },
      ];
    });
    for (const name of filler.unused()) source.unused.add(name);
    return made;
  });
}

/** promptfoo leaves out the line break at the end of a variable, such as that of a block in YAML. */
const withoutLastBreaks = (variables: Fields): Fields =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' && value.endsWith('\n') ? value.slice(0, -1) : value,
    ]),
  );

/** Several prompts, or values of its variables, make several cases of a test. */
const numbered = (id: string, number: number): string =>
  number === 1 ? id : `${id.slice(0, maxIdCharacters - `-${number}`.length)}-${number}`;

const joined = (label: string | undefined, title: string | undefined): string =>
  [label, title].filter((part) => part !== undefined).join(': ');

/** Variables, assertions and other fields of a test. */
function countParts(test: Fields): number {
  const { assert, vars, options } = test;
  const listed = Array.isArray(assert) ? assert.length : 0;
  return [test, fieldsOf(vars), fieldsOf(options)].reduce(
    (sum, each) => sum + Object.keys(each).length,
    listed,
  );
}
