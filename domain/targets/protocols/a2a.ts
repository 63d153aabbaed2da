/**
 * A2A 1.0, by JSON-RPC or HTTP+JSON, and 0.3 by JSON-RPC, as the agent's card says. A task that goes on is polled. Every
 * case has a context of its own, which the agent names in its first reply.
 */
import { writeExactJson } from '#evals/own-suite/exact-json.ts';
import { readTokenUsage } from '#evals/token-usage.ts';
import type { GuardedAnswer } from '#runtime/guarded-http/outcome.ts';
import { cardUrlsOf, type CardInterface, readInterfaces } from '../agent-card.ts';
import {
  isBeyondReach,
  type Line,
  type LineRequest,
  type Protocol,
  type TargetCall,
  type TargetFault,
  type TargetOutcome,
} from '../protocol.ts';
import { excerptOf, fieldOf, listOf, parseJson, textIn, textOf } from '../read-json.ts';
import { type Redact, redactorOf } from '../redact-secrets.ts';
import { imagesOf } from '../tool-calls.ts';
import { faultOf, unreadable } from '../target-faults.ts';

const expected = 'an A2A agent card, and a message or a completed task with text parts';
const firstPauseMs = 250;
const longestPauseMs = 5_000;
const pauseGrowth = 1.5;

export const a2a: Protocol = {
  name: 'a2a',
  label: 'A2A',
  about:
    'It reads the card of the agent, whose URL or base address this is, sends the new message, and polls its task.',
  expected,
  replyIs: null,
  path: null,
  ask: async (call, line) => {
    const exchange = new Exchange(call, line);
    const found = call.memory?.a2a ?? (await exchange.findInterface());
    if ('ok' in found) return found;
    if (call.memory !== undefined) call.memory.a2a = found;
    return exchange.converse(found);
  },
};

/** The requests of one call. */
class Exchange {
  readonly #call: TargetCall;
  readonly #line: Line;
  readonly #redact: Redact;
  /** How long the target has taken so far. Waiting for the hub's own limits does not count. */
  #spentMs = 0;

  constructor(call: TargetCall, line: Line) {
    this.#call = call;
    this.#line = line;
    this.#redact = redactorOf(call.headers);
  }

  async findInterface(): Promise<CardInterface | TargetFault> {
    let fault: TargetFault | null = null;
    for (const url of cardUrlsOf(this.#call.url)) {
      const outcome = await this.#send({ url, method: 'GET' });
      if ('code' in outcome) {
        if (outcome.cause.status === null) return fault ?? outcome;
        fault ??= { ...outcome, problem: `The agent card cannot be fetched. ${outcome.problem}` };
        this.#line.note(outcome.problem);
        continue;
      }
      const interfaces = readInterfaces(parseJson(outcome.body), url);
      if (interfaces === null) {
        const problem = 'The response is not an agent card.';
        fault ??= this.#unreadable(outcome, problem);
        this.#line.note(problem);
        continue;
      }
      const fits = interfaces.find(isSpoken);
      if (fits !== undefined) return fits;
      return this.#unreadable(
        outcome,
        'The agent card names no interface of A2A 1.0 with JSONRPC or HTTP+JSON, nor of 0.3 with JSONRPC.',
      );
    }
    return fault ?? this.#timeout();
  }

