/**
 * Finds the programs that the user's own file has as judges. A hub must not have any other text of the file run, so only
 * `judges.*.command` counts, and a value that is written in a rarer form of YAML is not found.
 */

type Fields = ReadonlyMap<string, string>;

/** Of JSON, JSONL or YAML: values on one line or in a block, without white space at their ends. */
export function commandsIn(given: string): ReadonlySet<string> {
  const file = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const judges = [...fieldsOf(fieldsOf(file).get('judges') ?? '').values()];
  const commands = judges.map((judge) => withoutEnd(scalarOf(fieldsOf(judge).get('command') ?? '') ?? ''));
  return new Set(commands.filter((command) => command !== ''));
}

export function withoutEnd(command: string): string {
  return command.replace(/(?<![ \t\n])[ \t\n]+$/, '');
}

/** The fields of a mapping, each as it is written. */
function fieldsOf(text: string): Fields {
  const content = contentOf(text);
  return /^[ \t]*\{/.test(content) ? flowFields(content) : blockFields(content);
}

/** Without the lines before it that are blank or a comment. */
function contentOf(text: string): string {
  return text.replace(/^(?:[ \t]*(?:#[^\n]*)?\n)*/, '');
}

/** Keys stand where the first one stands; the lines of a value are deeper, but for a brace that closes it. */
function blockFields(text: string): Fields {
  const fields = new Map<string, string[]>();
  let least = Number.POSITIVE_INFINITY;
  let value: string[] | undefined;
  for (const line of text.split('\n')) {
    const depth = line.search(/[^ ]/);
    if (isEmpty(line) || depth > least || /^ *[}\]]/.test(line)) {
      value?.push(line);
      continue;
    }
    least = depth;
    const [, , key, rest = ''] = /^ *(["']?)([A-Za-z0-9_-]+)\1[ \t]*:(?=[ \t]|$)([^\n]*)$/.exec(line) ?? [];
    value = key === undefined ? undefined : [rest];
    if (key !== undefined && value !== undefined) fields.set(key, value);
  }
  return new Map([...fields].map(([key, lines]) => [key, lines.join('\n')]));
}

function isEmpty(line: string): boolean {
  return /^[ \t]*(?:#[^\n]*)?$/.test(line);
}

/** A quoted text, a mark, a comment, white space, or a text without quotes. */
const flowToken =
  /"(?:[^"\\]|\\[^])*"|'[^']*'|[{}[\],:]|#[^\n]*|[ \t\n]+|(?!["'])(?:[^,[\]{}:#]|:(?![ \t\n,[\]{}]|$)|(?<![ \t\n])#)+/gy;

/** What stands in braces, as all of JSON does. */
function flowFields(text: string): Fields {
  const fields = new Map<string, string>();
  let [depth, from] = [0, 0];
  let key: string | null = null;
  for (const { 0: token, index } of text.matchAll(flowToken)) {
    const isEnd = token === '}' || token === ']';
    if (depth === 1 && (isEnd || token === ',')) {
      if (key !== null) fields.set(key, text.slice(from, index));
      key = null;
      from = index + 1;
    } else if (depth === 1 && token === ':' && key === null) {
      key = scalarOf(text.slice(from, index));
      from = index + 1;
    }
    if (token === '{' || token === '[') depth += 1;
    if (depth === 1 && from === 0) from = index + 1;
    if (isEnd) depth -= 1;
    if (isEnd && depth === 0) return fields;
  }
  return new Map();
}

/** @returns null if it is no text, or on several lines outside a block */
function scalarOf(text: string): string | null {
  const [line = '', ...more] = contentOf(text).split('\n');
  const [, style] = /^[ \t]*([|>])[-+]?[ \t]*(?:(?<=[ \t])#[^\n]*)?$/.exec(line) ?? [];
  if (style !== undefined) return blockOf(more, style);
  if (!more.every(isEmpty)) return null;
  const [, double, single, plain = null] =
    /^[ \t]*(?:("(?:[^"\\]|\\[^\n])*")|'((?:[^']|'')*)'|([^ \t"'&*!|>%@`{}[\],#][^\n]*?))(?:[ \t]+#[^\n]*)?[ \t]*$/.exec(
      line,
    ) ?? [];
  if (double === undefined) return single?.replaceAll("''", "'") ?? plain;
  try {
    return JSON.parse(double) as string;
  } catch {
    return null;
  }
}

/** The text of a block, `|` or `>`. */
function blockOf(lines: readonly string[], style: string): string | null {
  const [indent = ''] = /^ */.exec(lines.find(isText) ?? '') ?? [];
  if (indent === '') return null;
  const end = lines.findIndex((line) => isText(line) && !line.startsWith(indent));
  const own = lines.slice(0, end === -1 ? lines.length : end).map((line) => line.slice(indent.length));
  const block = withoutEnd(own.join('\n'));
  return style === '|' ? block : block.replaceAll(/(?<=[^ \t\n])\n(?=[^ \t\n])/g, ' ');
}

function isText(line: string): boolean {
  return /[^ \t]/.test(line);
}
