/** Values as hostile JSON has them where something else is expected. */
const hostile = { toString: 1, valueOf: 1 };
const odd = [hostile, [hostile], '\ud800', '\0', [], {}, null, 1e308, true, { toJSON: 1 }, { length: 5 }];

/** `value` with an odd one at each place in turn. */
export function* changesOf(value: unknown): Generator {
  yield* odd;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const changed of changesOf(inner))
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}
