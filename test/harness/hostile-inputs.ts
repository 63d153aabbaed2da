/** Inputs that broken or malicious clients send. */
import { encodeCursor, type ListName } from '#domain/paging.ts';

const id = Bun.randomUUIDv7();

/** Path segments, as written in a URL. */
export const hostileParts =
  '%2F %00 ..%2F..%2Fx %E0%A4%A %FF %F0%9F%98%80 __proto__ constructor %20 %27%20OR%201%3D1-- -1 %ED%A0%80 * % %25 ;x=1 %0d%0ax:y'
    .split(' ')
    .concat('a'.repeat(5000));

/** Keys for forged cursors of this or another list. */
const keys: readonly unknown[][] = [
  [],
  [null],
  [1],
  ['x'],
  [id],
  [id, id],
  [1, id],
  ['', ''],
  [{}],
  [[]],
  [true],
  [1e308, id],
  [-1],
  [-1, id],
  [2 ** 31],
  [2 ** 31, 'x'],
  [2 ** 53, id],
  [2 ** 53 - 1, id],
  [8.64e15, id],
  [-8.64e15, id],
  [253_402_300_800_000, id],
  [1.5],
  [1.5, 'x'],
  [0, '\0'],
  [0, '\ud800'],
  [0, 'x'.repeat(150)],
  ['\0'],
  [id.toUpperCase()],
  [`${id} `],
];

/** Well-formed cursors that the list has not issued. */
export function forgedCursors(list: ListName): readonly string[] {
  return [
    // Forged keys may have any type.
    ...keys.map((key) => encodeCursor(list, key as string[])),
    ...'_ - AAAA bnVsbA e30 MQ Ij W10'.split(' '),
    'a'.repeat(300),
  ];
}

/** Malformed cursors, as written in a URL. */
export const brokenCursors = ['', '%00', '%20', 'a%2Bb', '%F0%9F%98%80', 'a'.repeat(301)];

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  1e21,
  '',
  ' ',
  '\u200b',
  '\0',
  '\ud800',
  '\u202eabc',
  '\r\nx: y',
  '😀'.repeat(500),
  'x'.repeat(60_000),
  '__proto__',
  '<script>',
  "'; DROP TABLE agents;--",
  'null',
  'ada',
  id,
  '9999-12-31T23:59:59Z',
  '2998-12-31T23:59:60Z',
  [],
  [[]],
  ['x'],
  {},
  { constructor: 1 },
];

/** JSON texts of field values, including numbers that JavaScript cannot represent or writes differently. */
export const hostileJson = [
  ...values.map((value) => JSON.stringify(value)),
  ...'1e400 -1e400 1e308 1E5 9007199254740993 0.1e1 -0 1.0000000000000000001'.split(' '),
];

/** JSON texts of fields that no body has. */
export const hostileFields = [
  '"__proto__":{"handle":"ada"}',
  '"constructor":{}',
  '"toString":1',
  '"":1',
  String.raw`"\u0000":1`,
  String.raw`"\ud800":1`,
];

export const hostileHeaders = [
  'x',
  '',
  '-1',
  '*',
  '"',
  'W/',
  ',',
  '"a",,W/"b"',
  '../x',
  '\u00ff',
  '9'.repeat(400),
  '"'.repeat(5000),
];

/** Headers that the hub or a proxy reads. */
export const headerNames =
  'last-event-id idempotency-key if-none-match origin x-request-id accept x-forwarded-for range cookie'.split(
    ' ',
  );
