/**
 * Agents as people write them with the SDKs of others, each with a mistake that people make with it, and one without.
 * Each takes the body of a call of the hub and returns the body of the response.
 */
import { join } from 'node:path';
import { installed, type Untyped } from './packages.ts';

export interface ForeignHarness {
  readonly name: string;
  readonly protocol: 'openai-chat' | 'hub';
  /** What the first two sentences of the report say. */
  readonly said: RegExp;
  readonly maxPromptTokens?: number;
  /** Of bodies, as Express takes it. */
  readonly limit?: string;
  readonly handle: (body: Untyped) => Promise<object>;
}

const apiKey = 'sk-test';
const noFault = /No rule found a fault/;

/** Proxies with the client of OpenAI, which speak its protocol to the hub, too. */
export async function openaiHarnesses(baseURL: string): Promise<readonly ForeignHarness[]> {
  const OpenAI = (await import(join(await installed('openai', '7.57.0'), 'index.mjs'))).default;
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const ask = ({ messages, tools }: Untyped, more: object = {}) =>
    client.chat.completions.create({ model: 'm-1', messages, ...(tools ? { tools } : {}), ...more });
  const history = new Map<string, Untyped[]>();
  const common = { protocol: 'openai-chat' } as const;
  return [
    { ...common, name: 'no fault', said: noFault, handle: ask },
    {
      ...common,
      name: 'bodies of 100 kB, as Express reads them by default',
      said: /status 413[^]*express\.json/,
      maxPromptTokens: 32_000,
      limit: '100kb',
      handle: ask,
    },
    {
      ...common,
      name: 'a low max_tokens',
      said: /Replies are cut off after about/,
      handle: (body) => ask(body, { max_tokens: 256 }),
    },
    {
      ...common,
      name: 'drops messages until the rest fits 3,000 tokens',
      said: /more than [\d,]+ characters get no reply: status [45]00/,
      handle: (body) => {
        const messages = [...body.messages];
        const tokens = () => messages.reduce((sum, { content }) => sum + (content ?? '').length / 4, 0);
        while (messages.length > 0 && tokens() > 3_000) messages.shift();
        return ask({ ...body, messages });
      },
    },
    {
      ...common,
      name: 'results of tools do not go on to the model',
      said: /endlessly/,
      handle: ({ messages, tools }) =>
        ask({
          tools,
          messages: messages
            .filter(({ role }: Untyped) => role === 'system' || role === 'user' || role === 'assistant')
            .map(({ role, content }: Untyped) => ({ role, content: content ?? '' })),
        }),
    },
    {
      ...common,
      name: 'a history by the first message of a session, which drops equal messages',
      said: /conversation|noted|several messages/i,
      handle: (body) => {
        const key = 'default';
        const known = history.get(key) ?? [];
        const isNew = (one: Untyped) => !known.some(({ content }) => content === one.content);
        const messages = [
          ...known,
          ...body.messages.filter(({ role }: Untyped) => role === 'user').filter(isNew),
        ];
        history.set(key, messages.slice(-20));
        return ask({ ...body, messages });
      },
    },
  ];
}

/** Servers with the AI SDK. */
export async function aiHarnesses(baseURL: string): Promise<readonly ForeignHarness[]> {
  const folder = await installed('ai', '7.0.173', '@ai-sdk/openai@4.0.118');
  const beside = (...path: readonly string[]): Promise<Untyped> =>
    import(join(folder, '..', ...path, 'dist', 'index.js'));
  const { generateText, jsonSchema, tool, wrapLanguageModel } = await beside('ai');
  const { createOpenAI } = await beside('@ai-sdk', 'openai');
  const model = createOpenAI({ baseURL, apiKey }).chat('m-1');
  const cached = new Map<string, Untyped>();
  const caching = wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v3',
      wrapGenerate: async ({ doGenerate, params }: Untyped) => {
        const key = JSON.stringify(params.prompt.at(-1)).slice(0, 120);
        const result = cached.get(key) ?? (await doGenerate());
        cached.set(key, result);
        return result;
      },
    },
  });
  const textWith = (used: Untyped, change: (messages: Untyped[]) => Untyped[]) => async (body: Untyped) => {
    const messages = change(body.messages ?? [{ role: 'user', content: body.prompt }]);
    return { text: (await generateText({ model: used, messages, maxRetries: 0 })).text };
  };
  const common = { protocol: 'hub' } as const;
  return [
    { ...common, name: 'no fault', said: noFault, handle: textWith(model, (messages) => messages) },
    {
      ...common,
      name: 'a cache in a middleware, by the first characters of the prompt',
      said: /same opening get the reply to an earlier one/,
      handle: textWith(caching, (messages) => messages),
    },
    {
      ...common,
      name: 'reads the prompt only',
      said: /only the last message arrives/,
      handle: textWith(model, (messages) => messages.slice(-1)),
    },
    {
      name: 'arguments of calls as a text inside a text',
      protocol: 'openai-chat',
      said: /must be an object/,
      handle: async ({ messages, tools = [] }) => {
        const offered = Object.fromEntries(
          tools.map(({ function: { name, description, parameters } }: Untyped) => [
            name,
            tool({ description, inputSchema: jsonSchema(parameters) }),
          ]),
        );
        const { text, toolCalls } = await generateText({
          model,
          messages: messages.map(modelMessage),
          maxRetries: 0,
          ...(tools.length > 0 ? { tools: offered } : {}),
        });
        const calls = toolCalls.map(({ toolCallId, toolName, input }: Untyped) => ({
          id: toolCallId,
          type: 'function',
          // The mistake: the body is written as JSON once more.
          function: { name: toolName, arguments: JSON.stringify(JSON.stringify(input)) },
        }));
        const message = {
          role: 'assistant',
          content: text,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        };
        return { choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] };
      },
    },
  ];
}

