/** `hub suite`: checks and imports files with a team's own cases. They need no hub and call nothing. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { type CheckedSuite, checkSuite, type SoundSuite } from '#evals/own-suite/check-suite.ts';
import { FilesBeside } from '#client/command/files-beside.ts';
import { formatOf, lostLines, nameOf, placeOf } from '#client/command/find-suite.ts';
import { importSuite, type ImportedSuite } from '#evals/own-suite/import/import-suite.ts';
import { importFormats, type ImportFormat } from '#evals/own-suite/import/imported.ts';
import type { CodeFile } from '#evals/own-suite/import/imported-judges.ts';
import type { DocumentFormat, LocatedFault } from '#evals/own-suite/read-document.ts';
import type { SampleResult } from '#evals/own-suite/try-samples.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { type CommandGroup, type CommandLine, endWith } from '../command-line.ts';
import { WrongCommandLine } from '../arguments.ts';

export const addCommands: CommandGroup = (program, line) => {
  const group = program.command('suite').description('Check and import custom suites');
  addCheck(group, line);
  addImport(group, line);
};

const checkHelp = `
FILE is YAML, JSON or JSONL by its ending. Files that it names are read too, if they lie in its folder or in the working
directory. Every fault is printed as FILE:LINE:COLUMN with the rule. The \`accepted\` replies of
each case must pass its graders, and the \`refused\` ones must not. Exits with 1 if a file has a fault. With \`--json\`, several
files give a list.

Examples:
  hub suite check refund-desk.yaml
  hub suite check suites/*.yaml
  hub suite check refund-desk.yaml --json`;

function addCheck(group: Command, line: CommandLine): void {
  group
    .command('check <files...>')
    .description('Find the faults of suites, and try their accepted and refused replies')
    .addHelpText('after', checkHelp)
    .action(async (files: readonly string[]) => {
      const results: CheckResult[] = [];
      for (const file of files) results.push(await checkFile(file));
      const lines = results.flatMap((result) =>
        files.length === 1 ? resultLines(result) : [`${result.file}:`, ...resultLines(result)],
      );
      const shown = results.map(({ file, ...result }) => (files.length === 1 ? result : { file, ...result }));
      line.output().result(files.length === 1 ? shown[0] : shown, lines);
      endWith(results.every(({ ok }) => ok));
    });
}

interface CheckResult extends Pick<CheckedSuite, 'ok' | 'replies'> {
  readonly file: string;
  readonly hash: string | null;
  readonly faults: readonly LocatedFault[];
  readonly warnings: readonly string[];
  readonly size: Size | null;
}

type Size = SoundSuite['size'] & Pick<SoundSuite, 'runnerJudges'> & { readonly judges: readonly string[] };

/** Reads the files that the suite names until none is missing. */
async function checkWithFiles(file: string): Promise<CheckedSuite> {
  const text = readFile(file);
  const beside = new FilesBeside(file, text, readFile);
  for (;;) {
    const checked = await checkSuite(text, documentFormatOf(file), beside.answers);
    if (checked.ok || checked.missing === undefined) return checked;
    beside.answer(checked.missing);
  }
}

async function checkFile(file: string): Promise<CheckResult> {
  const checked = await checkWithFiles(file);
  const { replies } = checked;
  if (!checked.ok)
    return { file, ok: false, hash: null, faults: checked.faults, warnings: [], replies, size: null };
  const { hash, warnings, judges, runnerJudges } = checked;
  const size = { ...checked.size, judges: judges.map(({ id }) => id).toSorted(), runnerJudges };
  return { file, ok: true, hash, faults: [], warnings, replies, size };
}

function resultLines({ file, faults, warnings, size, replies }: CheckResult): readonly string[] {
  return [
    ...faults.map((fault) => `${placeOf(file, fault)}:${fault.column}  ${fault.message}`),
    ...warnings.map((warning) => `${file}: Warning: ${warning}`),
    ...(size === null ? [] : sizeLines(size, replies)),
    verdictOf(faults.length, warnings.length),
  ];
}

/** A faulty suite has no warnings yet. */
function verdictOf(faults: number, warnings: number): string {
  if (faults > 0) return `The suite has ${counted(faults, 'fault')}.`;
  return `The suite has no faults${warnings === 0 ? '' : `, but ${counted(warnings, 'warning')}`}.`;
}

