/**
 * Reads a `hub.env`, and says what is wrong with it. Reading passes over a line that is no assignment, and nothing reads
 * a name that is misspelt, so that the hub would run with a default.
 */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isPassedOn } from '#runtime/settings/backup-settings.ts';
import { settingNames } from '#runtime/settings/setting-names.ts';
import { nearestName } from '#runtime/validation-messages.ts';

export interface JudgedFile {
  /** Each names the file and the line, and no value. They stop a start. */
  readonly faults: readonly string[];
  /** Likewise, of names that other programs may read. They stop nothing. */
  readonly doubts: readonly string[];
}

interface Entry {
  readonly line: number;
  /** Null: no assignment. */
  readonly name: string | null;
  readonly text: string;
  readonly value: string;
  /** Whether something follows the closing quote, which a shell and systemd join to the value. */
  readonly goesOn: boolean;
}

/** What Bun, the SDK of OpenTelemetry, drivers of databases, TLS and the programs that the hub starts read themselves. */
const ofOtherPrograms =
  /^(?:(?:OTEL|NODE|BUN|MIMALLOC|PG|SSL_CERT|LC)_?.*|(?:HTTPS?|ALL|NO|FTP)_PROXY|PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|TERM|TZ|TMPDIR|HOSTNAME|UMASK|NO_COLOR|FORCE_COLOR|HUB_URL|HUB_TOKEN)$/i;
const shownNameMax = 40;

/** The values in the lines `NAME=value` of a file. A shell reads them alike, and systemd those without a comment. */
export function parseSettingsFile(whole: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { name, value } of entriesOf(whole)) if (name !== null) values[name] = value;
  return values;
}

/** @param commandVariables the names in `BACKUP_COMMAND_ENV` */
export function judgeSettingsFile(file: string, commandVariables: readonly string[]): JudgedFile {
  const known = settingNames();
  const byLowerCase = new Map([...known].map((name) => [name.toLowerCase(), name]));
  const faults: string[] = [];
  const doubts: string[] = [];
  const lines = new Map<string, number>();
  for (const { line, name, text, goesOn } of entriesOf(readFileSync(file, 'utf8'))) {
    const place = `${file}, line ${line}`;
    if (name === null) {
      const first = /^\w+/.exec(text)?.[0] ?? '';
      faults.push(`${place}: this is no assignment. Write ${known.has(first) ? first : 'NAME'}=value.`);
      continue;
    }
    const earlier = lines.get(name);
    if (earlier !== undefined)
      faults.push(`${place}: ${shown(name)} is already set in line ${earlier}. Remove one.`);
    lines.set(name, line);
    if (goesOn) faults.push(`${place}: put the whole value of ${shown(name)} in one pair of quotes.`);
    if (known.has(name) || ofOtherPrograms.test(name) || isPassedOn(name, commandVariables)) continue;
    const meant = byLowerCase.get(nearestName(name, [...byLowerCase.keys()]) ?? '');
    const unknown = `${place}: ${shown(name)} is no setting of the hub.`;
    if (meant === undefined) doubts.push(unknown);
    else faults.push(`${unknown} Did you mean ${meant}?`);
  }
  return { faults, doubts };
}

/** What would be a name may be a part of a key. */
function shown(name: string): string {
  return name.length > shownNameMax ? `${name.slice(0, 5)}…` : name;
}

/** A quoted value may continue on further lines. */
const assignment =
  /^[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*(?:=|:(?=\s))((?:[^\S\n]*(["'`])(?:\\[^]|(?!\3)[^\\])*\3)?)([^\n]*)/;

/** Every line, or lines of one value, but blank ones and comments, of which systemd has two kinds. */
function* entriesOf(whole: string): Generator<Entry> {
  let rest = whole.replace(/^\uFEFF/, '');
  for (let line = 1; rest !== '';) {
    const [first = ''] = rest.split('\n', 1);
    const [all = first, name = null, quoted = '', , after = ''] = assignment.exec(rest) ?? [];
    if (!/^\s*(?:[#;]|$)/.test(first)) {
      const value =
        quoted === '' ? after.replace(/(?<=\s)#[^]*/, '').trim() : (parseEnv(`_=${quoted}`)['_'] ?? '');
      yield { line, name, text: first.trim(), value, goesOn: quoted !== '' && /^\S/.test(after) };
    }
    rest = rest.slice(all.length + 1);
    line += all.split('\n').length;
  }
}
