/** The file of `--matrix`: flags of its own for each label. */
import { readFileSync } from 'node:fs';
import { UsageFault } from './options.ts';

export interface Column {
  readonly label: string;
  /** Words of a command line. */
  readonly words: readonly string[];
}

const columnsMax = 8;

/**
 * Reads YAML of two levels: labels, and below each, or in braces after it, its flags with their values.
 * @throws UsageFault
 */
export function readMatrix(path: string): readonly Column[] {
  const columns: { label: string; words: string[] }[] = [];
  const lines = readText(path)
    .split(/\r?\n/)
    .flatMap((line, at) => inLines(line).map((each) => [at + 1, each] as const));
  for (const [number, line] of lines) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const text = line.trimEnd();
    const label = /^([^\s:#'",][^:,]*):$/.exec(text)?.[1]?.trimEnd();
    const [, flag, given = ''] = /^\s+([a-z][a-z-]*)\s*:\s+(\S.*)$/.exec(text) ?? [];
    const value = unquoted(given);
    if (label !== undefined && !columns.some((one) => one.label === label))
      columns.push({ label, words: [] });
    else if (flag !== undefined && value !== null && columns.length > 0)
      columns.at(-1)?.words.push(`--${flag}${given === 'true' ? '' : `=${value}`}`);
    else
      throw new UsageFault(
        `--matrix ${path}:${number} must be a label without a comma, such as \`small:\`, or an indented flag with its value, such as \`  model: small\`; in double quotes, a value has no \`\\\`.`,
      );
  }
  if (columns.length >= 2 && columns.length <= columnsMax) return columns;
  throw new UsageFault(`--matrix ${path} must have 2 to ${columnsMax} labels, but has ${columns.length}.`);
}

/** `main: { cmd: echo }` as the two lines that say the same. */
function inLines(line: string): readonly string[] {
  const [, label, inside] = /^([^\s:#'"][^:]*:)\s*\{(.*)\}\s*(?:#.*)?$/.exec(line) ?? [];
  if (label === undefined || inside === undefined) return [line];
  const flags = inside.match(/(?:[^,'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return [label, ...flags.map((flag) => `  ${flag.trim()}`)];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageFault(`--matrix ${path} cannot be read. Check the name of the file.`);
  }
}

/** Null for quotes that cannot be read. */
function unquoted(value: string): string | null {
  const [, single, double] = /^(?:'((?:[^']|'')*)'|"([^"\\]*)")(?:\s+#.*)?$/.exec(value) ?? [];
  if (single === undefined && double === undefined && /^['"]/.test(value)) return null;
  return single?.replaceAll("''", "'") ?? double ?? value.replace(/\s#.*$/, '').trimEnd();
}

/** The other words of the command line. */
export function withoutMatrix(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => !word.startsWith('--matrix') && words[at - 1] !== '--matrix');
}
