/** The parts of a promptfoo configuration that its prompts and assertions share: places, losses and templates. */
import type { FilesBeside } from '../beside.ts';
import type { Path } from '../fault.ts';
import { parseExactJson, writeExactJson } from '../exact-json.ts';
import { readDocument, type TokenBudget } from '../read-document.ts';
import type { ImportBudget } from './import-budget.ts';
import { type Fields, type ImportedCase, isFields, type Lose, promptOf, readMessages } from './imported.ts';
import type { LostList } from './lost-list.ts';

export interface Source {
  readonly budget: ImportBudget;
  readonly files: FilesBeside;
  /** Whether tests without assertions become cases. */
  readonly keepUngraded: boolean;
  /** The file in which the values stand; undefined for the configuration itself. */
  readonly file?: string;
  readonly lineOf: (path: Path) => number;
  /** By line, construct and reason, so that a test that stands for many cases says each once. */
  readonly lost: LostList;
  /** What a reference such as `{ $ref: "#/assertionTemplates/polite" }` stands for. */
  readonly resolve: (value: unknown) => unknown;
}

export function lose({ lost, lineOf, file }: Source, path: Path, given: string, why: string): void {
  lost.add(lineOf(path), given, why, file);
}

/** How many tests a test with lists of texts as variables stands for. */
export function countCombinations(variables: Fields): number {
  return Object.values(variables).reduce<number>((count, value) => count * valuesOf(value).length, 1);
}

/** A variable with a list of texts stands for one test each. Count them first. */
export function combinations(variables: Fields): readonly Fields[] {
  let all: Fields[] = [{}];
  for (const [name, value] of Object.entries(variables))
    all = all.flatMap((each) => valuesOf(value).map((one) => ({ ...each, [name]: one })));
  return all;
}

function valuesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) && typeof value[0] === 'string' ? value : [value];
}

const filters: Readonly<Record<string, (value: unknown) => unknown>> = {
  dump: writeExactJson,
  safe: (value) => value,
  trim: (value) => asText(value).trim(),
  upper: (value) => asText(value).toUpperCase(),
  lower: (value) => asText(value).toLowerCase(),
};

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : writeExactJson(value ?? null);

const maxNesting = 4;

/** Fills variables in for one test. Each variable is filled in once, however often it is named. */
export class Filler {
  readonly #variables: Fields;
  readonly #spend: (characters: number) => void;
  readonly #unknown: (name: string) => void;
  /** By depth and expression. */
  readonly #known = new Map<string, unknown>();

  /**
   * @param spend is told of each text before it is made
   * @param unknown is told of each variable that nothing defines, which is empty
   */
  constructor(variables: Fields, spend: (characters: number) => void, unknown: (name: string) => void) {
    this.#variables = variables;
    this.#spend = spend;
    this.#unknown = unknown;
  }

  /** The template with its variables filled in; null if it has more than variables, their fields and plain filters. */
  fill(template: string, depth = 0): string | null {
    this.#spend(template.length);
    if (template.includes('{%')) return null;
    const parts: string[] = [];
    let end = 0;
    for (const { 0: whole, 1: inner, index } of template.matchAll(/\{\{([^{}]*)\}\}|\{#[^#]*#\}/g)) {
      // The other alternative is a comment.
      const value = inner === undefined ? '' : this.#valueOf(inner, depth);
      if (value === undefined) return null;
      const text = asText(value);
      this.#spend(text.length);
      parts.push(template.slice(end, index), text);
      end = index + whole.length;
    }
    return [...parts, template.slice(end)].join('');
  }

  /** All variables, filled in; null if one of them cannot be. */
  variables(): Fields | null {
    const filled = this.fillAll(this.#variables);
    return isFields(filled) ? filled : null;
  }

  /** The value with every text in it filled in; null if one of them cannot be. */
  fillAll(value: unknown): unknown {
    if (typeof value === 'string') return this.fill(value);
    this.#spend(1);
    if (Array.isArray(value)) {
      const all: readonly unknown[] = value.map((each: unknown) => this.fillAll(each));
      return all.includes(null) ? null : all;
    }
    if (!isFields(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, this.fillAll(each)] as const);
    return entries.some(([, each]) => each === null) ? null : Object.fromEntries(entries);
  }

  #valueOf(expression: string, depth: number): unknown {
    const key = `${depth} ${expression}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#read(expression, depth));
    return this.#known.get(key);
  }

  #read(expression: string, depth: number): unknown {
    const [name = '', ...names] = expression.replaceAll(/^-|-$/g, '').split('|');
    let value: unknown = this.#variables;
    for (const part of name.trim().split('.')) {
      // Of the environment, and of the conversation so far, the importer knows nothing.
      if (!/^[\w-]+$/.test(part) || part === 'env' || part === '_conversation') return undefined;
      if (isFields(value) && Object.hasOwn(value, part)) value = value[part];
      else {
        this.#unknown(name.trim());
        value = '';
      }
    }
    if (typeof value === 'string') {
      if (depth >= maxNesting) return undefined;
      value = this.fill(value, depth + 1) ?? undefined;
    }
    for (const each of names) {
      const key = each.trim();
      const filter = Object.hasOwn(filters, key) ? filters[key] : undefined;
      if (filter === undefined || value === undefined) return undefined;
      value = filter(value);
      // One filter makes a text at most six times as long, so the next one is never begun too late.
      this.#spend(1 + (typeof value === 'string' ? value.length : 0));
    }
    return value;
  }
}

/** What a prompt asks with these variables, or why it has no counterpart. */
export type Asked =
  | { readonly ok: true; readonly asks: Pick<ImportedCase, 'prompt' | 'messages'> }
  | { readonly ok: false; readonly construct: string; readonly why: string };

export function askedBy(template: string, filler: Filler, tokens: TokenBudget, told: Lose): Asked {
  // Variables are filled in after the JSON is parsed, because their values may have quotes and line breaks.
  const parsed = parseJson(template);
  const filled = parsed === undefined ? filler.fill(template) : filler.fillAll(parsed);
  if (filled === null) {
    return {
      ok: false,
      construct: 'template',
      why: 'Only plain variables, such as {{name}}, have a counterpart; write out the text of the prompt.',
    };
  }
  const chat = typeof filled === 'string' ? chatIn(filled, tokens) : filled;
  if (!Array.isArray(chat) || !chat.some((each) => isFields(each) && 'role' in each)) {
    const prompt = typeof filled === 'string' ? filled : (filler.fill(template) ?? template);
    return { ok: true, asks: { prompt } };
  }
  const messages = readMessages(chat, told);
  return messages === null
    ? {
        ok: false,
        construct: 'messages',
        why: 'They must have text of system, user or assistant, and end with one from the user.',
      }
    : { ok: true, asks: promptOf(messages) };
}

function chatIn(text: string, tokens: TokenBudget): unknown {
  if (!/^\s*- role:/.test(text)) return parseJson(text);
  const read = readDocument(text, 'yaml', tokens);
  return read.ok ? read.value : undefined;
}

function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
