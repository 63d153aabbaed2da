/** The receiving side of a push run: serves the agent at a URL that the hub can call. */
import type { AddressInfo } from 'node:net';
import { type Reply, replyFields } from './reply-fields.ts';

export interface ServeAgentOptions {
  /** 0 lets the system choose. */
  readonly port?: number;
  readonly hostname?: string;
}

export interface ServedAgent {
  readonly url: string;
  /** Waits for answers in progress. */
  close(): Promise<void>;
}

/** A case has images of up to 5 MiB. */
const bodyMaxBytes = 8 * 1024 * 1024;

/** What the hub sends besides the prompt. */
export interface Conversation {
  /** The whole conversation, with what the agent has said and what came of its calls. */
  readonly messages: readonly Message[];
  /** Instructions for the whole conversation. */
  readonly system?: string;
  /** Tools that the agent may call. */
  readonly tools?: readonly Tool[];
}

export type Message =
  | {
      readonly role: 'user';
      readonly content: string;
      /** Data URLs. */
      readonly images?: readonly string[];
    }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: object;
}

export interface ToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments?: unknown;
}

/**
 * Responds to `POST {prompt}`, perhaps with `messages`, `system` and `tools`, with `{text}`. Some prompts make sense only
 * after the earlier messages.
 */
export async function serveAgent(
  answer: (prompt: string, conversation: Conversation) => Promise<string | Reply> | string | Reply,
  { port = 0, hostname = '127.0.0.1' }: ServeAgentOptions = {},
): Promise<ServedAgent> {
  const { createServer } = await import('node:http');
  let answering = 0;
  let isClosing = false;
  // Deno keeps connections open that a client would use again.
  const closeIfDone = (): void => {
    if (isClosing && answering === 0) server.closeAllConnections();
  };
  const server = createServer((request, response) => {
    answering += 1;
    response.once('close', () => {
      answering -= 1;
      closeIfDone();
    });
    const respond = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > bodyMaxBytes) request.destroy();
    });
    request.on('end', () => {
      Promise.resolve()
        .then(() => {
          const { prompt, ...conversation } = readCall(text);
          return answer(prompt, conversation);
        })
        .then((reply) => respond(200, replyFields(reply)))
        .catch((error: unknown) => respond(500, { error: String(error) }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, resolve);
  });
  const address = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://${hostname}:${address.port}/`,
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        server.close(() => resolve());
        closeIfDone();
      }),
  };
}

type HubCall = Partial<Conversation> & { readonly prompt: string };

function readCall(text: string): Conversation & { readonly prompt: string } {
  const body: unknown = JSON.parse(text);
  if (typeof body === 'object' && body !== null && 'prompt' in body && typeof body.prompt === 'string') {
    // The hub sends this form.
    const { prompt, messages = onlyPrompt(body.prompt), system, tools } = body as HubCall;
    return {
      prompt,
      messages,
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
    };
  }
  throw new Error('The body has no `prompt`.');
}

/** The conversation of a case with one step. */
export function onlyPrompt(prompt: string): readonly Message[] {
  return [{ role: 'user', content: prompt }];
}
