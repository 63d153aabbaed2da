/** Follows the names of files in a promptfoo configuration: of prompts, tests, variables and values of assertions. */
import { type LocatedFault, readDocuments } from '../read-document.ts';
import { nameOf, type Path } from '../fault.ts';
import { textsOf, titleFrom, UnreadableError } from './imported.ts';
import { type Fields, isFields } from '../exact-json.ts';
import { assertionOf } from './promptfoo-cells.ts';
import { lose, type Source } from './promptfoo-source.ts';
import { isTable, readFile } from './records.ts';

/** A value, and the file in which it stands. */
export interface Found {
  readonly value: unknown;
  readonly path: Path;
  readonly source: Source;
}

const isCode = /\.(?:[cm]?[jt]s|py|rb|go|sh|exe)(?::\w+)?$/;
const isElsewhere = /^(?!file:)[a-z][a-z0-9+.-]{0,30}:\/\/\S+$/i;
const isText = /\.(?:txt|md|markdown|j2|jinja|njk|jsonl?|ya?ml|[ct]sv|html|xml)$/i;

/**
 * The file or pattern that a text names; null if it is a text of its own. Without `file://`, only one line that looks
 * like a path does.
 */
function fileNamed(text: string): string | null {
  const marked = /^file:\/\/(.*)$/s.exec(text.trim())?.[1];
  const name = (marked ?? text.trim()).replace(/^\.\//, '');
  if (marked !== undefined) return name;
  const isPath =
    !/[\s{]/.test(name) &&
    (isText.test(name) || isCode.test(name) || (name.includes('*') && /[./]/.test(name)));
  return isPath ? name : null;
}

/**
 * Refuses the whole import for faults of a file: without what it has, replies would pass that must not.
 * @param file the one that `faults` are in; undefined for the configuration itself
 * @throws UnreadableError
 */
function refuse(faults: readonly LocatedFault[], file: string | undefined): never {
  throw new UnreadableError(faults.map((fault) => (file === undefined ? fault : { ...fault, file })));
}

/** A file that has no counterpart is lost; of tests, it counts as one case that is left out. */
function loseFile(source: Source, path: Path, what: string, name: string, why: string): void {
  lose(source, path, `${what} from ${name}`, why);
  if (what === 'tests') source.lost.leaveOut();
}

const maxShownCharacters = 200;
const noFile =
  'There is no such file that may be read. It must be in the folder of the configuration or in the working directory, and must not be hidden.';

/**
 * The text of each file that `given` names; what has no counterpart is lost.
 * @throws UnreadableError if there is no such file
 */
export function filesAt(
  given: string,
  what: string,
  path: Path,
  source: Source,
): readonly { readonly name: string; readonly text: string }[] {
  const name = fileNamed(given) ?? given;
  const lost = (why: string) => {
    loseFile(source, path, what, name, why);
    return [];
  };
  const fault = (why: string, file = name): never => {
    const message = `${what} from ${file}`.slice(0, maxShownCharacters);
    return refuse([{ line: source.lineOf(path), column: 1, message: `${message}: ${why}` }], source.file);
  };
  if (isElsewhere.test(name)) return lost('It is not a file beside the configuration.');
  if (isCode.test(name)) return lost('It is made by a program, which is not run.');
  if (/\.(?:xlsx?|pdf|png|jpe?g|gif|webp|mp[34]|wav)$/i.test(name))
    return lost('The file has no text; save it as CSV or as text.');
  if (/\{[{%]/.test(name)) return lost('Its name has variables.');
  if (source.files.isAlone)
    return lost('Only the configuration was given. Send the file too, or paste it in.');
  const names = /[*?]/.test(name) ? source.files.match(name) : [name];
  if (names === undefined) return [];
  if (names.length === 0) return fault('No file matches.');
  source.budget.spend('reads', names.length, path);
  return names.flatMap((each) => {
    const text = source.files.read(each);
    if (text === null) return fault(noFile, each);
    if (text === undefined) return [];
    if (text.startsWith('version https://git-lfs.github.com/'))
      return fault('It is a pointer of Git LFS. Get the file with `git lfs pull`.', each);
    source.budget.spend('characters', text.length, path);
    return [{ name: each, text }];
  });
}

/** Files that name files that name files, and so on. */
const maxFilesInside = 10;

/** The value in a file of YAML or JSON, or its documents if it has several. */
function parsed(name: string, text: string, source: Source): readonly Found[] {
  const read = readDocuments(text, source.budget.tokens);
  if (!read.ok) return refuse(read.faults, name);
  return read.documents.map(({ value, locate }) => ({
    value,
    path: [],
    source: { ...source, file: name, lineOf: (at) => locate(at).line },
  }));
}

/** The values in files of YAML, JSON, JSONL and CSV. */
function valuesIn(given: string, what: string, path: Path, outer: Source): readonly Found[] {
  const { inside = 0 } = outer;
  if (inside >= maxFilesInside) {
    loseFile(outer, path, what, given, `Files may name each other at most ${maxFilesInside} deep.`);
    return [];
  }
  const source = { ...outer, inside: inside + 1 };
  return filesAt(given, what, path, source).flatMap(({ name, text }) => {
    if (!/\.(?:[ct]sv|jsonl)$/i.test(name)) return parsed(name, text, source);
    return recordsIn(name, text, source).map(({ fields, source: own }) => ({
      value: isTable(name) ? testOfRow(fields, own) : fields,
      path: [],
      source: own,
    }));
  });
}

interface FoundRecord {
  readonly fields: Fields;
  readonly source: Source;
}

/** @param above the lines of the text that are not in the file */
function recordsIn(name: string, text: string, source: Source, above = 0): readonly FoundRecord[] {
  const inFile = (line: number): Source => ({ ...source, file: name, lineOf: () => line - above });
  const { rows, lost } = readFile(name, text, {
    budget: source.budget.tokens,
    unread: (faults) =>
      refuse(
        faults.map((fault) => ({ ...fault, line: fault.line - above })),
        name,
      ),
  });
  for (const { line, construct, why } of lost.entries()) lose(inFile(line), [], construct, why);
  source.lost.leaveOut(lost.leftOut);
  return rows.map(({ line, fields }) => ({ fields, source: inFile(line) }));
}

/** What stands in place of a value: the value, or that of the files it names. A list in a file takes the place of its name. */
export function followed(found: Found, what: string): readonly Found[] {
  const { value, path, source } = found;
  if (typeof value !== 'string') return [found];
  return valuesIn(value, what, path, source).flatMap((each) => listed(each, what));
}

/** The entries of a list, with those of the files that it names. */
export function listed(found: Found, what: string): readonly Found[] {
  const { value, path, source } = found;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return followed(found, what);
  return value.flatMap((each: unknown, at) => followed({ value: each, path: [...path, at], source }, what));
}

/** Fields, or those of the files that stand in their place, the later ones first. */
export function fieldsFrom(found: Found, what: string): Fields {
  const all = listed(found, what).map(({ value }) => value);
  return Object.assign({}, ...all.filter(isFields)) as Fields;
}

/** A row of a table of tests: columns are variables, those that begin with `__` say how it is asked and graded. */
function testOfRow(row: Fields, source: Source): Fields {
  const vars: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  const test: Record<string, unknown> = { vars, options };
  const assert: Fields[] = [];
  for (const [column, cell] of Object.entries(row)) {
    const text = typeof cell === 'string' ? cell : '';
    const [, name] = /^__(.+)$/.exec(column) ?? [];
    if (name === undefined) vars[column] = cell;
    else if (text.trim() === '') continue;
    else if (/^expected\d*$/.test(name)) assert.push(assertionOf(text));
    else if (name === 'description') test['description'] = text;
    else if (name === 'prefix' || name === 'suffix') options[name] = text;
    else if (name === 'metadata:id') test['metadata'] = { id: text.trim() };
    else if (name === 'threshold') test['threshold'] = Number(text);
    else if (name !== 'metric') lose(source, [], `column ${column}`, 'A case has no such setting.');
  }
  const metric = row['__metric'];
  test['assert'] =
    typeof metric === 'string' && metric !== '' ? assert.map((each) => ({ ...each, metric })) : assert;
  return test;
}

export interface Prompt {
  /** Null if it has no counterpart, nor then do its cases. */
  readonly text: string | null;
  /** Its name, if it has one; cut as a title is. */
  readonly label: string | undefined;
}

/** The prompts of a configuration: texts, and what the files that they name have. */
export function promptsOf(given: unknown, source: Source): readonly Prompt[] {
  const isNamed = isFields(given) && given['raw'] === undefined && given['id'] === undefined;
  // An object names its prompts: texts or files, each with a label.
  const list: readonly unknown[] = isNamed
    ? Object.keys(given)
    : Array.isArray(given)
      ? given
      : [given ?? '{{prompt}}'];
  return list.flatMap((each, at) => {
    const path = ['prompts', ...(isNamed ? [String(each)] : [at])];
    const raw: unknown = isFields(each) ? (each['raw'] ?? each['id']) : each;
    if (typeof raw !== 'string') {
      lose(source, path, nameOf(path), 'A prompt must be a text or name a file.');
      return [{ text: null, label: undefined }];
    }
    const named: unknown = isNamed ? given[raw] : isFields(each) ? each['label'] : undefined;
    const { title: label } = titleFrom(named, () => {});
    if (!isElsewhere.test(raw) && fileNamed(raw) === null) return [{ text: raw, label }];
    const texts = filesAt(raw, 'prompt', path, source).flatMap(({ name, text }) => {
      const found = promptsIn(name, text, source);
      if (found.length === 0) loseFile(source, path, 'prompt', name, 'The file has no prompt.');
      return found;
    });
    return (texts.length === 0 ? [null] : texts).map((text) => ({ text, label }));
  });
}

function promptsIn(name: string, text: string, source: Source): readonly string[] {
  const parts = /\.jsonl$/i.test(name)
    ? text.split(/\r?\n/)
    : /\.txt$/i.test(name)
      ? text.split(/^---[ \t]*\r?$/m)
      : /\.csv$/i.test(name)
        ? columnOf(name, text, source)
        : [text];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A table of prompts has them in the column `prompt`; without that name in the first line, it has one column. */
function columnOf(name: string, given: string, source: Source): readonly string[] {
  const text = given.replace(/^\ufeff/, '');
  const [first = ''] = text.replace(/^sep=.\r?\n/, '').split('\n', 1);
  const isNamed = first.split(/[,;\t]/).some((name) => ['prompt', '"prompt"'].includes(name.trim()));
  const records = isNamed ? recordsIn(name, text, source) : recordsIn(name, `prompt\n${text}`, source, 1);
  return records.flatMap(({ fields }) => textsOf(fields['prompt']) ?? []);
}

/** The value of a variable: a text, or what the file that it names has; undefined if that is not known. */
export function variableFrom(value: unknown, name: string, path: Path, source: Source): unknown {
  if (typeof value !== 'string' || !value.startsWith('file://')) return value;
  const texts = filesAt(value, `variable ${name}`, [...path, 'vars', name], source).map(
    ({ name: file, text }) => {
      if (!/\.ya?ml$/i.test(file)) return text.trim();
      const [first] = parsed(file, text, source);
      return first === undefined ? undefined : first.value;
    },
  );
  return texts.length > 1 ? texts : texts[0];
}

const valuesRead = new WeakMap<Source['budget'], Map<string, readonly unknown[]>>();

/** Many assertions may name one file, such as a schema for all tests. */
function readValues(name: string, text: string, source: Source): readonly unknown[] {
  const known = valuesRead.get(source.budget) ?? new Map<string, readonly unknown[]>();
  valuesRead.set(source.budget, known);
  const values = known.get(name) ?? parsed(name, text, source).map(({ value }) => value);
  known.set(name, values);
  return values;
}

/** What the file has that stands in place of the value of an assertion; undefined if that is not known. */
export function valueFrom(given: string, what: string, path: Path, source: Source): unknown {
  const [file, ...others] = filesAt(given, what, path, source);
  if (file === undefined) return undefined;
  const { name, text } = file;
  const values = /\.txt$/i.test(name)
    ? [text.trim()]
    : /\.(?:json|ya?ml)$/i.test(name)
      ? readValues(name, text, source)
      : [];
  if (values.length === 1 && others.length === 0) return values[0];
  loseFile(source, path, what, name, 'A value must be the text of a file (`.txt`), or its JSON or YAML.');
  return undefined;
}
