/**
 * Fixes `toMatchObject` for dates. Bun's own accepts any date for any other (Bun 1.4.5). This one compares
 * the named fields with `toEqual`.
 */
import { expect } from 'bun:test';

type Fields = Readonly<Record<string, unknown>>;

export function compareDatesInMatchObject(): void {
  expect.extend({
    toMatchObject(received: unknown, wanted: unknown) {
      let difference = '';
      try {
        expect(namedIn(wanted, received)).toEqual(wanted);
      } catch (error) {
        difference = error instanceof Error ? error.message : String(error);
      }
      return { pass: difference === '', message: () => difference || 'It has all that was named.' };
    },
  });
}

/** The fields of `received` that `wanted` names. */
function namedIn(wanted: unknown, received: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(received)) {
    return received.map((item, index) => (index < wanted.length ? namedIn(wanted[index], item) : item));
  }
  if (!isPlain(wanted) || typeof received !== 'object' || received === null) return received;
  const fields = received as Fields; // Any object can be read by field name.
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, value]) =>
      name in fields ? [[name, namedIn(value, fields[name])]] : [],
    ),
  );
}

/** An object literal of a test, not a date, an error or a matcher such as `expect.any`. */
function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
