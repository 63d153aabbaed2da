/** A target without a network. */
import { askTarget } from '#domain/targets/target-call.ts';
import type { ConversationMessage } from '#evals/worlds/world.ts';

interface Asked {
  readonly protocol: string;
  readonly messages: readonly ConversationMessage[];
  /** JSON, sent in turn; the last one again and again. */
  readonly replies?: readonly string[];
  readonly tools?: Parameters<typeof askTarget>[0]['tools'];
  /** The binding of an A2A agent whose card is known. */
  readonly binding?: string;
}

/** Asks a target that sends these replies. @returns what came of it, and the bodies that it was sent */
export async function askInTurn({ replies = ['{}'], binding, ...asked }: Asked) {
  const sent: string[] = [];
  const url = 'https://agent.example/';
  const memory = binding === undefined ? {} : { a2a: { url, binding, version: '1.0', tenant: null } };
  const outcome = await askTarget(
    { url, model: null, headers: {}, timeoutMs: 2_000, idempotencyKey: 'k', memory, ...asked },
    {
      http: { answerTimeoutMs: 2_000 },
      pause: async (ms) => ms,
      send: async ({ body }) => {
        const reply = replies[Math.min(sent.length, replies.length - 1)] ?? '';
        sent.push(String(body));
        const received = { status: 200, headers: {}, body: Buffer.from(reply), latencyMs: 500, address: '' };
        return { ok: true, ...received, attempts: 1 };
      },
    },
  );
  return { outcome, sent };
}
