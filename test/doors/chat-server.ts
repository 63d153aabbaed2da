/** A small OpenAI-compatible server: a chat endpoint behind a key. */
import { retell, type Said } from '#test/harness/retell.ts';

export interface ChatServer {
  /** The base URL for clients, and the endpoint under it. */
  readonly baseUrl: string;
  readonly url: string;
  readonly key: string;
  readonly model: string;
  stop(): Promise<void>;
}

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Said[];
}

export function startChatServer(): ChatServer {
  const [key, model] = ['sk-test-1', 'sample-1'];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/v1/chat/completions': {
        POST: async (request) => {
          if (request.headers.get('authorization') !== `Bearer ${key}`) {
            return Response.json({ error: { message: 'Incorrect API key.' } }, { status: 401 });
          }
          const { messages, model: asked } = (await request.json()) as ChatRequest;
          const content = retell(messages);
          return Response.json({
            id: 'chatcmpl-1',
            object: 'chat.completion',
            created: 0,
            model: asked,
            choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
          });
        },
      },
    },
    fetch: () => new Response('Not found', { status: 404 }),
  });
  const baseUrl = `${server.url.origin}/v1`;
  return { baseUrl, url: `${baseUrl}/chat/completions`, key, model, stop: () => server.stop(true) };
}
