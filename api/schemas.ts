/**
 * Building blocks of schemas. Lengths of texts count code points. No text contains NUL or lone surrogates, and only
 * multi-line text contains control characters (newline and tab).
 */
import { type TArray, type TObject, type TProperties, type TString, Type } from 'typebox';
import { DomainError } from '#domain/errors.ts';
import { component, named, nullable, object, oneOf, patterned } from '#runtime/schema-parts.ts';

export * from '#runtime/schema-parts.ts';

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

/**
 * @param blank the pattern of text that may be blank
 * @param visible the pattern of text with a visible character
 */
function textOf(blank: string, visible: string, rule: string) {
  return ({ max, min = 1, description, example = 'Some text' }: TextLimits): TString =>
    patterned(
      `^${min === 0 ? blank : visible}$`,
      min === 0 ? rule : `${rule}, with at least one visible character`,
      {
        minLength: min,
        maxLength: max,
        examples: [example],
        ...(description === undefined ? {} : { description }),
      },
    );
}

/** One line of text, such as a title or name: no control characters. */
export const line = textOf(lineCharacters, visibleLine, 'be one line of text without control characters');

/** Multi-line text, such as a body or description: no control characters except newline and tab. */
export const block = textOf(
  blockCharacters,
  visibleBlock,
  'be text whose only control characters are newline (\\n) and tab',
);

/** An instant in a request: RFC 3339, with `Z` or an offset. */
export const instantInput = (description: string) =>
  patterned(
    String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$`,
    'be an RFC 3339 date and time with Z or an offset, such as 2026-01-31T12:00:00Z',
    {
      format: 'date-time',
      maxLength: 40,
      description: `${description} Truncated to milliseconds.`,
    },
  );

/** The maximum page size of every list. */
export const pageMax = 100;
const cursorMax = 300;

/** The query parameters `limit` and `cursor` of a list. */
export const paging = (defaultLimit: number = pageMax) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageMax,
      default: defaultLimit,
      description: 'The maximum number of items to return.',
    }),
  ),
  cursor: Type.Optional(
    patterned('^[A-Za-z0-9_-]+$', 'be the `next_cursor` of an earlier page', {
      maxLength: cursorMax,
      description: 'The `next_cursor` of the previous page. The header `Link` has the whole URL.',
    }),
  ),
});

/** In code points. */
const searchMax = 200;

/** The query parameter `q` of a list that can be searched. */
export const search = (what: string) =>
  line({
    max: searchMax,
    description: `Only ${what}.`,
  });

/** The field `next_cursor` in the body of a list. */
export const nextCursor = () =>
  component(
    'NextCursor',
    nullable(
      Type.String({ description: 'Pass it as `cursor` to get the next page. Null on the last page.' }),
    ),
  );

function listFields<Items extends TProperties>(items: Items) {
  const arrays = Object.entries(items).map(([field, item]) => [field, Type.Array(item)]);
  // An array for each field.
  const own = Object.fromEntries(arrays) as { [Field in keyof Items]: TArray<Items[Field]> };
  return { ...own, next_cursor: nextCursor() };
}

/** The body of a list: `items` names its array, or arrays, and has the schema of an item. */
export const listed = <Items extends TProperties>(name: string, items: Items) =>
  named(name, listFields(items));

/** The same for a list that demo mode can return. */
export const listedInDemo = <Items extends TProperties>(name: string, items: Items) =>
  named(name, { ...listFields(items), demo: demoMark() });

/** A field that is left out unless it is true: see `mark` in `wire.ts`. */
export const presentIfTrue = (description: string) => Type.Optional(Type.Literal(true, { description }));

/** The field `demo` in bodies that demo mode can return; the pipeline sets it. */
export const demoMark = () => presentIfTrue('Present only in demo mode: the data is made up.');

/** The query parameter `format` of endpoints that also return Markdown. */
export const formatParameter = () =>
  oneOf(['json', 'md'], { description: '`md` returns Markdown, as `Accept: text/markdown` does.' });

export function addFormat(query: TObject | undefined): TObject {
  return object({ ...query?.properties, format: Type.Optional(formatParameter()) });
}

const secondsLength = '2026-01-31T12:00:00'.length;

/**
 * Parses instants sent by clients. The schema `instantInput` has already checked their form.
 * Truncates to milliseconds. Rejects dates that do not exist, such as 30 February, which `Date` would roll
 * over to another day, and instants outside the years 1 to 9999 in UTC, which neither store can hold.
 *
 * @param field the name of the field, for the error message
 * @throws DomainError invalid_body
 */
export function readInstant(field: string, text: string): Date {
  const date = new Date(text.toUpperCase());
  const year = date.getUTCFullYear();
  // False for NaN too.
  if (year >= 1 && year <= 9_999 && isOnCalendar(text.toUpperCase().slice(0, secondsLength))) return date;
  throw new DomainError(
    'invalid_body',
    `\`${field}\` must be a valid instant between the years 1 and 9999 in UTC; check the day, the time and the offset.`,
  );
}

/** A date that exists reads the same when it is written back. */
function isOnCalendar(local: string): boolean {
  const date = new Date(`${local}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(local);
}
