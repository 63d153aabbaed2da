/** The hub's own protocol, `hub`. */
import { readTokenUsage } from '#evals/suite/token-usage.ts';
import type { Protocol } from '../protocol.ts';
import { fieldOf } from '../read-json.ts';

/** For the guides, the API reference and the forms of the site. A test measures the points. */
export const hubProtocol =
  'The hub posts `{prompt, messages}` and expects `{text}`. `messages` is the whole conversation, as `{role, content}`; `prompt` is its last message. An agent that reads only `prompt` loses about 10 of 100 points, because some cases depend on earlier turns.';

export const hub: Protocol = {
  name: 'hub',
  label: 'the hub’s own: {prompt, messages} → {text}',
  about: hubProtocol,
  expected: 'status 200 with JSON {"text": "…"}',
  replyIs: "a reply of the hub's own protocol, with `text`",
  path: null,
  ask: {
    body: ({ messages }) => ({ prompt: messages.at(-1)?.content, messages }),
    read: (value) => {
      const text = fieldOf(value, 'text');
      return typeof text === 'string' ? { text, usage: readTokenUsage(fieldOf(value, 'usage')) } : null;
    },
  },
  tools: null,
};
