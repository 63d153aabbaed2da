/** Finds the suite to run: a published one, a file, or a file of another tool; the latter two are published. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { ImportedSuite, PublishedSuite, SuiteFault } from '../api-types.ts';
import { HubError } from '../hub-error.ts';
import { ask, type Connection, NotPossible } from './connection.ts';
import { FilesBeside, readUtf8 } from './files-beside.ts';
import { type Options, UsageFault } from './options.ts';
import { shown } from './printed.ts';
import { readSuite, type Suite } from './run.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
};

type Lost = ImportedSuite['lost'][number];

/** @param named takes the paths of files that the file names, with what they were like when they were read */
export async function findSuite(
  hub: Connection,
  options: Options,
  named: Map<string, string>,
): Promise<Suite | null> {
  const { suite, version, 'suite-file': file, import: source } = options;
  if (source !== undefined) {
    return publish(hub, await imported(hub, source, options, named), source, named);
  }
  if (file === undefined) return suite === undefined ? null : readSuite(hub, suite, version);
  const contentType = contentTypes[extname(file).toLowerCase()];
  if (contentType === undefined) {
    const endings = Object.keys(contentTypes).join(', ');
    throw new UsageFault(`--suite-file must end with one of ${endings}, but is ${file}. Rename it.`);
  }
  const text = readFileOf('suite-file', file);
  return publish(hub, { text, contentType }, file, named);
}

/** Unchanged content is the version that there is. */
async function publish(
  hub: Connection,
  sent: Sent,
  file: string,
  named: Map<string, string>,
): Promise<Suite> {
  const beside = new FilesBeside(file, sent.text);
  const published = await orFaults(file, () => sendWithFiles(hub, '/v1/suites', sent, beside, named));
  const { ref, version, created, warnings, lacks } = published as PublishedSuite;
  process.stderr.write(shown(`${ref} version ${version} is ${created ? 'published' : 'unchanged'}.\n`));
  sayWarnings(
    file,
    warnings.filter((warning) => sent.told?.includes(warning) !== true),
  );
  // The other version has cases that this one lacks, such as drafts that were taken in.
  if (lacks !== null) {
    const [cases, them] = lacks.cases === 1 ? ['case', 'it'] : ['cases', 'them'];
    const which = created ? 'the one before' : 'the newest';
    const note = `Note: version ${lacks.version}, ${which}, has ${lacks.cases} ${cases} that ${file} lacks, so this run does not ask ${them}. `;
    const page = `${hub.url}/suites/${ref}?version=${lacks.version}`;
    process.stderr.write(shown(`${note}${page} has ${them} as YAML.\n`));
  }
  return readSuite(hub, ref, version);
}

/** @returns the suite as JSON; what has no counterpart is said on standard error */
async function imported(
  hub: Connection,
  file: string,
  options: Options,
  named: Map<string, string>,
): Promise<Sent> {
  const text = readFileOf('import', file);
  const from = options.from ?? formatOf(file);
  if (from === null) throw new UsageFault(`--import ${file} does not say which tool wrote it. Add --from.`);
  const name = options.name ?? nameOf(file);
  if (options.name === undefined && options.baseline !== undefined && isOfFolder(file))
    process.stderr.write(
      `Warning: The suite is named after its folder, ${name}. If a CI names folders after branches, each branch has a suite of its own, and no baseline. Add --name ${name}.\n`,
    );
  const asked = new URLSearchParams({ from, name });
  if (options.map !== undefined) asked.set('map', options.map);
  if (options.grading !== undefined) asked.set('grading', options.grading);
  if (options['keep-ungraded']) asked.set('ungraded', 'keep');
  const beside = new FilesBeside(file, text);
  const path = `/v1/suites/import?${asked.toString()}`;
  const answer = await orFaults(file, () => sendWithFiles(hub, path, { text }, beside, named));
  const { document, lost, warnings } = answer as ImportedSuite;
  for (const line of lostLines(file, lost)) process.stderr.write(shown(`${line}\n`));
  sayWarnings(file, warnings);
  // The document of an import says how many cases of the source it lacks.
  const { left_out: leftOut = 0 } = document as { readonly left_out?: number };
  if (options.strict && lost.length + leftOut > 0)
    throw new NotPossible(
      `--strict allows no loss. Constructs without a counterpart: ${lost.length}; cases left out: ${leftOut}. Nothing was run.`,
    );
  return { text: JSON.stringify(document), contentType: 'application/json', told: warnings };
}

