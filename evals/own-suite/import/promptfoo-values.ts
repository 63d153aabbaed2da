/** Reads the values of promptfoo's assertions as promptfoo does. */
import { textsOf } from './imported.ts';

/** A text of several values is separated by commas, and lists may have truth values too. */
export function textsIn(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return textsOf(value.map((one: unknown) => (one === !!one ? String(one) : one)));
  return typeof value === 'string' ? textsOf(splitTexts(value)) : textsOf(value);
}

/** A part in double quotes may have commas, and quotes that are doubled or follow a backslash. */
function splitTexts(value: string): readonly string[] {
  const parts = value.matchAll(/[\s,]*(?:"((?:\\["\\]|\\(?!["\\])|""|[^"\\])*)"\s*(?=,|$)|([^\s,"][^,]*))/gy);
  let end = 0;
  const texts = [...parts].map(([whole, quoted, plain = '']) => {
    end += whole.length;
    return quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(["\\])|""/g, (_, mark) => mark ?? '"');
  });
  // promptfoo refuses what is left, such as a quote that does not end.
  return /[^\s,]/.test(value.slice(end)) ? [] : texts;
}

/** An expression of JavaScript in RE2; null if it is none, or if it means something else there. */
export function expressionOf(source: string): string | null {
  try {
    RegExp(source);
  } catch {
    return null;
  }
  if (/(?<!\\)(?:\\\\)*\\[pPAzQ]/.test(source)) return null;
  return source.replaceAll(/\\(?:u([0-9a-fA-F]{4})|[^])/g, (all, code) => (code ? `\\x{${code}}` : all));
}
