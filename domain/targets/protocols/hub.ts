/** The hub's own protocol, `hub`. */
import type { Protocol } from '../protocol.ts';
import { fieldOf } from '../read-json.ts';
import { imagesOf, listedCalls, plainMessageOf, promptOf } from '../tool-calls.ts';

/** For the guides, the API reference and the forms of the site. */
export const hubProtocol =
  'The hub posts `{prompt}` and expects `{text}`. If a prompt has earlier messages or images, `messages` is the whole conversation, as `{role, content}`, whose last message is the prompt; a message may have `images`, which are data URLs. An agent that reads only `prompt` fails the cases that depend on earlier turns.';

export const hub: Protocol = {
  name: 'hub',
  label: 'the hub’s own: {prompt} → {text}',
  about: hubProtocol,
  expected: 'status 200 with JSON {"text": "…"}',
  replyIs: "a reply of the hub's own protocol, with `text`",
  path: null,
  offersTools: true,
  ask: {
    body: ({ messages, system = null, tools = [] }) => ({
      prompt: promptOf(messages),
      // A prompt may be long, so one without earlier messages is not sent twice.
      ...(messages.length > 1 || messages.some((one) => imagesOf(one).length > 0)
        ? { messages: messages.map(plainMessageOf) }
        : {}),
      ...(system === null ? {} : { system }),
      ...(tools.length === 0 ? {} : { tools }),
    }),
    read: (value) => {
      const [text, given] = [fieldOf(value, 'text') ?? null, listedCalls(value)];
      // A reply that only calls tools needs no text.
      const isOnlyCalls = text === null && given !== null && given.length > 0;
      if (typeof text !== 'string' && !isOnlyCalls) return null;
      const calls = given?.map((call) => ({
        id: fieldOf(call, 'id'),
        name: fieldOf(call, 'name'),
        arguments: fieldOf(call, 'arguments'),
      }));
      return { text, calls: calls ?? null };
    },
  },
};
