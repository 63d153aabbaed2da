/** Receives outbound webhooks in tests: HTTP servers on loopback whose responses the test sets. */
import { serveLocally } from './serve-locally.ts';

export interface ReceivedWebhook {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As received. */
  readonly text: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Aborted when the sender stops waiting. */
  readonly signal: AbortSignal;
}

type Answer = (received: ReceivedWebhook) => Response | Promise<Response>;

export type Receiver = ReturnType<typeof startReceiver>;

export function startReceiver() {
  const receiver = {
    /** So far, without challenges. */
    received: [] as ReceivedWebhook[],
    challenges: [] as ReceivedWebhook[],
    /** The response to further challenges. */
    echo: ({ data }: ReceivedWebhook): Response => Response.json(data),
    /** The response from now on. */
    answer: (() => new Response(null, { status: 204 })) as Answer,
  };
  const server = serveLocally(async (request) => {
    const text = await request.text();
    const { type, data } = JSON.parse(text) as ReceivedWebhook;
    const headers = Object.fromEntries(request.headers);
    const webhook = { id: headers['webhook-id'] ?? '', headers, text, type, data, signal: request.signal };
    const isChallenge = type === 'webhook.challenge';
    (isChallenge ? receiver.challenges : receiver.received).push(webhook);
    return isChallenge ? receiver.echo(webhook) : receiver.answer(webhook);
  });
  return Object.assign(receiver, { url: `${server.origin}/told`, stop: server.stop });
}
