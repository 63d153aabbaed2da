/** Targets that fail in different ways, and the message for their owner. */
import type { FailureCause } from '#db/schema/run-tables.ts';
import type { TargetFaultCode } from '#domain/targets/protocol.ts';
import { makeTestAuthority } from '#test/harness/certificates.ts';

export interface FailingTarget {
  readonly name: string;
  readonly code: TargetFaultCode;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  readonly cause: Omit<FailureCause, 'expected'>;
  /** Not called: the URL leads nowhere. */
  readonly url?: string;
  readonly reply?: () => Response | Promise<Response>;
  readonly isHttps?: boolean;
}

const html = '<!doctype html><title>Hello</title>';
const event = 'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n';
const chat = { choices: [{ message: { content: 'Hello' } }] };
const nothing = { status: null, connection: null, excerpt: null };
const received = (status: number, excerpt: string | null) => ({ status, connection: null, excerpt });
const sse = { headers: { 'content-type': 'text/event-stream' } };

const unreachable = (connection: 'dns' | 'refused' | 'tls') =>
  ({ code: 'target_unreachable', cause: { ...nothing, connection } }) as const;
const unreadable = (excerpt: string | null) =>
  ({ code: 'target_bad_response', cause: received(200, excerpt) }) as const;
const badStatus = (status: number, body: string): FailingTarget => ({
  name: `status ${status}`,
  reply: () => new Response(body, { status }),
  code: 'target_bad_status',
  problem: `The target responded with status ${status}.`,
  cause: received(status, body),
});

/** Failures of both products. */
export const failingTargets: readonly FailingTarget[] = [
  {
    name: 'a name without an address',
    url: 'http://agent.example/',
    problem: "The target's host name does not resolve.",
    ...unreachable('dns'),
  },
  {
    name: 'a port on which nobody listens',
    url: 'http://127.0.0.1:1/',
    problem: 'The target refused the connection.',
    ...unreachable('refused'),
  },
  {
    name: 'a certificate that nobody trusts',
    isHttps: true,
    problem: "The target's certificate cannot be verified, or the port does not serve TLS.",
    ...unreachable('tls'),
  },
  {
    name: 'no reply in time',
    reply: () => Promise.withResolvers<Response>().promise,
    code: 'target_timeout',
    problem: 'The target did not respond in time.',
    cause: { ...nothing, connection: 'timeout' },
  },
  {
    name: 'an event stream that stays open',
    reply: () => new Response(endlessStream(), sse),
    code: 'target_timeout',
    problem: "The target's reply began but was not complete in time. Respond without streaming.",
    cause: { status: 200, connection: 'timeout', excerpt: event.trim() },
  },
  badStatus(404, 'No such path'),
  badStatus(500, 'Out of order'),
  {
    name: 'a web page',
    reply: () => new Response(html, { headers: { 'content-type': 'text/html' } }),
    problem: 'The reply is an HTML page.',
    ...unreadable(html),
  },
  {
    name: 'an event stream',
    reply: () => new Response(event, sse),
    problem: 'The reply is an event stream. Respond with one JSON object, without streaming.',
    ...unreadable(event),
  },
  {
    name: 'an empty body',
    reply: () => new Response(''),
    problem: 'The reply has an empty body.',
    ...unreadable(''),
  },
  {
    name: 'a compressed reply',
    reply: () => new Response(Bun.gzipSync('{"text":"Hello"}'), { headers: { 'content-encoding': 'gzip' } }),
    problem:
      'The reply is compressed, although the request has `accept-encoding: identity`. Send it plain, without `content-encoding`.',
    ...unreadable(null),
  },
  {
    name: 'a body over 256 KiB',
    reply: () => new Response('x'.repeat(300_000)),
    code: 'target_too_large',
    problem: "The target's reply is larger than 256 KiB.",
    cause: received(200, 'x'.repeat(500)),
  },
];

/** Replies in the form of the other protocol. */
export const mistakenForms: Readonly<Record<'eval-run' | 'agent-run', FailingTarget>> = {
  'eval-run': {
    name: 'an OpenAI-style reply to a call of the hub protocol',
    reply: () => Response.json(chat),
    problem: 'The reply is an OpenAI-style chat completion. Redeem with `target.protocol` `openai-chat`.',
    ...unreadable(JSON.stringify(chat)),
  },
  'agent-run': {
    name: 'a reply of the hub protocol to an OpenAI-style call',
    reply: () => Response.json({ text: 'Hello' }),
    problem:
      "The reply is a reply of the hub's own protocol, with `text`. The call offers tools, so reply as `openai-chat` does.",
    ...unreadable('{"text":"Hello"}'),
  },
};

function endlessStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(event)) });
}

/** Serves the target, if it has a reply or a certificate. */
export function startFailingTarget({ url, reply, isHttps = false }: FailingTarget): {
  readonly url: string;
  stop(): Promise<void>;
} {
  if (url !== undefined) return { url, stop: async () => undefined };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...(isHttps ? { tls: makeTestAuthority().issue('IP:127.0.0.1') } : {}),
    fetch: reply ?? (() => new Response('never sent')),
  });
  return { url: server.url.href, stop: () => server.stop(true) };
}
