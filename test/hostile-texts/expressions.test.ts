/**
 * Every regular expression in the source takes time in proportion to its text, measured with texts made from its own
 * parts. Those of strangers run in RE2.
 */
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { pumpedTexts } from './pumped-texts.ts';

const folders = ['actors', 'api', 'client/src', 'db', 'domain', 'evals', 'runtime', 'site', 'workers'];

/** They read no text of a stranger. */
const trusted: readonly RegExp[] = [
  // A page of Bull Board.
  /<link\b[^>]*\bhref="https?:[^>]*>\s*/g,
  // A file of the hub, and a page of its guide.
  /\/\*.*?\*\//gs,
  /\[([^\]]+)\]\((?!https?:)[^)]*\)/g,
  // An address of at most 45 characters.
  /[\d.]+\.[\d.]+/,
];

const short = 2_000;
const long = 4 * short;
/** Below this time no growth can be measured, and none matters. */
const unmeasurableMs = 4;
/** Linear time grows by four, quadratic time by sixteen. */
const growthMax = 9;
/** For the short text, whose time would be that of the long one too. */
const hopelessMs = 100;
const attempts = 5;
/** Each makes other texts. */
const rounds = 6;

test('each expression takes linear time', async () => {
  const found = new Map<string, { readonly expression: RegExp; readonly file: string }>();
  const files = folders.flatMap((folder) => [
    ...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: projectFolder }),
  ]);
  for (const file of files) {
    const source = await Bun.file(join(projectFolder, file)).text();
    for (const expression of literalsOf(source, file.endsWith('x') ? 'tsx' : 'ts'))
      found.set(keyOf(expression), { expression, file });
  }
  expect(found.size).toBeGreaterThan(400);
  for (const one of trusted) expect([one, found.delete(keyOf(one))]).toEqual([one, true]);
  const faults = [...found.values()].flatMap(({ expression, file }) => {
    const text = slowest(expression);
    return text === null ? [] : [{ file, expression: String(expression), text }];
  });
  expect(faults).toEqual([]);
});

/** Bun writes characters beyond ASCII in either form. */
function keyOf(expression: RegExp): string {
  return String(expression).replaceAll(
    /[^\x20-\x7e]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @returns the beginning of a text for which the time of the expression grows faster than the text; null if there is none */
function slowest(expression: RegExp): string | null {
  // Always from the beginning.
  const again = new RegExp(expression.source, expression.flags.replace('y', ''));
  for (let round = 0; round < rounds; round += 1) {
    const [ofShort, ofLong] = [short, long].map((length) => pumpedTexts(again, length, pickerOf(round)));
    for (const [index, text] of (ofLong ?? []).entries())
      if (!growsSlowly(again, ofShort?.[index] ?? '', text)) return JSON.stringify(text.slice(0, 40));
  }
  return null;
}

/** Compilation, garbage collection and other processes only add time. */
function growsSlowly(expression: RegExp, shortText: string, longText: string): boolean {
  let [shortMs, longMs] = [Infinity, Infinity];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    shortMs = Math.min(shortMs, timeOf(expression, shortText));
    if (shortMs > hopelessMs) continue;
    longMs = Math.min(longMs, timeOf(expression, longText));
    if (longMs < unmeasurableMs) return true;
  }
  return shortMs <= hopelessMs && longMs < growthMax * shortMs;
}

function timeOf(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const startedAt = performance.now();
  // Each match, as `replaceAll` and `matchAll` find them.
  if (expression.global) for (const _ of text.matchAll(expression));
  else expression.exec(text);
  return performance.now() - startedAt;
}

/** Chooses numbers below its argument, the same ones for the same seed. */
function pickerOf(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (state >> 8) % below;
  };
}

const beforeLiteral = /(?:^|[([{},;:=!&|?+\-*%<>~^]|\b(?:return|case|typeof|in|of|do|else))\s*$/;

/** The literals of a module. Without its types, comments and markup, no other text looks like one. */
function literalsOf(source: string, loader: 'ts' | 'tsx' = 'ts'): readonly RegExp[] {
  const code = new Bun.Transpiler({ loader }).transformSync(source);
  const found: RegExp[] = [];
  /** How many braces are open in each substitution of a template. */
  const templates: number[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(code);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  const readTemplate = (): void => {
    take(/(?:[^`\\$]|\\[^]|\$(?!\{))*/y);
    if (take(/\$\{/y) !== null) templates.push(0);
    else at += 1;
  };
  while (at < code.length) {
    if (take(/\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y) !== null) continue;
    if (code[at] === '/' && beforeLiteral.test(code.slice(Math.max(0, at - 20), at))) {
      const [, body = '', flags = ''] =
        take(/\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y) ?? [];
      if (body !== '') {
        found.push(new RegExp(body, flags));
        continue;
      }
    }
    const mark = code[at];
    at += 1;
    const open = templates.length - 1;
    if (mark === '`') readTemplate();
    else if (mark === '{' && open >= 0) templates[open]! += 1;
    else if (mark === '}' && open >= 0 && templates[open]! > 0) templates[open]! -= 1;
    else if (mark === '}' && open >= 0) {
      templates.pop();
      readTemplate();
    }
  }
  return found;
}