function sizeLines(size: Size, replies: readonly SampleResult[]): readonly string[] {
  const judged = replies.filter(({ passed }) => passed === null).length;
  return [
    `${counted(size.cases, 'case')}, ${counted(size.trials, 'trial')} each: ${counted(size.replies, 'reply', 'replies')}, about ${size.promptTokens} tokens of prompts`,
    ...(size.casesWithImages === 0 ? [] : [`${counted(size.casesWithImages, 'case')} with images`]),
    `${counted(replies.length, 'sample reply', 'sample replies')} tried${judged === 0 ? '' : `, ${judged} of them left to a judge`}`,
    ...(size.judges.length === 0 ? [] : [`Replies go to the webhooks ${size.judges.join(', ')}.`]),
    ...(size.runnerJudges.length === 0
      ? []
      : [`Whoever runs it brings the judges ${size.runnerJudges.map(({ name }) => name).join(', ')}.`]),
  ];
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

const importHelp = `
Prints the suite as YAML, and on standard error everything that has no counterpart, with its line. Files that FILE names
are read too, if they lie in its folder or in the working directory.

Examples:
  hub suite import promptfooconfig.yaml --name refund-desk --out refund-desk.yaml
  hub suite import samples.jsonl --from openai-evals --grading includes --name capitals
  hub suite import faq.csv --map prompt=question,expected=answer --encoding latin1`;

interface ImportFlags {
  readonly from?: string;
  readonly name?: string;
  readonly grading?: string;
  readonly map?: string;
  readonly encoding?: string;
  readonly keepUngraded: boolean;
  readonly strict: boolean;
  readonly out?: string;
}

function addImport(group: Command, line: CommandLine): void {
  group
    .command('import <file>')
    .description('Convert a file of another tool to a suite')
    .option(
      '--from <format>',
      `One of ${importFormats.join(', ')}; by default, the ending of the file decides`,
    )
    .option(
      '--name <name>',
      'Name of the suite; by default that of the file, or of its folder for promptfooconfig.yaml',
    )
    .option(
      '--grading <name>',
      'How replies are graded where the file does not say: a scorer of Inspect or a template of OpenAI Evals',
    )
    .option(
      '--map <pairs>',
      'Names of columns or fields in the file, such as prompt=question,expected=answer',
    )
    .option('--encoding <name>', 'Encoding of the file, such as latin1; by default UTF-8')
    .option('--keep-ungraded', 'Keep cases without any grader left; any reply passes them', false)
    .option('--strict', 'Exit with 1 if anything has no counterpart, or a case is left out', false)
    .option('--out <file>', 'Write the suite to a file; only a file that an import wrote is replaced')
    .addHelpText('after', importHelp)
    .action(async (file: string, flags: ImportFlags) => {
      const imported = await importFrom(file, flags);
      if (!imported.ok) {
        const lines = imported.faults.map(
          (fault) => `${placeOf(file, fault)}:${fault.column}  ${fault.message}`,
        );
        line.output().result({ ok: false, faults: imported.faults }, lines);
        endWith(false);
        return;
      }
      const { document, lost, warnings, code } = imported;
      for (const each of lostLines(file, lost)) console.error(each);
      for (const warning of warnings) console.error(`${file}: Warning: ${warning}`);
      const text = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
      if (flags.out !== undefined) writeSuite(flags.out, text, code);
      const done = `${counted(document.cases.length, 'case')} imported, ${document.left_out ?? 0} left out, ${counted(lost.length, 'construct')} without a counterpart.`;
      line
        .output()
        .result({ ok: true, document, lost, warnings }, flags.out === undefined ? [text.trimEnd()] : [done]);
      if (flags.out === undefined) console.error(done);
      endWith(!flags.strict || (lost.length === 0 && document.left_out === undefined));
    });
}

/** Reads the files that the source names until none is missing. */
async function importFrom(file: string, { encoding, from, ...flags }: ImportFlags): Promise<ImportedSuite> {
  const format = formatFrom(file, from);
  const text = readFile(file, encoding);
  const beside = new FilesBeside(file, text, (path) => readFile(path, encoding));
  for (;;) {
    const imported = await importSuite(text, format, {
      name: flags.name ?? nameOf(file),
      files: beside.answers,
      keepUngraded: flags.keepUngraded,
      writesFiles: flags.out !== undefined,
      ...(flags.grading === undefined ? {} : { grading: flags.grading }),
      ...(flags.map === undefined ? {} : { map: flags.map }),
    });
    if (imported.ok || imported.missing === undefined) return imported;
    beside.answer(imported.missing);
  }
}

/** Begins each file that an import writes. */
const writtenMark =
  'Written by `hub suite import`, which replaces this file when it runs again. Delete this line to keep changes.';
const written = [`# ${writtenMark}\n`, `// ${writtenMark}\n`];

/** With the code of its judges beside it. */
function writeSuite(out: string, text: string, code: readonly CodeFile[]): void {
  const beside = code.map((file) => ({ ...file, path: join(dirname(out), file.name) }));
  const taken = [out, ...beside.map(({ path }) => path)].find((path) => existsSync(path) && !isWritten(path));
  if (taken !== undefined)
    throw new StartError(`${taken} exists, and no import wrote it. Name another file, or move it away.`);
  for (const { path, text: own } of [{ path: out, text }, ...beside])
    writeFileSync(path, `${path.endsWith('.cjs') ? written[1] : written[0]}${own}`);
  for (const { path, runtime } of beside)
    console.error(`${path} has code of the source, which judges run. It needs ${runtime}.`);
}

function isWritten(path: string): boolean {
  const text = statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  return written.some((line) => text.startsWith(line));
}

function formatFrom(file: string, given = formatOf(file)): ImportFormat {
  if (given === null) throw new WrongCommandLine(`${file} does not say which tool wrote it. Add --from.`);
  const format = importFormats.find((known) => known === given);
  if (format === undefined) throw new WrongCommandLine(`--from must be one of ${importFormats.join(', ')}.`);
  return format;
}

function documentFormatOf(file: string): DocumentFormat {
  const ending = extname(file).toLowerCase();
  if (ending === '.json') return 'json';
  return ending === '.jsonl' || ending === '.ndjson' ? 'jsonl' : 'yaml';
}

/** @param encoding a label of the Encoding Standard, such as `latin1` */
function readFile(file: string, encoding = 'utf-8'): string {
  if (!existsSync(file)) throw new StartError(`${file} does not exist.`);
  const bytes = readFileSync(file);
  try {
    return decoderOf(encoding).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new StartError(
      `${file}:${firstBadLine(bytes, encoding)}  The file is not ${encoding}. Save it as UTF-8, or name its encoding, as with \`suite import --encoding latin1\`.`,
    );
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new WrongCommandLine('--encoding must be a known encoding, such as utf-8, latin1 or utf-16le.');
  }
}

function firstBadLine(bytes: Buffer, encoding: string): number {
  const text = new TextDecoder(encoding).decode(bytes);
  return text.slice(0, Math.max(0, text.indexOf('\ufffd'))).split('\n').length;
}
