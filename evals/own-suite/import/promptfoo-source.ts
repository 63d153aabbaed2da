/** The parts of a promptfoo configuration that its prompts and assertions share: places, losses and templates. */
import type { Path } from '../fault.ts';
import { readDocument } from '../read-document.ts';
import { type Fields, type ImportedCase, isFields, type Lost, promptOf, readMessages } from './imported.ts';

export interface Source {
  readonly lineOf: (path: Path) => number;
  /** By line, construct and reason, so that a test that stands for many cases says each once. */
  readonly lost: Map<string, Lost>;
  /** What a reference such as `{ $ref: "#/assertionTemplates/polite" }` stands for. */
  readonly resolve: (value: unknown) => unknown;
}

export function lose({ lost, lineOf }: Source, path: Path, construct: string, why: string): void {
  const line = lineOf(path);
  lost.set(`${line} ${construct} ${why}`, { line, construct, why });
}

export const maxCombinations = 2_000;

/** A variable with a list of texts stands for one test each. */
export function combinations(variables: Fields): readonly Fields[] {
  let all: Fields[] = [{}];
  for (const [name, value] of Object.entries(variables)) {
    const values: readonly unknown[] = Array.isArray(value) && typeof value[0] === 'string' ? value : [value];
    all = all
      .flatMap((each) => values.map((one) => ({ ...each, [name]: one })))
      .slice(0, maxCombinations + 1);
  }
  return all;
}

const filters: Readonly<Record<string, (value: unknown) => unknown>> = {
  dump: (value) => JSON.stringify(value),
  safe: (value) => value,
  trim: (value) => asText(value).trim(),
  upper: (value) => asText(value).toUpperCase(),
  lower: (value) => asText(value).toLowerCase(),
};

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

const maxNesting = 4;

/** The template with its variables filled in; null if it has more than variables, their fields and plain filters. */
export function fillIn(template: string, variables: Fields, depth = 0): string | null {
  let plain = !/\{%|\{#/.test(template);
  const filled = template.replaceAll(/\{\{([^{}]*)\}\}/g, (_, inner: string) => {
    const value = valueOf(inner, variables, depth);
    plain &&= value !== undefined;
    return asText(value);
  });
  return plain ? filled : null;
}

function valueOf(expression: string, variables: Fields, depth: number): unknown {
  const [name = '', ...names] = expression.replaceAll(/^-|-$/g, '').split('|');
  let value: unknown = variables;
  for (const part of name.trim().split('.')) {
    if (!isFields(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  if (typeof value === 'string') {
    if (value.startsWith('file://') || depth >= maxNesting) return undefined;
    value = fillIn(value, variables, depth + 1) ?? undefined;
  }
  for (const each of names) {
    const key = each.trim();
    const filter = Object.hasOwn(filters, key) ? filters[key] : undefined;
    if (filter === undefined || value === undefined) return undefined;
    value = filter(value);
  }
  return value;
}

/** What a prompt asks with these variables, or why it has no counterpart. */
export type Asked =
  | { readonly ok: true; readonly asks: Pick<ImportedCase, 'prompt' | 'messages'> }
  | { readonly ok: false; readonly construct: string; readonly why: string };

export function askedBy(template: string, variables: Fields): Asked {
  // Variables are filled in after the JSON is parsed, because their values may have quotes and line breaks.
  const parsed = parseJson(template);
  const filled = parsed === undefined ? fillIn(template, variables) : fillInAll(parsed, variables);
  if (filled === null) {
    return {
      ok: false,
      construct: 'template',
      why: 'Only plain variables, such as {{name}}, have a counterpart; write out the text of the prompt.',
    };
  }
  const chat = typeof filled === 'string' ? chatIn(filled) : filled;
  if (!Array.isArray(chat) || !chat.some((each) => isFields(each) && 'role' in each)) {
    const prompt = typeof filled === 'string' ? filled : (fillIn(template, variables) ?? template);
    return { ok: true, asks: { prompt } };
  }
  const messages = readMessages(chat);
  return messages === null
    ? {
        ok: false,
        construct: 'messages',
        why: 'They must have text of system, user or assistant, and end with one from the user.',
      }
    : { ok: true, asks: promptOf(messages) };
}

function chatIn(text: string): unknown {
  if (!/^\s*- role:/.test(text)) return parseJson(text);
  const read = readDocument(text, 'yaml');
  return read.ok ? read.value : undefined;
}

function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value with every text in it filled in; null if one of them cannot be. */
function fillInAll(value: unknown, variables: Fields): unknown {
  if (typeof value === 'string') return fillIn(value, variables);
  if (Array.isArray(value)) {
    const all: readonly unknown[] = value.map((each: unknown) => fillInAll(each, variables));
    return all.includes(null) ? null : all;
  }
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, fillInAll(each, variables)] as const);
  return entries.some(([, each]) => each === null) ? null : Object.fromEntries(entries);
}
