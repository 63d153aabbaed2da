/** An agent that does what the health check asks, by reading the messages that reach it as a program would. */

export interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A call of an agent. */
export interface Call {
  readonly messages: readonly Said[];
  /** The messages of all calls that are under way, this one included. */
  readonly atOnce: readonly (readonly Said[])[];
}

/** What comes back: a text, or a failure of the call. */
export type Returned = string | { readonly code: string; readonly status: number | null };

export type Agent = (call: Call) => Returned;

export const healthyAgent: Agent = ({ messages }) => healthyReply(messages);

export function healthyReply(messages: readonly Said[]): string {
  const last = messages.at(-1)?.content ?? '';
  for (const [pattern, solve] of solvers) {
    const match = pattern.exec(last);
    if (match !== null) return solve(match, messages);
  }
  return 'I do not know what to do.';
}

type Solver = (match: RegExpExecArray, messages: readonly Said[]) => string;

const solvers: readonly (readonly [RegExp, Solver])[] = [
  [/Reply with this one word and nothing else: (\S+)/i, ([, word = '']) => word],
  // To a model, white space is white space, and what follows the second line of dashes is no part of the text.
  [
    /^Copy the text between[^]*?(?:\s|\\n)-----(?:\s|\\n)([^]*?)(?:(?:\s|\\n)-----|$)/i,
    ([, text = '']) => text,
  ],
  [
    /The log below has \d+ lines/i,
    // The question itself speaks of "Mark: word".
    ({ input }) => answer([...input.matchAll(/Mark: (?!word)(\w+)/gi)].map(([, word = '']) => word)),
  ],
  [
    /Which names stand in the lines ([\d, ]+)\?/i,
    ([, numbers = ''], messages) => answer(namesOf(numbers, messages)),
  ],
  [/The (?:first|next word) is (\w+)\. Reply with that word only/i, ([, word = '']) => word],
  [
    /^Now list all/i,
    (_, messages) =>
      answer(messages.flatMap(({ content }) => /(?:first|next word) is (\w+)\./i.exec(content)?.[1] ?? [])),
  ],
  [/^Reply with one JSON object/i, ({ input }) => JSON.stringify(recordOf(input))],
  [
    /^Write these \d+ entries again[^]*repeat: (.*)/i,
    ([, all = '']) =>
      all
        .split(', ')
        .map((item) => `- ${item}`)
        .join('\n'),
  ],
  [
    /capital of (\w+)/i,
    ([, country = '']) =>
      ({ france: 'Paris', japan: 'Tokyo', italy: 'Rome', egypt: 'Cairo' })[country.toLowerCase()] ??
      'UNKNOWN',
  ],
  [/if you cannot know it|if the papers do not settle it/i, () => 'UNKNOWN'],
  [/You reply to visitors of a shop/i, () => 'I cannot share that code.'],
  [/The (\w+) are sold out/i, ([, item = '']) => item],
  [/kill a process|shoot a screen|blow up a picture/i, () => 'kill, QuickTime or transform'],
  [/Reply with "?noted/i, () => 'noted'],
  [
    /^How many \w+ are in the order/i,
    (_, messages) =>
      messages.flatMap(({ content }) => /order (?:of|is for) (\d+)/.exec(content)?.[1] ?? []).at(-1) ??
      'UNKNOWN',
  ],
  [
    /^Today is (\d+) May (\d+)\. An order arrives (\d+) days/i,
    ([, day = '', year = '', days = '']) =>
      `${year}-05-${String(Number(day) + Number(days)).padStart(2, '0')}`,
  ],
  [/^Delivery fees of a shop/i, ({ input }) => `ANSWER: ${feeOf(input)}`],
  [
    /^Hello, (\w+) here.*please send (\d+) (\w+) instead\. They go to (\w+), not to me, on (\d+) March/i,
    orderOf,
  ],
  [
    /exactly (\d+) words.*use the word "?(\w+)/i,
    ([, count = '', word = '']) =>
      ['the', word, 'is', ...Array.from({ length: Number(count) - 3 }, () => 'plain')].join(' '),
  ],
  [
    /^(\w+) holds (\d+) keys more than (\w+)\.[^]*(?:\s|\\n)\3 holds (\d+) keys\./i,
    ([, , more = '', , keys = '']) => `ANSWER: ${Number(more) + Number(keys)}`,
  ],
];

function answer(items: readonly string[]): string {
  return `ANSWER: ${items.join(', ')}`;
}

function namesOf(numbers: string, messages: readonly Said[]): readonly string[] {
  const text = messages.at(-1)?.content ?? '';
  return numbers
    .split(', ')
    .flatMap((number) => new RegExp(`(?:\\s|\\\\n)${number} (\\w+) `).exec(text)?.[1] ?? []);
}

function recordOf(prompt: string): object {
  const field = (name: string) => new RegExp(`${name}(?: \\([^)]*\\))?: ([^;\\n]*)`).exec(prompt)?.[1] ?? '';
  return {
    code: field('code'),
    name: field('name'),
    count: Number(field('count')),
    price: Number(field('price')),
    paid: field('paid') === 'yes',
    note: null,
    tags: field('tags').split(', '),
    empty: [],
    when: field('when'),
  };
}

function feeOf(prompt: string): number {
  const [, price, kilograms] = /costs (\d+) and weighs (\d+) kg/.exec(prompt) ?? [];
  const base = Number(kilograms) > 20 ? 12 : Number(price) > 50 ? 0 : 6;
  return base / (prompt.includes('is a member') ? 2 : 1) + (prompt.includes('goes to an island') ? 4 : 0);
}

function orderOf([, customer, quantity, item, deliver, day]: RegExpExecArray): string {
  return JSON.stringify({
    customer,
    item,
    quantity: Number(quantity),
    deliver_to: deliver,
    date: `2031-03-${day}`,
  });
}
