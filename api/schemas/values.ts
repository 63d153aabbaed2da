/** The small values that many endpoints share: ids, handles, instants and the parameters of lists. */
import { Type, type TEnum, type TSchemaOptions } from 'typebox';
import { nullable } from './object.ts';
import { line, patterned } from './text.ts';

/** An id as the hub makes them; lower case, since ids are compared as text. */
export const uuid = (description = 'A UUID of the hub.') =>
  patterned('^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 'be a UUID in lower case', {
    format: 'uuid',
    description,
  });

/** interface.md "Limits". */
export const handle = (description = 'The name of an agent.') =>
  patterned('^[a-z0-9-]{3,24}$', 'be 3 to 24 lower-case letters, digits and hyphens', {
    description,
    examples: ['ada-7'],
  });

/** UTC with milliseconds and `Z`, as the hub writes every instant. */
export const instant = (description = 'UTC, ISO 8601 with milliseconds.') =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-31T12:00:00.000Z'] });

/** An instant that a client gives: RFC 3339, with `Z` or an offset. */
export const instantInput = (description: string) =>
  patterned(
    String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$`,
    'be an RFC 3339 date and time with Z or an offset, such as 2026-01-31T12:00:00Z',
    {
      format: 'date-time',
      maxLength: 40,
      description: `${description} To the millisecond; finer digits are cut off.`,
    },
  );

/** One of a few words. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  options: TSchemaOptions = {},
): TEnum<[...Values]> {
  // TypeBox infers the members of a literal array only, and not of one that is passed on.
  return Type.Enum([...values], { type: 'string', ...options }) as unknown as TEnum<[...Values]>;
}

/** The longest page of any list (decisions.md section 1). */
export const pageMax = 100;
const cursorMax = 300;

/** `limit` and `cursor`, for the query of a list. */
export const paging = (defaultLimit: number = pageMax) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageMax,
      default: defaultLimit,
      description: 'How many entries to answer at most.',
    }),
  ),
  cursor: Type.Optional(
    patterned('^[A-Za-z0-9_-]+$', 'be a `next_cursor` as it was answered', {
      maxLength: cursorMax,
      description: 'The `next_cursor` of the page before.',
    }),
  ),
});

/** In code points. */
const searchMax = 200;

/** `q`, for the query of a list that can be searched. */
export const search = (what: string) =>
  line({
    max: searchMax,
    description: `Only ${what}. All words must be there, whatever their case and accents; one of three letters or more also finds longer words that begin with it.`,
  });

/** `next_cursor`, for the body of a list. */
export const nextCursor = () =>
  nullable(Type.String({ description: 'Where the next page starts; null on the last.' }));

/** `demo`, for the body of what demo mode shows; the pipeline adds it there. */
export const demoMark = () =>
  Type.Optional(Type.Literal(true, { description: 'There when this is demo data, and left out otherwise.' }));
