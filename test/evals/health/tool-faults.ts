/** Faults of tool loops that people report. */
import {
  argsOf,
  changeArgs,
  changeCalls,
  changeResults,
  changeSteps,
  instead,
  lastKnown,
  sayCall,
  type ToolFault,
} from './plant-tools.ts';
import { call, knownOf, make, read, say } from './tool-agent.ts';

export const toolFaults: readonly ToolFault[] = [
  changeArgs('numbers as strings', /are refused: "`(?:page|expected_total)` must be/, (_, value) =>
    String(value),
  ),
  changeArgs('a required argument left out', /`expected_total` is required but missing/, (name, value) =>
    name === 'expected_total' ? undefined : value,
  ),
  changeCalls('arguments as JSON in a string', /must be an object/, (one) => ({
    ...one,
    arguments: JSON.stringify(one.arguments),
  })),
  changeCalls('another name for a tool', /There is no tool/, (one) => ({
    ...one,
    name: `functions.${one.name}`,
  })),
  changeResults('never reads page 2', /Not all pages/, (content) =>
    content.replace(/"next_page":\d+/, '"next_page":null'),
  ),
  changeResults('results cut at 2,000 characters', /Long tool results are cut/, (content) =>
    content.length <= 2_000 ? content : `${content.slice(0, 2_000)}"}`,
  ),
  instead('writes again after they are done', /Writes are repeated/, (agent, messages) => {
    const last = lastKnown(messages);
    const writes = knownOf(messages).filter(({ call: { name } }) => name === 'set_status').length;
    return last?.call.name === 'set_status' && writes < 4
      ? make(call('set_status', argsOf(last.call)))
      : agent(messages);
  }),
  instead('writes again where the answer got lost', /repeated without checking/, (agent, messages) => {
    const last = lastKnown(messages);
    return last?.call.name === 'set_status' && 'error' in read(last.result)
      ? make(call('set_status', argsOf(last.call)))
      : agent(messages);
  }),
  instead('leaves a lost answer at that', /is not checked/, (agent, messages) =>
    lastKnown(messages)?.call.name === 'set_status' ? say('It is shipped.') : agent(messages),
  ),
  instead('does not retry', /not retried/, (agent, messages) =>
    'error' in read(lastKnown(messages)?.result ?? '{}') && lastKnown(messages)?.call.name !== 'set_status'
      ? say('The database is busy, sorry.')
      : agent(messages),
  ),
  instead('searches endlessly', /endlessly/, (agent, messages) => {
    const last = lastKnown(messages);
    return last === undefined || last.call.name === 'set_status'
      ? agent(messages)
      : make(call(last.call.name, argsOf(last.call)));
  }),
  sayCall('calls in prose', (one) => `${one.name}(${JSON.stringify(one.arguments)})`),
  sayCall('calls as XML', (one) => `<tool_call>{"name":"${one.name}"}</tool_call>`),
  instead('tools do not reach the model', /never calls a tool|same reply/, () =>
    say('I have no access to orders.'),
  ),
  changeSteps('runs the first of two calls only', /only some are run/, (step) => ({
    ...step,
    calls: step.calls.slice(0, 1),
  })),
  changeSteps('ends without a text', /ends without a text/, (step) =>
    step.calls.length > 0 ? step : say(''),
  ),
  instead('the last result for all calls of a step', /only some are run|endlessly/, (agent, messages) =>
    agent(
      messages.map((one, at) => {
        const next = messages[at + 1];
        return one.role === 'tool' && next?.role === 'tool' ? { ...one, content: '' } : one;
      }),
    ),
  ),
  changeResults('results do not reach the model', /endlessly|Long tool results|pages/, () => null),
];