  async converse(at: CardInterface): Promise<TargetOutcome> {
    let outcome = await this.#send(sendRequest(at, this.#call));
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * pauseGrowth)) {
      if ('code' in outcome) return isBeyondReach(outcome) ? this.#elsewhere(outcome, at) : outcome;
      const read = readResult(at, parseJson(outcome.body));
      if ('problem' in read) return this.#unreadable(outcome, read.problem);
      if ('text' in read) {
        return { ok: true, ...read, status: outcome.status, latencyMs: this.#spentMs };
      }
      if (this.#leftMs() <= pauseMs) return this.#timeout();
      this.#spentMs += await this.#line.pause(pauseMs);
      outcome = await this.#send(taskRequest(at, read.taskId, this.#call));
    }
  }

  #leftMs(): number {
    return (this.#call.timeoutMs ?? 0) - this.#spentMs;
  }

  async #send(request: Omit<LineRequest, 'timeoutMs'>): Promise<GuardedAnswer | TargetFault> {
    const timeoutMs = Math.ceil(this.#leftMs());
    if (timeoutMs <= 0) return this.#timeout();
    const outcome = await this.#line.send({ ...request, timeoutMs });
    if (!outcome.ok) return faultOf(outcome, expected, this.#redact);
    this.#spentMs += outcome.latencyMs;
    return outcome;
  }

  #unreadable(answer: GuardedAnswer, problem: string | undefined): TargetFault {
    return unreadable(answer, expected, this.#redact, problem);
  }

  #elsewhere(fault: TargetFault, { url }: CardInterface): TargetFault {
    const problem = excerptOf(this.#redact(`The agent card sends calls to ${url}. ${fault.problem}`));
    return { ...fault, problem, isElsewhere: true };
  }

  #timeout(): TargetFault {
    const cause = { status: null, connection: 'timeout', excerpt: null, expected } as const;
    return { ok: false, code: 'target_timeout', problem: "The target's task did not end in time.", cause };
  }
}

function isSpoken({ binding, version }: CardInterface): boolean {
  if (version.startsWith('1.')) return binding === 'JSONRPC' || binding === 'HTTP+JSON';
  return /^0\.3(?:\.|$)/.test(version) && binding === 'JSONRPC';
}

function isLegacy({ version }: CardInterface): boolean {
  return version.startsWith('0.');
}

type Request = Omit<LineRequest, 'timeoutMs'>;

function sendRequest(at: CardInterface, call: TargetCall): Request {
  const last = call.messages.at(-1);
  const [asked, images] = last === undefined ? ['', []] : [last.content, imagesOf(last)];
  // The protocol has no place for instructions.
  const text = call.system == null ? asked : `${call.system}\n\n${asked}`;
  const context = (call.contextId ?? null) === null ? {} : { contextId: call.contextId };
  const acceptedOutputModes = ['text/plain', 'application/json'];
  if (isLegacy(at)) {
    const message = {
      kind: 'message',
      messageId: call.idempotencyKey,
      role: 'user',
      parts: [
        { kind: 'text', text },
        ...images.map(({ type, base64 }) => ({ kind: 'file', file: { mimeType: type, bytes: base64 } })),
      ],
      ...context,
    };
    return rpcRequest(at, 'message/send', call, {
      message,
      configuration: { acceptedOutputModes, blocking: true },
    });
  }
  const parts = [{ text }, ...images.map(({ type, base64 }) => ({ raw: base64, mediaType: type }))];
  const message = { messageId: call.idempotencyKey, role: 'ROLE_USER', parts, ...context };
  const params = { message, configuration: { acceptedOutputModes, returnImmediately: false } };
  if (at.binding === 'JSONRPC') return rpcRequest(at, 'SendMessage', call, params);
  return {
    url: restUrl(at, '/message:send'),
    method: 'POST',
    headers: { ...versionHeader, 'content-type': 'application/a2a+json' },
    body: params,
  };
}

function taskRequest(at: CardInterface, id: string, call: TargetCall): Request {
  if (isLegacy(at)) return rpcRequest(at, 'tasks/get', call, { id });
  if (at.binding === 'JSONRPC') return rpcRequest(at, 'GetTask', call, { id });
  return { url: restUrl(at, `/tasks/${encodeURIComponent(id)}`), method: 'GET', headers: versionHeader };
}

const versionHeader = { 'a2a-version': '1.0' };

