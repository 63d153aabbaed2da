/**
 * `toMatchObject` as tests mean it. The runner's own takes any date for any other (Bun 1.4.5), so that an instant that is asked
 * for by it could never be wrong; this one compares whatever is named by `toEqual`.
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

/** What of `received` has a name in `wanted`. */
function namedIn(wanted: unknown, received: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(received)) {
    return received.map((item, index) => (index < wanted.length ? namedIn(wanted[index], item) : item));
  }
  if (!isPlain(wanted) || typeof received !== 'object' || received === null) return received;
  const fields = received as Fields; // Any object can be asked for its fields by name.
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, value]) =>
      name in fields ? [[name, namedIn(value, fields[name])]] : [],
    ),
  );
}

/** Written out in a test, rather than a date, an error or what `expect.any` gives. */
function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