/** Of the protocol, as the AI SDK takes it. */
function modelMessage({ role, content, tool_calls: calls, tool_call_id: id }: Untyped): object {
  if (role === 'tool') {
    const output = { type: 'text', value: content };
    return { role, content: [{ type: 'tool-result', toolCallId: id, toolName: 'any', output }] };
  }
  if (role !== 'assistant' || calls === undefined) return { role, content };
  const parts = calls.map(({ id: toolCallId, function: called }: Untyped) => {
    const input = JSON.parse(called.arguments);
    return {
      type: 'tool-call',
      toolCallId,
      toolName: called.name,
      input: typeof input === 'string' ? JSON.parse(input) : input,
    };
  });
  return { role, content: parts };
}

/** Agents with LangGraph. */
export async function langgraphHarnesses(baseURL: string): Promise<readonly ForeignHarness[]> {
  const folder = await installed(
    '@langchain/langgraph',
    '1.7.3',
    '@langchain/openai@1.6.0',
    '@langchain/core@1.4.0',
  );
  const beside = (...path: readonly string[]): Promise<Untyped> => import(join(folder, '..', ...path));
  const { END, MemorySaver, MessagesAnnotation, START, StateGraph } = await beside(
    'langgraph',
    'dist',
    'index.js',
  );
  const { ChatOpenAI } = await beside('openai', 'dist', 'index.js');
  const { ChatPromptTemplate } = await beside('core', 'dist', 'prompts', 'index.js');
  const { trimMessages } = await beside('core', 'dist', 'messages', 'index.js');
  const model = new ChatOpenAI({ model: 'm-1', apiKey, maxRetries: 0, configuration: { baseURL } });
  const graphOf = (call: (messages: Untyped[]) => Promise<Untyped>, checkpointer?: Untyped) =>
    new StateGraph(MessagesAnnotation)
      .addNode('model', async ({ messages }: Untyped) => ({ messages: [await call(messages)] }))
      .addEdge(START, 'model')
      .addEdge('model', END)
      .compile({ checkpointer });
  const textOf = ({ messages }: Untyped) => ({ text: messages.at(-1).content });
  const all = (body: Untyped) => body.messages ?? [{ role: 'user', content: body.prompt }];
  const plain = graphOf((messages) => model.invoke(messages));
  const remembering = graphOf((messages) => model.invoke(messages), new MemorySaver());
  const trimming = graphOf(async (messages) =>
    model.invoke(
      await trimMessages(messages, {
        maxTokens: 1_500,
        tokenCounter: (counted: Untyped[]) =>
          counted.reduce((sum, { content }) => sum + Math.ceil(content.length / 4), 0),
        strategy: 'last',
        allowPartial: true,
        textSplitter: (text: string) => text.split(/(?<=\n)/),
      }),
    ),
  );
  const common = { protocol: 'hub' } as const;
  return [
    {
      ...common,
      name: 'no fault',
      said: noFault,
      handle: async (body) => textOf(await plain.invoke({ messages: all(body) })),
    },
    {
      ...common,
      name: 'one thread for all conversations',
      said: /knows what was said in another one|mixed/,
      handle: async ({ prompt }) =>
        textOf(
          await remembering.invoke(
            { messages: [{ role: 'user', content: prompt }] },
            { configurable: { thread_id: 'default' } },
          ),
        ),
    },
    {
      ...common,
      name: 'prompts in a template',
      said: /Prompts with braces get no reply/,
      handle: async ({ prompt, messages = [] }) => {
        const template = ChatPromptTemplate.fromMessages([
          ['system', 'You are helpful.'],
          ...messages.slice(0, -1).map(({ role, content }: Untyped) => [role, content]),
          ['user', prompt],
        ]);
        return { text: (await model.invoke(await template.invoke({}))).content };
      },
    },
    {
      ...common,
      name: 'messages trimmed to 1,500 tokens',
      said: /lose their beginning/,
      handle: async (body) => textOf(await trimming.invoke({ messages: all(body) })),
    },
  ];
}
