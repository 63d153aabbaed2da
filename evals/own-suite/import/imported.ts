/** What an import returns, and the parts that the importers share. */
import { isExactNumber, isNumber, writeExactJson } from '../exact-json.ts';
import type { GraderSpec, Message } from '../document.ts';
import type { LocatedFault } from '../read-document.ts';
import type { LostList } from './lost-list.ts';

/** A case as the importers make it, before ids and limits are checked. */
export interface ImportedCase {
  /** Where it stands in the source, from 1. */
  readonly line: number;
  readonly id?: string;
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly tags?: readonly string[];
  readonly expect: readonly GraderSpec[];
}

export type Import =
  | {
      readonly ok: true;
      readonly cases: readonly ImportedCase[];
      readonly system?: string;
      readonly title?: string;
      readonly lost: LostList;
    }
  | { readonly ok: false; readonly faults: readonly LocatedFault[] };

/** For a row of CSV, whose further cells are probably the rest of a text that was not quoted. Null if it fits. */
export function whyRowIsOdd(extraCells = 0): string | null {
  if (extraCells <= 0) return null;
  return `It has ${extraCells} more ${extraCells === 1 ? 'cell' : 'cells'} than the first line, so a text would be cut. Put texts with commas into quotation marks.`;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** An expression that matches texts that begin with `text`. */
export function beginsWith(text: string): string {
  return `^\\s*${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`;
}

const roles = ['system', 'user', 'assistant'] as const;

/** Messages in the form of chat APIs; null if one has another role, or content that is not text. */
export function readMessages(value: unknown): readonly Message[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const messages = value.flatMap((each: unknown) => {
    if (!isFields(each)) return [];
    const role = roles.find((known) => known === each['role']);
    const content = textOf(each['content']);
    return role === undefined || content === null || content === '' ? [] : [{ role, content }];
  });
  return messages.length === value.length && messages.at(-1)?.role === 'user' ? messages : null;
}

/** The text of a content, which may be a list of text parts. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part: unknown) =>
    isFields(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : null,
  );
  return texts.includes(null) ? null : texts.join('\n');
}

/** The prompt of a case: a plain one where the conversation has only one message. */
export function promptOf(messages: readonly Message[]): Pick<ImportedCase, 'prompt' | 'messages'> {
  const [only] = messages;
  return messages.length === 1 && only !== undefined ? { prompt: only.content } : { messages };
}

/** Ids may have letters, digits, `.`, `_` and `-`; others are replaced. */
export function idFrom(value: unknown): { id?: string } {
  if (typeof value !== 'string' && !isNumber(value)) return {};
  const id = (typeof value === 'string' ? value : writeExactJson(value))
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 64);
  return /[A-Za-z0-9]/.test(id) ? { id } : {};
}

export function tagFrom(value: string): readonly string[] {
  const tag = value
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 40);
  return tag === '' ? [] : [tag];
}

/** The texts of a value that is one or a list of them; null if it is anything else. */
export function textsOf(value: unknown): readonly string[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.flatMap((each) =>
    typeof each === 'string' ? [each] : isNumber(each) ? [writeExactJson(each)] : [],
  );
  return texts.length === list.length && texts.length > 0 && !texts.includes('') ? texts : null;
}
