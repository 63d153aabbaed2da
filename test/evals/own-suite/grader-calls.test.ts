/** The grader of tool calls on right, wrong, tricky and hostile calls. */
import { expect, test } from 'bun:test';
import { parseExactJson } from '#evals/own-suite/exact-json.ts';
import { checkGrader } from '#evals/own-suite/graders/registry.ts';
import { passes, replyOf } from './grader-tables.ts';

const route = (queue: string, more: object = {}) => ({ name: 'route', arguments: { queue, ...more } });
const other = { name: 'look_up', arguments: {} };
const close = { name: 'close', arguments: {} };

const order = (id: string) => ({ name: 'order', arguments: { id: parseExactJson(id) } });
const bigId = '9007199254740993';
const large = (id: string) => ({ tool_calls: [order(id)] });

const schemas = { arguments: { route: { type: 'object', required: ['queue'] }, close: {} } };
const one = { tool_calls: [{ name: 'route', arguments: { queue: 'billing' } }] };
const two = { tool_calls: [{ name: 'route' }, { name: 'route', arguments: { queue: 'billing' } }] };
test.each([
  ['the call', one, [route('billing')], true],
  ['more arguments', one, [route('billing', { note: 'x' })], true],
  ['more arguments than exactly these', { ...one, exact: true }, [route('billing', { note: 'x' })], false],
  ['another argument', one, [route('sales')], false],
  ['another tool', one, [close], false],
  ['no call', one, [], false],
  ['a further call', one, [route('billing'), close], false],
  ['a further call where it is allowed', { ...one, extra: 'allow' }, [close, route('billing')], true],
  ['every queue', one, [route('billing'), route('sales')], false],
  ['the wanted order', two, [route('sales'), route('billing')], true],
  ['another order', two, [route('billing'), route('sales')], false],
  ['another order where any is allowed', { ...two, order: 'any' }, [route('billing'), route('sales')], true],
  ['one call for two', { ...two, order: 'any', extra: 'allow' }, [route('billing')], false],
  ['a call where none is wanted', { tool_calls: [] }, [close], false],
  ['none where none is wanted', { tool_calls: [] }, [], true],
  ['a large id', large(bigId), [order(bigId)], true],
  ['another large id', large(bigId), [order('9007199254740992')], false],
  ['another large id, exactly', { ...large(bigId), exact: true }, [order('9007199254740994')], false],
  ['a fraction written otherwise', large('2.50'), [order('2.5')], true],
  [
    'a flood of calls, which are not all looked at',
    { calls: schemas },
    Array.from({ length: 129 }, () => close),
    false,
  ],
  ['a flood of calls', { ...one, extra: 'allow' }, Array(200).fill(route('billing')), false],
  ['few calls', { calls: { at_most: 1 } }, [close], true],
  ['more calls', { calls: { at_most: 1 } }, [close, close], false],
  ['no call where none is allowed', { calls: { at_most: 0 } }, [], true],
  ['a tool that is never called', { calls: { never: ['close'] } }, [route('sales')], true],
  ['a call that is never made', { calls: { at_most: 9, never: ['close'] } }, [route('sales'), close], false],
  ['no call where one is wanted', { calls: { at_least: 1 } }, [], false],
  ['valid arguments', { calls: schemas }, [route('sales'), close], true],
  ['arguments that are not valid', { calls: schemas }, [route('sales'), { ...other, name: 'route' }], false],
  ['a tool without a schema', { calls: schemas }, [other], false],
  ...['\u00e9', 'e\u0301'].flatMap((name) =>
    [
      { calls: { arguments: { route: { required: [name], properties: { [name]: { const: name } } } } } },
      { tool_calls: [{ name: 'route', arguments: { [name]: name } }] },
      { tool_calls: [{ name: 'route', arguments: { queue: 'sales', [name]: name } }], exact: true },
    ].map(
      (spec) =>
        ['another form of Unicode', spec, [route('sales', { ['e\u0301']: 'e\u0301' })], true] as const,
    ),
  ),
  ['the order', { order: ['route', 'close'] }, [route('sales'), other, close, route('sales')], true],
  ['a first call too early', { order: ['route', 'close'] }, [close, route('sales'), close], false],
  ['a tool of the order not called', { order: ['route', 'close'] }, [route('sales')], false],
  ['the order turned round', { order: ['route', 'close'], not: true }, [close, route('sales')], true],
] as const)('%s', async (_, spec, calls, expected) => {
  expect(await passes(spec, { ...replyOf(''), tool_calls: calls })).toBe(expected);
});

test.each([
  [{}, ['calls'], 'needs a rule'],
  [{ at_least: 2, at_most: 1 }, ['calls'], 'must not be more'],
  [{ arguments: { route: { $ref: 'https://example.org' } } }, ['calls', 'arguments', 'route'], '`route`'],
])('calls %j has a fault', (calls, path, message) => {
  expect(checkGrader({ calls }, [])).toEqual([{ path, message: expect.stringContaining(message) }]);
});
