/**
 * What is wrong with a `hub.env`. Reading it passes over a line that is no assignment, and nothing reads a name that is
 * misspelt, so that the hub would run with a default.
 */
import { readFileSync } from 'node:fs';
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
}

/** What Bun, the SDK of OpenTelemetry, drivers of databases, TLS and the programs that the hub starts read themselves. */
const ofOtherPrograms =
  /^(?:(?:OTEL|NODE|BUN|MIMALLOC|PG|SSL_CERT|LC)_?.*|(?:HTTPS?|ALL|NO|FTP)_PROXY|PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|TERM|TZ|TMPDIR|HOSTNAME|UMASK|NO_COLOR|FORCE_COLOR|HUB_URL|HUB_TOKEN)$/i;
const shownNameMax = 40;

/** @param commandVariables the names in `BACKUP_COMMAND_ENV` */
export function judgeSettingsFile(file: string, commandVariables: readonly string[]): JudgedFile {
  const known = settingNames();
  const byLowerCase = new Map([...known].map((name) => [name.toLowerCase(), name]));
  const faults: string[] = [];
  const doubts: string[] = [];
  const lines = new Map<string, number>();
  for (const { line, name, text } of entriesOf(readFileSync(file, 'utf8'))) {
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
  /^[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*(?:=|:(?=\s))[^\S\n]*(?:(["'`])(?:\\[^]|(?!\2)[^\\])*\2)?[^\n]*/;

/** Every line, or lines of one value, but blank ones and comments, of which systemd has two kinds. */
function* entriesOf(whole: string): Generator<Entry> {
  let rest = whole.replace(/^\uFEFF/, '');
  for (let line = 1; rest !== '';) {
    const [first = ''] = rest.split('\n', 1);
    const found = assignment.exec(rest);
    const text = found?.[0] ?? first;
    if (!/^\s*(?:[#;]|$)/.test(first)) yield { line, name: found?.[1] ?? null, text: first.trim() };
    rest = rest.slice(text.length + 1);
    line += text.split('\n').length;
  }
}
