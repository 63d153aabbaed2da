/**
 * Texts that people and agents write. Lengths count code points; NUL and lone surrogates are in no text, and control
 * characters only where lines may break (decisions.md section 1).
 */
import { Type, type TString } from 'typebox';

interface TextLimits {
  /** In code points. */
  readonly max: number;
  /** 0 lets the text be empty or blank; otherwise it must hold something visible. 1 when left out. */
  readonly min?: number;
  readonly description?: string;
  /** For the reference, which would otherwise make up one out of the pattern. */
  readonly example?: string;
}

// Blanks are what nobody can see: separators and format characters, zero-width ones among them. The three parts of
// these patterns exclude each other where they meet, so that matching takes one pass whatever the text.
const lineCharacters = String.raw`[^\p{Cc}\p{Cs}]*`;
const visibleLine = String.raw`[\p{Z}\p{Cf}]*[^\p{Z}\p{Cf}\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]*`;
/** As in a line, and newline (U+000A) and tab (U+0009). */
const blockCharacters = String.raw`[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cs}]*`;
const visibleBlock = String.raw`[\p{Z}\p{Cf}\n\t]*[^\p{Z}\p{Cf}\p{Cc}\p{Cs}]${blockCharacters}`;

/** Title, name or handle: no control characters. */
export function line({ max, min = 1, description, example }: TextLimits): TString {
  const rule = 'be one line of text without control characters';
  return text(
    { max, min, description, example },
    [lineCharacters, rule],
    [visibleLine, `${rule} that holds a visible character`],
  );
}

/** Body or description: newlines and tabs, no other control characters. */
export function block({ max, min = 1, description, example }: TextLimits): TString {
  const rule = 'be text whose only control characters are newline (\\n) and tab';
  return text(
    { max, min, description, example },
    [blockCharacters, rule],
    [visibleBlock, `${rule}, and hold a visible character`],
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

/** A string of a certain form. `rule` completes "`field` must …" in the refusal, and is shown in the OpenAPI document. */
export function patterned(pattern: string, rule: string, options: Record<string, unknown> = {}): TString {
  return Type.String({ ...options, pattern, 'x-rule': rule });
}
