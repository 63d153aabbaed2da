/** The tasks with tools. Each needs two to five steps of an agent that makes no detour. */
import type { GraderSpec } from '../../own-suite/document.ts';
import type { Random } from '../../random.ts';
import { goods, logSentence, people, words } from '../words.ts';
import type { Order, OrdersState, OrdersTask } from './orders.ts';

export interface ToolTask extends OrdersTask {
  readonly id: string;
  /** Graders of the last text. */
  readonly expect: readonly GraderSpec[];
  /** Whether the office is as it should be at the end. */
  readonly isDone: (state: OrdersState) => boolean;
  /** The word at the end of a long result. */
  readonly mark?: string;
  readonly together?: true;
}

const ending = 'End your last reply with one line: "ANSWER:", then';
const always = () => true;

export function writeToolTasks(random: Random): readonly ToolTask[] {
  return [1, 2].flatMap((round) => [
    pages(random, `pages-${round}`),
    ship(random, `ship-${round}`),
    twoCalls(random, `two-calls-${round}`),
    longNotes(random, `long-result-${round}`),
  ]);
}

function ordersOf(random: Random, customer: string, count: number, first: number): readonly Order[] {
  return Array.from({ length: count }, (_, at) => ({
    id: String(first + at * 3).padStart(4, '0'),
    customer,
    total: random.int(20, 400) + (at % 2 === 0 ? 0.25 : 0.5),
    status: random.chance(0.5) ? 'open' : 'shipped',
    notes: `${random.int(2, 9)} ${random.pick(goods)}`,
  }));
}

/** A second page, and a call that fails for a moment. */
function pages(random: Random, id: string): ToolTask {
  const customer = random.pick(people);
  const orders = ordersOf(random, customer, random.int(7, 9), random.int(11, 60));
  return {
    id,
    prompt: `How many orders does ${customer} have in all, over all pages? Use the tools. ${ending} the number.`,
    orders,
    failsOnce: 'find_orders',
    expect: [{ number: orders.length, last: true }],
    isDone: always,
  };
}

/** A read before a write, whose answer gets lost. */
function ship(random: Random, id: string): ToolTask {
  const customer = random.pick(people);
  const orders = ordersOf(random, customer, 2, random.int(11, 60)).map(
    (order) => ({ ...order, status: 'open' }) as const,
  );
  const [order] = orders;
  if (order === undefined) throw new Error('There are two orders.');
  return {
    id,
    prompt: `Set the status of order ${order.id} to shipped with the tools, once only, and make sure that it is set. ${ending} the total of the order.`,
    orders,
    losesAnswer: true,
    expect: [{ number: order.total, last: true }],
    isDone: ({ orders: after, calls }) =>
      after.every(({ id: one, status }) => (status === 'shipped') === (one === order.id)) &&
      calls.filter(({ name, outcome }) => name === 'set_status' && outcome !== 'refused').length === 1,
  };
}

/** Two calls that a model may make in one reply. */
function twoCalls(random: Random, id: string): ToolTask {
  const [first = '', second = ''] = random.sample(people, 2);
  const [one] = ordersOf(random, first, 1, random.int(11, 40));
  const [other] = ordersOf(random, second, 1, random.int(41, 80));
  if (one === undefined || other === undefined) throw new Error('There are two orders.');
  return {
    id,
    prompt: `What do the orders ${one.id} and ${other.id} cost together? Show both with the tools, in one reply if you can. ${ending} the sum of their totals.`,
    orders: [one, other],
    expect: [{ number: one.total + other.total, last: true }],
    isDone: always,
    together: true,
  };
}

const noteSentences = 90;

/** A long result, whose end matters. */
function longNotes(random: Random, id: string): ToolTask {
  const mark = random.pick(words);
  const notes = [
    ...Array.from({ length: noteSentences }, () => logSentence(random)),
    `The key word is ${mark}.`,
  ].join(' ');
  const [order] = ordersOf(random, random.pick(people), 1, random.int(11, 60));
  if (order === undefined) throw new Error('There is one order.');
  return {
    id,
    prompt: `Show order ${order.id} with the tools. Its notes end with a key word. ${ending} the key word.`,
    orders: [{ ...order, notes }],
    expect: [{ contains: mark, ignore: ['case'] }],
    isDone: always,
    mark,
  };
}
