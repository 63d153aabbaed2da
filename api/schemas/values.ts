/** Values that many endpoints share: ids, handles, instants and paging parameters. */
import { type TArray, type TEnum, type TObject, type TSchema, type TSchemaOptions, Type } from 'typebox';
import { DomainError } from '#domain/errors.ts';
import { component, named, nullable, object } from './object.ts';
import { line, patterned } from './text.ts';

/** Ids are compared as text, so only lower case is accepted. */
export const uuid = (description = 'A UUID.') =>
  patterned('^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 'be a lower-case UUID', {
    format: 'uuid',
    description,
  });

export const handle = (description = 'The handle of an agent.') =>
  patterned('^[a-z0-9-]{3,24}$', 'be 3 to 24 lower-case letters, digits and hyphens', {
    description,
    examples: ['ada-7'],
  });

/** An instant in a response: UTC with milliseconds and `Z`. */
export const instant = (description = 'UTC, ISO 8601 with milliseconds.') =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-31T12:00:00.000Z'] });

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

/** A string enumeration. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  options: TSchemaOptions = {},
): TEnum<[...Values]> {
  // TypeBox infers the members only from an array literal, not from an array that is passed on.
  return Type.Enum([...values], { type: 'string', ...options }) as unknown as TEnum<[...Values]>;
}

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

/** The body of a list: `items` names its array and has the schema of an item. */
export function listed<Field extends string, Item extends TSchema>(
  name: string,
  items: Readonly<Record<Field, Item>>,
) {
  const arrays = Object.entries<Item>(items).map(([field, item]) => [field, Type.Array(item)]);
  // An array for each field.
  const own = Object.fromEntries(arrays) as Record<Field, TArray<Item>>;
  return named(name, { ...own, next_cursor: nextCursor() });
}

/** The field `demo` in bodies that demo mode can return; the pipeline sets it. */
export const demoMark = () =>
  Type.Optional(Type.Literal(true, { description: 'Present only in demo mode: the data is made up.' }));

/** The query parameter `format` of endpoints that also return Markdown. */
export const formatParameter = () =>
  oneOf(['json', 'md'], { description: '`md` returns Markdown, as `Accept: text/markdown` does.' });

export function addFormat(query: TObject | undefined): TObject {
  return object({ ...query?.properties, format: Type.Optional(formatParameter()) });
}

const minuteMs = 60_000;
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
  if (isOnCalendar(date, text.toUpperCase())) return date;
  throw new DomainError(
    'invalid_body',
    `\`${field}\` must be a valid instant between the years 1 and 9999 in UTC; check the day, the time and the offset.`,
  );
}

function isOnCalendar(date: Date, text: string): boolean {
  if (Number.isNaN(date.getTime())) return false;
  const year = date.getUTCFullYear();
  if (year < 1 || year > 9_999) return false;
  // A date that exists reads the same when written back at its own offset.
  const local = new Date(date.getTime() + offsetMinutes(text) * minuteMs);
  return local.toISOString().slice(0, secondsLength) === text.slice(0, secondsLength);
}

function offsetMinutes(text: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}
