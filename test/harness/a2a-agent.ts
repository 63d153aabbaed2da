/**
 * A stand-in for an A2A agent, written from the specifications of 1.0 and 0.3. `foreign.test.ts` has the official
 * server. It refuses what they refuse: other methods, a missing version, a message with an unknown context or the id of
 * a task that has ended.
 */
import { retell } from './retell.ts';
import { serveLocally } from './serve-locally.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the agent checks what it reads
type Json = Record<string, any>;

export interface A2aOptions {
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  readonly version?: '1.0' | '0.3.0';
  /** How often a task is `working` before it ends; a direct message if left out. */
  readonly polls?: number;
  /** One message in this many makes such a task; by default each does. */
  readonly taskEvery?: number;
  /** The state in which tasks end. */
  readonly endState?: string;
  /** Of another server, where the interface of the card is. */
  readonly interfaceOrigin?: string;
  readonly cardPath?: string;
}

/** Of each reply. */
export const a2aUsage = { input_tokens: 4, output_tokens: 1 };

export function startA2aAgent(options: A2aOptions = {}) {
  const { binding = 'JSONRPC', version = '1.0', endState = 'completed', interfaceOrigin } = options;
  const { cardPath = '/.well-known/agent-card.json', polls, taskEvery = 1 } = options;
  const isLegacy = version !== '1.0';
  const requests: { path: string; headers: Headers; body: Json | null }[] = [];
  const contexts = new Map<string, { role: 'user' | 'assistant'; content: string }[]>();
  let said = 0;
  const tasks = new Map<string, { contextId: string; text: string; left: number }>();

  const stateOf = (name: string) =>
    isLegacy ? name : `TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`;
  const textPart = (text: string) => (isLegacy ? { kind: 'text', text } : { text });
  const messageOf = (text: string, contextId: string) => ({
    ...(isLegacy ? { kind: 'message' } : {}),
    role: isLegacy ? 'agent' : 'ROLE_AGENT',
    messageId: crypto.randomUUID(),
    contextId,
    parts: [textPart(text)],
    metadata: { usage: a2aUsage },
  });

  function showTask(id: string): Json {
    const { contextId, text, left } = tasks.get(id)!;
    const state = stateOf(left > 0 ? 'working' : endState);
    const artifacts = [{ artifactId: 'a', parts: [textPart(text.slice(0, 3)), textPart(text.slice(3))] }];
    return {
      ...(isLegacy ? { kind: 'task' } : {}),
      id,
      contextId,
      status: { state, message: messageOf('About the task', contextId) },
      ...(left === 0 && endState === 'completed' ? { artifacts, metadata: { usage: a2aUsage } } : {}),
    };
  }

  function send({ message }: Json): Json {
    if (message.role !== (isLegacy ? 'user' : 'ROLE_USER')) throw new Error('Bad role');
    if (isLegacy && (message.kind !== 'message' || message.parts[0].kind !== 'text'))
      throw new Error('Bad kind');
    if (message.taskId !== undefined) throw new Error('The task has ended');
    const contextId: string = message.contextId ?? crypto.randomUUID();
    if (message.contextId !== undefined && !contexts.has(contextId)) throw new Error('Unknown context');
    const talk = contexts.get(contextId) ?? [];
    contexts.set(contextId, talk);
    talk.push({ role: 'user', content: message.parts[0].text });
    const text = retell(talk);
    talk.push({ role: 'assistant', content: text });
    said += 1;
    if (polls === undefined || said % taskEvery !== 0) {
      const reply = messageOf(text, contextId);
      return isLegacy ? reply : { message: reply };
    }
    const id = crypto.randomUUID();
    tasks.set(id, { contextId, text, left: polls });
    return isLegacy ? showTask(id) : { task: showTask(id) };
  }

  function poll(id: string): Json {
    const task = tasks.get(id)!;
    task.left = Math.max(0, task.left - 1);
    return showTask(id);
  }

  function callRpc({ method, params, id }: Json): Response {
    const methods: Record<string, () => Json> = isLegacy
      ? { 'message/send': () => send(params), 'tasks/get': () => poll(params.id) }
      : { SendMessage: () => send(params), GetTask: () => poll(params.id) };
    const run = methods[method];
    const refuse = (code: number, message: string) =>
      Response.json({ jsonrpc: '2.0', id, error: { code, message } });
    if (run === undefined) return refuse(-32601, 'No method');
    try {
      return Response.json({ jsonrpc: '2.0', id, result: run() });
    } catch (error) {
      return refuse(-32602, (error as Error).message);
    }
  }

  const server = serveLocally(async (request) => {
    const { origin, pathname: path } = new URL(request.url);
    const body = request.method === 'POST' ? ((await request.json()) as Json) : null;
    requests.push({ path, headers: request.headers, body });
    if (path === cardPath) return Response.json(cardAt(interfaceOrigin ?? origin));
    const isCall = /^\/(?:rpc|rest)/.test(path);
    if (!isLegacy && isCall && request.headers.get('a2a-version') !== '1.0')
      return new Response('Version not supported', { status: 400 });
    if (binding === 'JSONRPC' && path === '/rpc' && body !== null) return callRpc(body);
    if (binding === 'HTTP+JSON' && path === '/rest/message:send' && body !== null)
      return Response.json(send(body));
    const [, task] = /^\/rest\/tasks\/(.+)$/.exec(path) ?? [];
    if (binding === 'HTTP+JSON' && task !== undefined) return Response.json(poll(task));
    return new Response('Not found', { status: 404 });
  });

  function cardAt(origin: string): Json {
    const url = `${origin}${binding === 'JSONRPC' ? '/rpc' : '/rest'}`;
    const about = {
      name: 'Template agent',
      description: 'Answers by rules.',
      version: '1.0.0',
      capabilities: {},
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'rules', name: 'Rules', description: 'Answers by rules.', tags: ['rules', 'suite'] }],
    };
    if (isLegacy) return { ...about, protocolVersion: version, url, preferredTransport: 'JSONRPC' };
    const grpc = { url: 'grpc://agent.example', protocolBinding: 'GRPC', protocolVersion: '1.0' };
    const own = { url, protocolBinding: binding, protocolVersion: '1.0' };
    return { ...about, supportedInterfaces: [grpc, own] };
  }

  return { ...server, requests };
}
