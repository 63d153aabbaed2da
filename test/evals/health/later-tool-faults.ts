/** Faults of tool loops that people report, written without a look at the rules that were to name them. */
import type { Step } from '#evals/worlds/world.ts';
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
import { call, knownOf, read, say } from './tool-agent.ts';

const isWrite = ({ calls }: Step) => calls.some(({ name }) => name === 'set_status');

export const laterToolFaults: readonly ToolFault[] = [
  changeArgs('pages counted from zero', /`page`|pages/, (name, value) =>
    name === 'page' ? Number(value) - 1 : value,
  ),
  instead('stops after two steps', /iteration limit|stops? after|ends? after|steps/i, (agent, messages) =>
    messages.filter(({ role }) => role === 'assistant').length >= 2
      ? say('Agent stopped due to iteration limit or time limit.')
      : agent(messages),
  ),
  changeSteps('the raw result in place of a reply', /result/i, (step, messages) =>
    step.calls.length > 0 ? step : say(lastKnown(messages)?.result ?? ''),
  ),
  changeResults('lists in results cut to their first two items', /results|lists?/i, (content) =>
    content.replace(/"orders":\[(\{[^{}]*\},\{[^{}]*\})[^\]]*\]/, '"orders":[$1]'),
  ),
  instead('only the last result is kept', /earlier results|endlessly|pages/i, (agent, messages) => {
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    return agent(messages.filter((_, at) => at === 0 || at >= last));
  }),
  sayCall(
    'calls as a fenced block of JSON',
    (one) => `\`\`\`json\n${JSON.stringify({ action: one.name, action_input: one.arguments })}\n\`\`\``,
  ),
  changeSteps('every call is made twice', /twice|repeated/i, (step) => ({
    ...step,
    calls: step.calls.flatMap((one) => [one, call(one.name, argsOf(one))]),
  })),
  instead(
    'the prompt is gone once a tool was called',
    /same reply|after (?:a|the first) call|forget/i,
    (agent, messages) =>
      messages.length === 1 ? agent(messages) : say('How can I help you with your orders?'),
  ),
  instead(
    'arguments of calls at once run together',
    /must be a JSON object|together|at once|several calls/,
    (agent, m) => {
      const step = agent(m);
      const [one] = step.calls;
      return step.calls.length < 2 || one === undefined
        ? step
        : {
            ...step,
            calls: [{ ...one, arguments: step.calls.map((c) => JSON.stringify(c.arguments)).join('') }],
          };
    },
  ),
  changeCalls('an argument of its own in each call', /`thought` is not known/, (one) => ({
    ...one,
    arguments: { ...argsOf(one), thought: 'I need to look.' },
  })),
  instead('an error ends the run', /not retried|without a text/, (agent, m) =>
    'error' in read(lastKnown(m)?.result ?? '{}') ? say('') : agent(m),
  ),
  instead('one step only', /without a text|stops after|one step/, (agent, m) =>
    knownOf(m).length > 0 ? say('') : agent(m),
  ),
  changeResults('a fixed text for each result', /results?/i, () => '{"result":"Tool executed successfully"}'),
  changeResults('totals rounded down', /total/, (content) =>
    content.replaceAll(/"total":(\d+)\.\d+/g, '"total":$1'),
  ),
  changeArgs('names in small letters', /customer|find|empty/i, (name, value) =>
    name === 'customer' ? String(value).toLowerCase() : value,
  ),
  changeArgs('always page 1', /page|endlessly/, (name, value) => (name === 'page' ? 1 : value)),
  changeResults('results cut at 100 characters', /results/, (content) => content.slice(0, 100)),
  changeArgs('numbers in arguments become 0', /`expected_total`/, (name, value) =>
    name === 'expected_total' ? 0 : value,
  ),
  instead('own calls are not in the history', /endlessly/, (agent, messages) =>
    agent(messages.filter(({ role }) => role !== 'assistant')),
  ),
  changeSteps('asks instead of writing', /never made/, (step) =>
    isWrite(step) ? say('Shall I go ahead?') : step,
  ),
];
