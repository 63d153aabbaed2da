/** The receiving side of a push run: serves the agent at a URL that the hub can call. */
import type { AddressInfo } from 'node:net';

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

const bodyMaxBytes = 1024 * 1024;

/** What the hub sends besides the prompt. */
export interface Conversation {
  /** The whole conversation; the last message is the prompt. */
  readonly messages: readonly Message[];
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Responds to `POST {prompt}`, or `{prompt, messages}`, with `{text}`. Some prompts make sense only after the earlier messages. */
export async function serveAgent(
  answer: (prompt: string, conversation: Conversation) => Promise<string> | string,
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
          const { prompt, messages } = readCall(text);
          return answer(prompt, { messages });
        })
        .then((reply) => respond(200, { text: reply }))
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

function readCall(text: string): Conversation & { readonly prompt: string } {
  const body: unknown = JSON.parse(text);
  if (typeof body === 'object' && body !== null && 'prompt' in body && typeof body.prompt === 'string') {
    const { prompt } = body;
    // The hub always sends both.
    const messages = 'messages' in body ? (body.messages as readonly Message[]) : onlyPrompt(prompt);
    return { prompt, messages };
  }
  throw new Error('The body has no `prompt`.');
}

/** The conversation of a case with one turn. */
export function onlyPrompt(prompt: string): readonly Message[] {
  return [{ role: 'user', content: prompt }];
}
