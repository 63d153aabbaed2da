/** Receives outbound webhooks in tests: HTTP servers on loopback whose responses the test sets. */

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

export interface Receiver {
  readonly url: string;
  /** Received so far, without challenges. */
  readonly received: readonly ReceivedWebhook[];
  readonly challenges: readonly ReceivedWebhook[];
  /** Sets the response to further challenges. */
  echo: (webhook: ReceivedWebhook) => Response;
  /** The response from now on. */
  answer: (webhook: ReceivedWebhook) => Response | Promise<Response>;
  stop(): Promise<void>;
}

export function startReceiver(): Receiver {
  const received: ReceivedWebhook[] = [];
  const challenges: ReceivedWebhook[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const text = await request.text();
      const { type, data } = JSON.parse(text) as ReceivedWebhook;
      const headers = Object.fromEntries(request.headers);
      const webhook = { id: headers['webhook-id'] ?? '', headers, text, type, data, signal: request.signal };
      if (type === 'webhook.challenge') {
        challenges.push(webhook);
        return receiver.echo(webhook);
      }
      received.push(webhook);
      return receiver.answer(webhook);
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/told`,
    received,
    challenges,
    echo: ({ data }) => Response.json(data),
    answer: () => new Response(null, { status: 204 }),
    stop: () => server.stop(true),
  };
  return receiver;
}
