/** A suite whose cases go on while the agent calls tools, and an agent that completes it. */
import type { PlainMessage } from '#domain/targets/tool-calls.ts';
import type { WeekCall } from '#evals/week/week.ts';

const order = (id: string) => ({ id });

export const ordersSuite = {
  suite: 1,
  name: 'orders',
  tools: [
    {
      name: 'get_order',
      parameters: { type: 'object', properties: { id: { type: 'string' } } },
      returns: [
        { error: 'The database is busy. Try again.', times: 1 },
        { when: order('0042'), return: { total: 17.5 } },
        { return: { total: 3 } },
      ],
    },
  ],
  cases: [
    {
      id: 'sum',
      prompt: 'What do the orders 0042 and 0043 cost together?',
      expect: [
        { number: 20.5 },
        {
          tool_calls: ['0042', '0042', '0043'].map((id) => ({ name: 'get_order', arguments: { id } })),
          exact: true,
        },
      ],
    },
  ],
} as const;

/** The calls of the agent, made two at a time. */
export const ordersPlan: readonly WeekCall[] = ['0042', '0042', '0043'].map((id) => ({
  tool: 'get_order',
  args: order(id),
}));

interface OrdersReply {
  readonly text?: string;
  readonly tool_calls?: { readonly id?: string; readonly name: string; readonly arguments: object }[];
}

export const ordersText = 'Together they cost 20.5.';

/** Reads what its calls came to, so that a result that is lost shows. */
export function ordersAgent(messages: readonly PlainMessage[]): OrdersReply {
  const results = messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
  const next = ordersPlan.slice(results.length, results.length + 2);
  if (next.length > 0)
    return { tool_calls: next.map(({ tool, args }) => ({ name: tool, arguments: args as object })) };
  const totals = results.map((result) => Number(/"total":([\d.]+)/.exec(result)?.[1] ?? 0));
  return { text: `Together they cost ${totals.reduce((sum, total) => sum + total, 0)}.` };
}

/** The same agent as a program of `evaluate`, with `--cmd` or `--serve`. */
export const ordersProgram = `
const ordersPlan = ${JSON.stringify(ordersPlan)};
${String(ordersAgent)}
if (process.argv[2] === 'serve') {
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const asked = JSON.parse(line);
    console.log(JSON.stringify({ case_id: asked.case_id, ...ordersAgent(asked.messages) }));
  });
} else {
  const given = require('fs').readFileSync(0, 'utf8');
  // A prompt without tools, such as the practice prompt, is plain.
  const { text, tool_calls } = given.startsWith('{') ? ordersAgent(JSON.parse(given).messages) : { text: 'ready' };
  console.log(text ?? JSON.stringify({ tool_calls }));
}`;
