/** An agent that solves the tasks with tools, from the messages that reach it, and faults to plant into it. */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { Observation, SeenCall } from '#evals/findings/observation.ts';
import { findCauses } from '#evals/findings/find-causes.ts';
import { ordersWorld } from '#evals/health/tools/orders.ts';
import { type ToolTask, writeToolTasks } from '#evals/health/tools/tasks.ts';
import { prepareCase } from '#evals/own-suite/grade-reply.ts';
import { createRandom } from '#evals/random.ts';
import { hasUnreadCall } from '#domain/targets/tool-calls.ts';
import { unreadCallCode } from '#evals/stored-item.ts';
import type { Step, ToolCall, WorldMessage } from '#evals/worlds/world.ts';

export type Message = WorldMessage | { readonly role: 'assistant'; readonly step: Step };
export type ToolAgent = (messages: readonly Message[]) => Step;

export type Args = Readonly<Record<string, unknown>>;

/** A call with its result, as the agent reads them in its messages. */
interface Known {
  readonly call: ToolCall;
  readonly result: string;
}

export function knownOf(messages: readonly Message[]): readonly Known[] {
  const results = new Map(messages.flatMap((one) => (one.role === 'tool' ? [[one.id, one.content]] : [])));
  return messages.flatMap((one) =>
    one.role === 'assistant'
      ? one.step.calls.flatMap((call) => ({ call, result: results.get(call.id) ?? '' }))
      : [],
  );
}

let calls = 0;
export function call(name: string, args: Args): ToolCall {
  calls += 1;
  return { id: `call-${calls}`, name, arguments: args };
}

export const say = (text: string): Step => ({ text, calls: [] });
export const make = (...made: readonly ToolCall[]): Step => ({ text: null, calls: made });

export function read(result: string): Readonly<Record<string, unknown>> {
  try {
    // The results of the office are objects.
    return JSON.parse(result) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export const toolAgent: ToolAgent = (messages) => {
  const prompt = messages[0]?.role === 'user' ? messages[0].content : '';
  const known = knownOf(messages);
  const last = known.at(-1);
  if (last !== undefined && 'error' in read(last.result) && last.call.name !== 'set_status') {
    return known.length > 8
      ? say('I cannot do this.')
      : make(call(last.call.name, last.call.arguments as Args));
  }
  const customer = /How many orders does (\w+)/.exec(prompt)?.[1];
  if (customer !== undefined) return countOrders(customer, known);
  const pair = /do the orders (\d+) and (\d+)/.exec(prompt);
  if (pair !== null) return compareOrders([pair[1] ?? '', pair[2] ?? ''], known);
  const set = /status of order (\d+) to shipped/.exec(prompt)?.[1];
  if (set !== undefined) return shipOrder(set, known);
  const shown = /Show order (\d+)/.exec(prompt)?.[1] ?? '';
  const notes = JSON.stringify(read(last?.result ?? '')['notes'] ?? '');
  return last === undefined
    ? make(call('get_order', { order_id: shown }))
    : say(`ANSWER: ${/The key word is (\w+)\./.exec(notes)?.[1] ?? 'UNKNOWN'}`);
};

function countOrders(customer: string, known: readonly Known[]): Step {
  const pages = known.map(({ result }) => read(result)).filter((page) => 'orders' in page);
  const next = pages.length === 0 ? 1 : pages.at(-1)?.['next_page'];
  if (typeof next === 'number') return make(call('find_orders', { customer, page: next }));
  const all = new Set(
    pages.flatMap(({ orders }) => (orders as readonly { readonly id: string }[]).map(({ id }) => id)),
  );
  return say(`There are several pages.\nANSWER: ${all.size}`);
}

function compareOrders(ids: readonly string[], known: readonly Known[]): Step {
  if (known.length === 0) return make(...ids.map((id) => call('get_order', { order_id: id })));
  const totals = known.map(({ result }) => Number(read(result)['total'] ?? NaN)).filter(Number.isFinite);
  return say(`ANSWER: ${totals.reduce((sum, total) => sum + total, 0)}`);
}

function shipOrder(id: string, known: readonly Known[]): Step {
  const last = known.at(-1);
  if (last === undefined || (last.call.name === 'set_status' && 'error' in read(last.result)))
    return make(call('get_order', { order_id: id }));
  const order = read(last.result);
  if (order['status'] === 'open')
    return make(call('set_status', { order_id: id, status: 'shipped', expected_total: order['total'] }));
  const total = known.map(({ result }) => read(result)['total']).find((one) => one !== undefined);
  return say(`ANSWER: ${JSON.stringify(total)}`);
}

/** Runs all tasks, and returns what is found. */
export async function tryTools(
  agent: ToolAgent,
  seed: string,
): Promise<{ findings: readonly Finding[]; passed: number; of: number }> {
  const tasks = writeToolTasks(createRandom(seed, 'tools'));
  const seen = await Promise.all(tasks.map((task) => tryTask(agent, task)));
  return { findings: findCauses(seen), passed: seen.filter(({ passed }) => passed).length, of: seen.length };
}

async function tryTask(agent: ToolAgent, task: ToolTask): Promise<Observation> {
  const world = ordersWorld(task);
  let turn = world.start();
  const messages: Message[] = [...turn.messages];
  let text = '';
  const made: SeenCall[] = [];
  for (let step = 0; !turn.done; step += 1) {
    const said = agent(messages);
    const before = turn.state.calls.length;
    turn = world.next(turn.state, said);
    made.push(...turn.state.calls.slice(before).map((record) => ({ ...record, step })));
    text = said.calls.length === 0 ? (said.text ?? '') : '';
    messages.push({ role: 'assistant', step: said }, ...turn.messages);
  }
  // A runner does not take it for a reply.
  const isUnread = hasUnreadCall(text);
  const graded = await prepareCase({ id: task.id, expect: [...task.expect] })(
    { text, tool_calls: [], latencyMs: null },
    { judge: null },
  );
  return {
    id: task.id,
    part: 'tools',
    topic: task.id.replace(/-\d+$/, ''),
    sent: {
      characters: task.prompt.length,
      prompt: task.prompt,
      turns: 1,
      atOnce: false,
      ...(task.together === true ? { together: true } : {}),
      ...(task.mark === undefined ? {} : { marks: [{ word: task.mark, at: 1 }] }),
    },
    reply: isUnread ? null : text,
    error: isUnread ? { code: unreadCallCode, status: 200 } : null,
    passed: !isUnread && 'passed' in graded && graded.passed && task.isDone(turn.state),
    undone: [],
    calls: made,
  };
}
