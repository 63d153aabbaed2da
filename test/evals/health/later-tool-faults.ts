/** Faults of tool loops that people report, written without a look at the rules that were to name them. */
import { argsOf, changeArgs, changeCalls, changeResults, lastKnown, type ToolFault } from './plant-tools.ts';
import { call, knownOf, make, read, say } from './tool-agent.ts';

export const laterToolFaults: readonly ToolFault[] = [
  {
    name: 'every result is [object Object]',
    plant: changeResults(() => '[object Object]'),
    said: /results? (?:of (?:tools|calls) )?(?:do|does) not reach|endlessly|results/i,
  },
  {
    name: 'one id for all calls of a step',
    plant: (agent) => (messages) => {
      const before = new Map<number, string>();
      let step = 0;
      return agent(
        messages.map((one) => {
          if (one.role === 'assistant') step += 1;
          if (one.role !== 'tool') return one;
          const content = before.get(step) ?? one.content;
          before.set(step, content);
          return { ...one, content };
        }),
      );
    },
    said: /two calls|same step|only some|at once|together/i,
  },
  {
    name: 'pages counted from zero',
    plant: changeArgs((name, value) => (name === 'page' ? Number(value) - 1 : value)),
    said: /`page`|pages/,
  },
  {
    name: 'a required argument left out',
    plant: changeArgs((name, value) => (name === 'expected_total' ? undefined : value)),
    said: /`expected_total` is required but missing/,
  },
  {
    name: 'stops after two steps',
    plant: (agent) => (messages) =>
      messages.filter(({ role }) => role === 'assistant').length >= 2
        ? say('Agent stopped due to iteration limit or time limit.')
        : agent(messages),
    said: /iteration limit|stops? after|ends? after|steps/i,
  },
  {
    name: 'the raw result in place of a reply',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      return step.calls.length > 0 ? step : say(lastKnown(messages)?.result ?? '');
    },
    said: /result/i,
  },
  {
    name: 'lists in results cut to their first two items',
    plant: changeResults((content) =>
      content.replace(/"orders":\[(\{[^{}]*\},\{[^{}]*\})[^\]]*\]/, '"orders":[$1]'),
    ),
    said: /results|lists?/i,
  },
  {
    name: 'only the last result is kept',
    plant: (agent) => (messages) => {
      const last = messages.findLastIndex(({ role }) => role === 'assistant');
      return agent(messages.filter((_, at) => at === 0 || at >= last));
    },
    said: /earlier results|endlessly|pages/i,
  },
  {
    name: 'names of tools with hyphens',
    plant: changeCalls((one) => ({ ...one, name: one.name.replaceAll('_', '-') })),
    said: /There is no tool|name/,
  },
  {
    name: 'calls as a fenced block of JSON',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      const [one] = step.calls;
      return one === undefined
        ? step
        : say(`\`\`\`json\n${JSON.stringify({ action: one.name, action_input: one.arguments })}\n\`\`\``);
    },
    said: /come back as text/,
  },
  {
    name: 'every call is made twice',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      return { ...step, calls: step.calls.flatMap((one) => [one, call(one.name, argsOf(one))]) };
    },
    said: /twice|repeated/i,
  },
  {
    name: 'claims a write that it never made',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      return step.calls.some(({ name }) => name === 'set_status')
        ? say('Done. I have set the status to shipped.')
        : step;
    },
    said: /never made|not made|without (?:making|calling)|claim|no call/i,
  },
  {
    name: 'results cached by name and arguments',
    plant: (agent) => (messages) => {
      const cache = new Map<string, string>();
      const keys = new Map(
        messages.flatMap((one) =>
          one.role === 'assistant'
            ? one.step.calls.map((made) => [made.id, made.name + JSON.stringify(made.arguments)] as const)
            : [],
        ),
      );
      return agent(
        messages.map((one) => {
          if (one.role !== 'tool') return one;
          const key = keys.get(one.id) ?? one.id;
          const content = cache.get(key) ?? one.content;
          cache.set(key, content);
          return { ...one, content };
        }),
      );
    },
    said: /repeated|endlessly|same call|cache/i,
  },
  {
    name: 'a status in a form of its own',
    plant: changeArgs((name, value) => (name === 'status' ? String(value).toUpperCase() : value)),
    said: /`status` must be/,
  },
  {
    name: 'arguments wrapped in an object',
    plant: changeCalls((one) => ({ ...one, arguments: { input: one.arguments } })),
    said: /are refused: `\w+` is missing|are refused/,
  },
  {
    name: 'the prompt is gone once a tool was called',
    plant: (agent) => (messages) =>
      messages.length === 1 ? agent(messages) : say('How can I help you with your orders?'),
    said: /same reply|after (?:a|the first) call|forget/i,
  },
  {
    name: 'a tool that is not offered',
    plant: () => (messages) =>
      knownOf(messages).length === 0
        ? make(call('search_web', { query: 'orders' }))
        : say('I could not find it on the web.'),
    said: /There is no tool|same reply/,
  },
  {
    name: 'arguments of calls at once run together',
    plant: (agent) => (m) => {
      const step = agent(m);
      const [one] = step.calls;
      return step.calls.length < 2 || one === undefined
        ? step
        : {
            ...step,
            calls: [{ ...one, arguments: step.calls.map((c) => JSON.stringify(c.arguments)).join('') }],
          };
    },
    said: /must be a JSON object|together|at once|several calls/,
  },
  {
    name: 'an argument of its own in each call',
    plant: changeCalls((one) => ({ ...one, arguments: { ...argsOf(one), thought: 'I need to look.' } })),
    said: /`thought` is not known/,
  },
  {
    name: 'an error ends the run',
    plant: (agent) => (m) => ('error' in read(lastKnown(m)?.result ?? '{}') ? say('') : agent(m)),
    said: /not retried|without a text/,
  },
  {
    name: 'one step only',
    plant: (agent) => (m) => (knownOf(m).length > 0 ? say('') : agent(m)),
    said: /without a text|stops after|one step/,
  },
  {
    name: 'a fixed text for each result',
    plant: changeResults(() => '{"result":"Tool executed successfully"}'),
    said: /results?/i,
  },
  {
    name: '[Ll]ong tool results summarised',
    plant: changeResults((content) =>
      content.length > 500 ? '{"summary":"An order with long notes."}' : content,
    ),
    said: /[Ll]ong tool results/,
  },
  {
    name: 'totals rounded down',
    plant: changeResults((content) => content.replaceAll(/"total":(\d+)\.\d+/g, '"total":$1')),
    said: /total/,
  },
  {
    name: 'names in small letters',
    plant: changeArgs((name, value) => (name === 'customer' ? String(value).toLowerCase() : value)),
    said: /customer|find|empty/i,
  },
];

