/** Faults of tool loops that people report. */
import { argsOf, changeArgs, changeCalls, changeResults, lastKnown, type ToolFault } from './plant-tools.ts';
import { call, knownOf, make, read, say } from './tool-agent.ts';

export const toolFaults: readonly ToolFault[] = [
  {
    name: 'numbers as strings',
    plant: changeArgs((_, value) => String(value)),
    said: /are refused: `(?:page|expected_total)` must be/,
  },
  {
    name: 'null for a page',
    plant: changeCalls((one) => ({ ...one, arguments: { ...argsOf(one), page: null } })),
    said: /are refused: `page` must be/,
  },
  {
    name: 'arguments as JSON in a string',
    plant: changeCalls((one) => ({ ...one, arguments: JSON.stringify(one.arguments) })),
    said: /must be an object/,
  },
  {
    name: 'leading zeros lost',
    plant: changeArgs((name, value) => (name === 'order_id' ? Number(value) : value)),
    said: /`order_id` must be a string/,
  },
  {
    name: 'another name for a tool',
    plant: changeCalls((one) => ({ ...one, name: `functions.${one.name}` })),
    said: /There is no tool/,
  },
  {
    name: 'camel case',
    plant: changeCalls((one) => ({
      ...one,
      arguments: Object.fromEntries(
        Object.entries(argsOf(one)).map(([name, value]) => [
          name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
          value,
        ]),
      ),
    })),
    said: /are refused: `order_id` is required but missing/,
  },
  {
    name: 'never reads page 2',
    plant: changeResults((content) => content.replace(/"next_page":\d+/, '"next_page":null')),
    said: /Not all pages/,
  },
  {
    name: 'results cut at 2,000 characters',
    plant: changeResults((content) => (content.length <= 2_000 ? content : `${content.slice(0, 2_000)}"}`)),
    said: /Long tool results are cut/,
  },
  {
    name: 'writes again after they are done',
    plant: (agent) => (messages) => {
      const last = lastKnown(messages);
      const writes = knownOf(messages).filter(({ call: { name } }) => name === 'set_status').length;
      return last?.call.name === 'set_status' && writes < 4
        ? make(call('set_status', argsOf(last.call)))
        : agent(messages);
    },
    said: /Writes are repeated/,
  },
  {
    name: 'writes again where the answer got lost',
    plant: (agent) => (messages) => {
      const last = lastKnown(messages);
      return last?.call.name === 'set_status' && 'error' in read(last.result)
        ? make(call('set_status', argsOf(last.call)))
        : agent(messages);
    },
    said: /repeated without checking/,
  },
  {
    name: 'leaves a lost answer at that',
    plant: (agent) => (messages) =>
      lastKnown(messages)?.call.name === 'set_status' ? say('It is shipped.') : agent(messages),
    said: /is not checked/,
  },
  {
    name: 'does not retry',
    plant: (agent) => (messages) =>
      'error' in read(lastKnown(messages)?.result ?? '{}') && lastKnown(messages)?.call.name !== 'set_status'
        ? say('The database is busy, sorry.')
        : agent(messages),
    said: /not retried/,
  },
  {
    name: 'searches endlessly',
    plant: (agent) => (messages) => {
      const last = lastKnown(messages);
      return last === undefined || last.call.name === 'set_status'
        ? agent(messages)
        : make(call(last.call.name, argsOf(last.call)));
    },
    said: /endlessly/,
  },
  {
    name: 'calls in prose',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      const [one] = step.calls;
      return one === undefined ? step : say(`${one.name}(${JSON.stringify(one.arguments)})`);
    },
    said: /come back as text/,
  },
  {
    name: 'calls as XML',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      const [one] = step.calls;
      return one === undefined ? step : say(`<tool_call>{"name":"${one.name}"}</tool_call>`);
    },
    said: /come back as text/,
  },
  {
    name: 'tools do not reach the model',
    plant: () => () => say('I have no access to orders.'),
    said: /never calls a tool|same reply/,
  },
  {
    name: 'runs the first of two calls only',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      return { ...step, calls: step.calls.slice(0, 1) };
    },
    said: /only some are run/,
  },
  {
    name: 'ends without a text',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      return step.calls.length > 0 ? step : say('');
    },
    said: /ends without a text/,
  },
  {
    name: 'the last result for all calls of a step',
    plant: (agent) => (messages) =>
      agent(
        messages.map((one, at) => {
          const next = messages[at + 1];
          return one.role === 'tool' && next?.role === 'tool' ? { ...one, content: '' } : one;
        }),
      ),
    said: /only some are run|endlessly/,
  },
  {
    name: 'results do not reach the model',
    plant: changeResults(() => null),
    said: /endlessly|Long tool results|pages/,
  },
];
