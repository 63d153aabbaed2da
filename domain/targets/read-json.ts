/** Reads the bodies of replies, whatever their protocol. */
import { parseExactJson } from '#evals/own-suite/exact-json.ts';
import { storable } from '#evals/safe-text.ts';

const excerptCharacters = 500;

/** The beginning of a reply, for the owner of the target. */
export function excerptOf(received: string): string {
  return Array.from(received.slice(0, 2 * excerptCharacters))
    .slice(0, excerptCharacters)
    .join('')
    .replaceAll('\0', '\uFFFD');
}

/** What is wrong with a reply that does not have the expected format. */
export function unreadableProblem(received: string, contentType: string): string {
  if (received.trim() === '') return 'The reply has an empty body.';
  if (contentType.startsWith('text/event-stream') || received.startsWith('data:'))
    return 'The reply is an event stream. Respond with one JSON object, without streaming.';
  if (received.trimStart().startsWith('<')) return 'The reply is an HTML page.';
  return 'The reply is not JSON in the expected format.';
}

/** Deeper values would exhaust the stack of the code that walks through them. */
const nestingMax = 256;

/** @returns null if the body is not JSON in UTF-8, or is nested too deep */
export function parseJson(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return nestingOf(text) > nestingMax ? null : parseExactJson(text);
  } catch {
    return null;
  }
}

/** How deep the arrays and objects of a JSON text are nested. For other texts, the number means nothing. */
function nestingOf(text: string): number {
  let [deepest, open, isInString] = [0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charAt(index)) {
      case '"':
        isInString = !isInString;
        break;
      case '\\':
        index += 1;
        break;
      case '[':
      case '{':
        if (!isInString) deepest = Math.max(deepest, (open += 1));
        break;
      case ']':
      case '}':
        if (!isInString) open -= 1;
    }
  }
  return deepest;
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : null;
}

/** @returns a text that can be stored and be part of a URL; null if the value is no text, or an empty one */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? storable(value) : null;
}

/** A field that should be a text; empty if it is not. */
export function textIn(value: unknown, name: string): string {
  return textOf(fieldOf(value, name)) ?? '';
}

/**
 * Whether an optional field says something: servers also write empty values, objects of empty values, and `{"code": 0}`
 * for no error.
 */
export function isGiven(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return !isEmpty(value);
  return fieldOf(value, 'code') !== 0 && !Object.values(value).every(isEmpty);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
}

/** The values of an array; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
