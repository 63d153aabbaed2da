/** The registry of the protocols for calling targets. */
import type { Protocol } from './protocol.ts';
import { a2a } from './protocols/a2a.ts';
import { anthropicMessages } from './protocols/anthropic-messages.ts';
import { hub } from './protocols/hub.ts';
import { openaiChat } from './protocols/openai-chat.ts';
import { openaiResponses } from './protocols/openai-responses.ts';

const registry = {
  hub,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  a2a,
} as const satisfies Record<string, Protocol>;

export type ProtocolName = keyof typeof registry;

// The keys of the object are those of its type.
export const protocolNames = Object.keys(registry) as readonly ProtocolName[];
export const protocols: readonly Protocol[] = Object.values(registry);

export function protocolOf(name: string): Protocol {
  const known = protocolNames.find((one) => one === name);
  if (known === undefined) throw new Error(`This version has no protocol ${name}.`);
  return registry[known];
}

/** Of models with tools. The hub's own protocol carries tools, too, but an agent that speaks it seldom reads them. */
export const toolProtocols = protocols.filter(
  ({ name, offersTools }) => offersTools === true && name !== 'hub',
);

/** All protocols, for the API reference. */
export const aboutProtocols = protocols.map(({ name, about }) => `\`${name}\`: ${about}`).join(' ');
