/** Results of commands on their way back over Redis. */
import { expect, test } from 'bun:test';
import { refusalOf, resultOf, textsOf } from '#actors/messages.ts';
import { DomainError } from '#domain/errors.ts';

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('a refusal crosses Redis with its public fields and without its cause, and a fault is an internal error', () => {
  const refused = new DomainError('sold_out', 'No.', {
    hint: 'Wait.',
    fields: { left: 0 },
    cause: 'private',
  });
  const result = overTheWire(resultOf(refused)) as ReturnType<typeof resultOf>;
  expect(result).toEqual({
    refusal: { code: 'sold_out', message: 'No.', extras: { hint: 'Wait.', fields: { left: 0 } } },
  });
  if ('reply' in result) throw new Error('A refusal is not a reply.');
  expect(refusalOf(result)).toMatchObject({ code: 'sold_out', message: 'No.', extras: { hint: 'Wait.' } });
  expect(refusalOf({ fault: true })).toMatchObject({ code: 'internal_error' });
  expect(resultOf({ position: 1 })).toEqual({ reply: { position: 1 } });
});

test('each sender gets one message, with its own results in order', () => {
  const to = (replyTo: string | null, id: string) => ({ entryId: id, replyTo, id, result: { reply: id } });
  expect(textsOf([to('one', 'a'), to('two', 'b'), to(null, 'x'), to('one', 'c')])).toEqual([
    'hub:replies:one',
    '["a",{"reply":"a"}],["c",{"reply":"c"}]',
    'hub:replies:two',
    '["b",{"reply":"b"}]',
  ]);
  expect(textsOf([{ ...to('one', 'late'), result: null }])).toEqual([]);
});
