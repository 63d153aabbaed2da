/**
 * A small office with three tools over the orders of a shop. Its arguments have types, its lists have pages, one call
 * fails for a moment, and the answer to one write gets lost.
 */
import { Type } from 'typebox';
import { compileSchema } from '#runtime/json-reader.ts';
import { describeErrors } from '#runtime/validation-messages.ts';
import type { CallRecord, Step, Tool, ToolCall, Turn, World } from '../../worlds/world.ts';

export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly total: number;
  readonly status: 'open' | 'shipped';
  readonly notes: string;
}

export interface OrdersTask {
  readonly prompt: string;
  readonly orders: readonly Order[];
  /** The first call of this tool fails, and works when it is repeated. */
  readonly failsOnce?: 'find_orders' | 'get_order';
  /** The first write is done, but its answer gets lost. */
  readonly losesAnswer?: true;
}

export interface OrdersState {
  readonly orders: readonly Order[];
  readonly calls: readonly CallRecord[];
  readonly steps: readonly Step[];
}

/** More steps than any task needs. */
const stepsMax = 14;
const pageSize = 5;

const closed = { additionalProperties: false } as const;
const order_id = Type.String({ description: 'Four digits, such as 0042.' });

export const orderTools = [
  {
    name: 'find_orders',
    description: `Lists the orders of a customer, ${pageSize} a page. \`next_page\` is null on the last page.`,
    parameters: Type.Object(
      {
        customer: Type.String({ description: 'The name of the customer.' }),
        page: Type.Integer({ minimum: 1, description: 'From 1.' }),
      },
      closed,
    ),
  },
  {
    name: 'get_order',
    description: 'Shows an order with its notes.',
    parameters: Type.Object({ order_id }, closed),
  },
  {
    name: 'set_status',
    description: 'Sets the status of an order. `expected_total` must be the total that get_order shows.',
    parameters: Type.Object(
      { order_id, status: Type.Enum(['open', 'shipped'], { type: 'string' }), expected_total: Type.Number() },
      closed,
    ),
  },
] as const satisfies readonly Tool[];

export function ordersWorld(task: OrdersTask): World<OrdersState> {
  return {
    tools: orderTools,
    start: () => ({
      state: { orders: task.orders, calls: [], steps: [] },
      messages: [{ role: 'user', content: task.prompt }],
      done: false,
    }),
    next: (state, step) => takeStep(task, { ...state, steps: [...state.steps, step] }, step),
  };
}

function takeStep(task: OrdersTask, before: OrdersState, step: Step): Turn<OrdersState> {
  if (step.calls.length === 0) return { state: before, messages: [], done: true };
  let state = before;
  const messages: { role: 'tool'; id: string; content: string }[] = [];
  for (const call of step.calls) {
    const { result, outcome, orders = state.orders } = runCall(task, state, call);
    const record = { name: call.name, arguments: call.arguments, result, outcome };
    state = { ...state, orders, calls: [...state.calls, record] };
    messages.push({ role: 'tool', id: call.id, content: result });
  }
  return { state, messages, done: state.steps.length >= stepsMax };
}

type Outcome = Pick<CallRecord, 'result' | 'outcome'> & { readonly orders?: readonly Order[] };

function runCall(task: OrdersTask, state: OrdersState, { name, arguments: given }: ToolCall): Outcome {
  const tool = orderTools.find((one) => one.name === name);
  if (tool === undefined)
    return refused(
      `There is no tool ${name}. The tools are ${orderTools.map((one) => one.name).join(', ')}.`,
    );
  const schema = compileSchema(tool.parameters);
  if (!schema.Check(given))
    return refused(
      describeErrors(schema.Errors(given), tool.parameters, given, 'The value of `arguments`')[0] ?? '',
    );
  // The schema has checked the names and types.
  const args = given as Readonly<Record<string, string | number>>;
  if (task.failsOnce === name && !state.calls.some((call) => call.name === name && call.outcome === 'failed'))
    return { result: JSON.stringify({ error: 'The database is busy. Try again.' }), outcome: 'failed' };
  if (name === 'find_orders' && !state.orders.some(({ customer }) => customer === args['customer']))
    return refused(`There is no customer ${args['customer']}.`);
  if (name === 'find_orders')
    return done(findOrders(state.orders, String(args['customer']), Number(args['page'])));
  const order = state.orders.find(({ id }) => id === args['order_id']);
  if (order === undefined) return refused(`There is no order ${args['order_id']}.`);
  return name === 'get_order' ? done(order) : setStatus(task, state, order, args);
}

function findOrders(orders: readonly Order[], customer: string, page: number): object {
  const own = orders.filter((order) => order.customer === customer);
  const from = (page - 1) * pageSize;
  return {
    orders: own.slice(from, from + pageSize).map(({ id, total, status }) => ({ id, total, status })),
    next_page: own.length > from + pageSize ? page + 1 : null,
  };
}

function setStatus(
  { losesAnswer }: OrdersTask,
  { orders, calls }: OrdersState,
  order: Order,
  args: Readonly<Record<string, string | number>>,
): Outcome {
  if (args['expected_total'] !== order.total)
    return refused(`\`expected_total\` must be the total of order ${order.id}, which get_order shows.`);
  // The schema has checked it against the list.
  const changed = { ...order, status: args['status'] as Order['status'] };
  const after = orders.map((one) => (one === order ? changed : one));
  const isFirst = !calls.some(({ name, outcome }) => name === 'set_status' && outcome !== 'refused');
  return losesAnswer === true && isFirst
    ? {
        result: JSON.stringify({ error: 'Time-out. The status may or may not be set: look at the order.' }),
        outcome: 'failed',
        orders: after,
      }
    : { ...done({ ok: true, order_id: order.id, status: changed.status }), orders: after };
}

function done(value: object): Outcome {
  return { result: JSON.stringify(value), outcome: 'done' };
}

function refused(message: string): Outcome {
  return { result: JSON.stringify({ error: message }), outcome: 'refused' };
}
