/** The parts of a promptfoo configuration that its prompts and assertions share: places, losses and templates. */
import { jsonIn } from '#runtime/json-in.ts';
import type { FilesBeside } from '../beside.ts';
import type { Tool } from '../document.ts';
import type { Path } from '../fault.ts';
import { type Fields, isFields } from '../exact-json.ts';
import { type Filler, jsonIndent } from '../filler.ts';
import { readDocument, type TokenBudget } from '../read-document.ts';
import type { ImportBudget } from './import-budget.ts';
import { type ImportedCase, type Lose, promptOf, readMessages } from './imported.ts';
import type { LostList } from './lost-list.ts';

export interface Source {
  readonly budget: ImportBudget;
  readonly files: FilesBeside;
  /** Variables of tests that nothing in them names; a provider may read them. */
  readonly unused: Set<string>;
  /** Those of its providers. */
  readonly tools: readonly Tool[];
  /** Whether tests without assertions become cases. */
  readonly keepUngraded: boolean;
  /** The file in which the values stand; undefined for the configuration itself. */
  readonly file?: string;
  /** How many files name each other on the way to it. */
  readonly inside?: number;
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

/** What a prompt asks with these variables, or why it has no counterpart. */
export type Asked =
  | { readonly ok: true; readonly asks: Pick<ImportedCase, 'prompt' | 'messages'> }
  | { readonly ok: false; readonly construct: string; readonly why: string };

export function askedBy(template: string, filler: Filler, tokens: TokenBudget, told: Lose): Asked {
  // Variables are filled in after the JSON is parsed, because their values may have quotes and line breaks.
  // promptfoo parses it in the same way: long numbers lose digits.
  const parsed = jsonIn(template);
  const filled = parsed === undefined ? (filler.fill(template) ?? undefined) : filler.fillAll(parsed);
  if (filled === undefined) {
    return {
      ok: false,
      construct: 'template',
      why: 'Only plain variables, such as {{name}}, have a counterpart; write out the text of the prompt.',
    };
  }
  const isText = parsed === undefined && typeof filled === 'string';
  const chat = isText ? chatIn(filled, tokens) : filled;
  if (!Array.isArray(chat) || !chat.some((each) => isFields(each) && 'role' in each))
    return { ok: true, asks: { prompt: isText ? filled : JSON.stringify(filled, null, jsonIndent) } };
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
  if (!/^\s*- role:/.test(text)) return jsonIn(text);
  const read = readDocument(text, 'yaml', tokens);
  return read.ok ? read.value : undefined;
}
