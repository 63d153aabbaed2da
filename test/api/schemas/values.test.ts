/** Instants that clients send are read exactly or rejected. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readInstant } from '#api/schemas/values.ts';

const read = (text: string) => readInstant('expires_at', text).toISOString();

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
  ['2026-01-31T12:00:00.123999999Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-01T00:30:00+05:45', '2025-12-31T18:45:00.000Z'],
  ['2026-12-31T23:59:59-00:01', '2027-01-01T00:00:59.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  '2026-02-29T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-04-31T12:00:00+02:00',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T12:60:00Z',
  '2026-06-30T23:59:60Z',
  '2026-01-01T00:00:00+99:00',
  '9999-12-31T23:59:59-00:01',
  '0000-12-31T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
])('%s is rejected, and the error names the field', (text) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: 'invalid_body',
      message:
        '`expires_at` must be a valid instant between the years 1 and 9999 in UTC; check the day, the time and the offset.',
    }),
  );
});

test('every instant is read back from its own text, at any offset', () => {
  const instant = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }), (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const two = (number: number) => String(number).padStart(2, '0');
      expect(read(`${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`)).toBe(date.toISOString());
    }),
  );
});