function rpcRequest(at: CardInterface, method: string, call: TargetCall, params: object): Request {
  const tenant = at.tenant === null ? {} : { tenant: at.tenant };
  return {
    url: at.url,
    method: 'POST',
    headers: isLegacy(at) ? {} : versionHeader,
    body: { jsonrpc: '2.0', id: call.idempotencyKey, method, params: { ...tenant, ...params } },
  };
}

function restUrl({ url, tenant }: CardInterface, path: string): string {
  const parsed = new URL(url);
  const prefix = tenant === null ? '' : `/${encodeURIComponent(tenant)}`;
  parsed.pathname = `${parsed.pathname.replace(/(?<!\/)\/+$/, '')}${prefix}${path}`;
  return parsed.href;
}

type Read =
  | {
      readonly text: string;
      readonly usage: ReturnType<typeof readTokenUsage>;
      readonly contextId: string | null;
    }
  /** The task goes on. */
  | { readonly taskId: string }
  | { readonly problem: string | undefined };

function readResult(at: CardInterface, value: unknown): Read {
  const isRpc = at.binding === 'JSONRPC';
  const error = isRpc ? fieldOf(value, 'error') : null;
  if (typeof error === 'object' && error !== null) {
    return {
      problem: `The target reported an error: ${textOf(fieldOf(error, 'message')) ?? 'without a message'}`,
    };
  }
  const result = isRpc ? fieldOf(value, 'result') : value;
  const message = fieldOf(result, 'message') ?? (fieldOf(result, 'kind') === 'message' ? result : null);
  if (Array.isArray(fieldOf(message, 'parts'))) {
    return readText(textsIn(message), message);
  }
  return readTask(fieldOf(result, 'task') ?? result);
}

function readTask(task: unknown): Read {
  const status = fieldOf(task, 'status');
  const state = textOf(fieldOf(status, 'state'));
  const taskId = textOf(fieldOf(task, 'id'));
  if (state === null || taskId === null) return { problem: undefined };
  const name = state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  const said = textsIn(fieldOf(status, 'message'));
  switch (name) {
    case 'submitted':
    case 'working':
      return { taskId };
    case 'completed': {
      const artifacts = listOf(fieldOf(task, 'artifacts')).flatMap((artifact) => textsIn(artifact) ?? []);
      return readText(artifacts.length > 0 ? artifacts.join('\n') : (said ?? lastSaid(task)), task);
    }
    case 'input-required':
      return {
        problem: withWords('The task needs input (`input-required`), which the hub does not give.', said),
      };
    case 'auth-required':
      return {
        problem: withWords(
          'The task needs credentials (`auth-required`). Send them as `target.headers`.',
          said,
        ),
      };
    default:
      return { problem: withWords(`The task ended as \`${name}\`.`, said) };
  }
}

function readText(text: string | null, reply: unknown): Read {
  return text === null ? { problem: 'The reply has no text.' } : { text, ...aboutReply(reply) };
}

function withWords(problem: string, said: string | null): string {
  return said === null || said === '' ? problem : `${problem} The target says: ${said}`;
}

function aboutReply(reply: unknown) {
  return {
    usage: readTokenUsage(fieldOf(fieldOf(reply, 'metadata'), 'usage')),
    contextId: textOf(fieldOf(reply, 'contextId')),
  };
}

/** The texts of a message or an artifact, data as its JSON; null if it has none of either. */
function textsIn(holder: unknown): string | null {
  const texts = listOf(fieldOf(holder, 'parts')).flatMap((part) => {
    const [text, data] = [fieldOf(part, 'text'), fieldOf(part, 'data') ?? null];
    return typeof text === 'string' ? [text] : data === null ? [] : [writeExactJson(data)];
  });
  return texts.length === 0 ? null : texts.join('');
}

function lastSaid(task: unknown): string | null {
  const agents = listOf(fieldOf(task, 'history')).filter((message) =>
    ['agent', 'ROLE_AGENT'].includes(textIn(message, 'role')),
  );
  return textsIn(agents.at(-1));
}
