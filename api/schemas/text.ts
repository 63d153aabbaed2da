/**
 * Text fields. Lengths count code points. No text contains NUL or lone surrogates, and only multi-line text
 * contains control characters (newline and tab).
 */
import { Type, type TString } from 'typebox';

interface TextLimits {
  /** In code points. */
  readonly max: number;
  /** 0 allows empty or blank text; otherwise the text must contain a visible character. Defaults to 1. */
  readonly min?: number;
  readonly description?: string;
  /** Shown in the API reference, which would otherwise invent an example from the pattern. */
  readonly example?: string;
}

// Blank characters are separators and format characters, including zero-width ones. The three parts of these
// patterns are mutually exclusive where they meet, so that matching takes linear time for any input.
const lineCharacters = String.raw`[^\p{Cc}\p{Cs}]*`;
const visibleLine = String.raw`[\p{Z}\p{Cf}]*[^\p{Z}\p{Cf}\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]*`;
/** The characters of a line plus newline (U+000A) and tab (U+0009). */
const blockCharacters = String.raw`[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cs}]*`;
const visibleBlock = String.raw`[\p{Z}\p{Cf}\n\t]*[^\p{Z}\p{Cf}\p{Cc}\p{Cs}]${blockCharacters}`;

/** One line of text, such as a title or name: no control characters. */
export function line({ max, min = 1, description, example }: TextLimits): TString {
  const rule = 'be one line of text without control characters';
  return text(
    { max, min, description, example },
    [lineCharacters, rule],
    [visibleLine, `${rule}, with at least one visible character`],
  );
}

/** Multi-line text, such as a body or description: no control characters except newline and tab. */
export function block({ max, min = 1, description, example }: TextLimits): TString {
  const rule = 'be text whose only control characters are newline (\\n) and tab';
  return text(
    { max, min, description, example },
    [blockCharacters, rule],
    [visibleBlock, `${rule}, with at least one visible character`],
  );
}

type PatternAndRule = readonly [pattern: string, rule: string];

interface ResolvedLimits {
  readonly max: number;
  readonly min: number;
  readonly description: string | undefined;
  readonly example: string | undefined;
}

function text(
  { max, min, description, example = 'Some text' }: ResolvedLimits,
  blank: PatternAndRule,
  visible: PatternAndRule,
): TString {
  const [pattern, rule] = min === 0 ? blank : visible;
  return patterned(`^${pattern}$`, rule, {
    minLength: min,
    maxLength: max,
    examples: [example],
    ...(description === undefined ? {} : { description }),
  });
}

/**
 * A string with a pattern. `rule` completes "`field` must …" in the error message, and appears in the OpenAPI
 * document.
 */
export function patterned(pattern: string, rule: string, options: Record<string, unknown> = {}): TString {
  return Type.String({ ...options, pattern, 'x-rule': rule });
}