/** What is allowed, but may be a mistake. */
function sayWarnings(file: string, warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(shown(`${file}: Warning: ${warning}\n`));
}

interface Sent {
  readonly text: string;
  /** Of the text, which is sent alone until the hub misses a file. Without it, files are sent from the start. */
  readonly contentType?: string;
  /** Warnings about it that were shown. */
  readonly told?: readonly string[];
}

/** Sends the files that a text names until the hub misses none. */
async function sendWithFiles(
  hub: Connection,
  path: string,
  { text, contentType }: Sent,
  beside: FilesBeside,
  named: Map<string, string>,
): Promise<unknown> {
  for (let tries = 0; ; tries += 1) {
    try {
      if (tries === 0 && contentType !== undefined) return await ask(hub, 'POST', path, text, contentType);
      const format = contentType === 'application/jsonl' ? { format: 'jsonl' } : {};
      return await ask(hub, 'POST', path, { text, ...format, files: beside.answers });
    } catch (error) {
      if (!(error instanceof HubError) || !Array.isArray(error.fields['missing'])) throw error;
      beside.answer(error.fields['missing'] as readonly string[]);
      for (const [file, state] of beside.states) if (!named.has(file)) named.set(file, state);
    }
  }
}

async function orFaults(file: string, send: () => Promise<unknown>): Promise<unknown> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof HubError) || !Array.isArray(error.fields['faults'])) throw error;
    // The faults of `invalid_suite`.
    const faults = error.fields['faults'] as readonly SuiteFault[];
    const lines = faults.map(
      (fault) =>
        `${placeOf(file, fault)}:${fault.column}: ${fault.path === '' ? '' : `${fault.path}: `}${fault.message}`,
    );
    throw new NotPossible([`The suite has faults, so nothing was run.`, ...lines].join('\n'));
  }
}

export function placeOf(
  file: string,
  { file: beside, line }: { readonly file?: string; readonly line: number },
): string {
  return `${beside === undefined ? file : join(dirname(file), beside)}:${line}`;
}

/** What was lost many times is one line. Assertions come first, because they decide verdicts. */
export function lostLines(file: string, lost: readonly Lost[]): readonly string[] {
  const groups = new Map<string, Lost[]>();
  for (const each of lost) {
    const what = `${each.construct}: ${each.why}`;
    groups.set(what, [...(groups.get(what) ?? []), each]);
  }
  return [...groups]
    .map(([what, all]) => ({ what, all, isAssertion: what.startsWith('assert') }))
    .toSorted((one, other) => Number(other.isAssertion) - Number(one.isAssertion))
    .map(({ what, all: [first, ...more] }) => {
      const place = placeOf(file, first ?? { line: 1 });
      return `${place}  ${what}${more.length === 0 ? '' : ` (${more.length + 1} times)`}`;
    });
}

/** What a file of another tool is read as by its ending; null if that does not say which tool wrote it. */
export function formatOf(file: string): string | null {
  const ending = extname(file).toLowerCase();
  if (['.yaml', '.yml'].includes(ending)) return 'promptfoo';
  return ['.csv', '.tsv'].includes(ending) ? 'csv' : null;
}

/** Most projects have a `promptfooconfig.yaml`, so the folder tells more. */
export function nameOf(file: string): string {
  const given = isOfFolder(file) ? basename(dirname(resolve(file))) : basename(file, extname(file));
  const name = given
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64);
  return name.length >= 3 ? name : `${name}-suite`;
}

function isOfFolder(file: string): boolean {
  return basename(file, extname(file)) === 'promptfooconfig';
}

function readFileOf(flag: string, path: string): string {
  try {
    return readUtf8(path);
  } catch (error) {
    if (error instanceof NotPossible) throw error;
    throw new NotPossible(
      `--${flag} ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}. Check the name of the file.`,
    );
  }
}