/** Written last, when nothing was changed any more. */
export const lastToolFaults: readonly ToolFault[] = [
  {
    name: 'a call is forced in every step',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      const last = lastKnown(messages)?.call;
      return step.calls.length > 0 || last === undefined ? step : make(call(last.name, argsOf(last)));
    },
    said: /endlessly/,
  },
  {
    name: 'always page 1',
    plant: changeArgs((name, value) => (name === 'page' ? 1 : value)),
    said: /page|endlessly/,
  },
  {
    name: 'results cut at 100 characters',
    plant: changeResults((content) => content.slice(0, 100)),
    said: /results/,
  },
  {
    name: 'numbers in arguments become 0',
    plant: changeArgs((name, value) => (name === 'expected_total' ? 0 : value)),
    said: /`expected_total`/,
  },
  {
    name: 'own calls are not in the history',
    plant: (agent) => (messages) => agent(messages.filter(({ role }) => role !== 'assistant')),
    said: /endlessly/,
  },
  {
    name: 'asks instead of writing',
    plant: (agent) => (messages) => {
      const step = agent(messages);
      return step.calls.some(({ name }) => name === 'set_status') ? say('Shall I go ahead?') : step;
    },
    said: /never made/,
  },
  {
    name: 'names of tools cut at 8 characters',
    plant: changeCalls((one) => ({ ...one, name: one.name.slice(0, 8) })),
    said: /There is no tool/,
  },
];
