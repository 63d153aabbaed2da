/** Reads agent cards of A2A 1.0 and 0.3: which interfaces and skills they name. */
import type { CardEndpoint } from '#db/schema/agent-tables.ts';
import { fieldOf, listOf, textOf } from './read-json.ts';

const wellKnownPath = '/.well-known/agent-card.json';

/** Where the card of an agent may be, if the URL is its base address or already that of the card. */
export function cardUrlsOf(url: string): readonly string[] {
  const parsed = URL.parse(url);
  if (parsed === null) return [];
  if (parsed.pathname.endsWith('.json')) return [parsed.href];
  const below = new URL(parsed.href);
  below.pathname = `${parsed.pathname.replace(/(?<!\/)\/+$/, '')}${wellKnownPath}`;
  return [...new Set([below.href, `${parsed.origin}${wellKnownPath}`])];
}

export interface CardInterface extends CardEndpoint {
  readonly tenant: string | null;
}

/** A card with more is read only so far. */
const interfacesMax = 20;

/** @returns null if the value is not an agent card */
export function readInterfaces(card: unknown, cardUrl: string): readonly CardInterface[] | null {
  if (textOf(fieldOf(card, 'name')) === null) return null;
  const given = Array.isArray(fieldOf(card, 'supportedInterfaces'))
    ? listOf(fieldOf(card, 'supportedInterfaces')).map(fromCurrent)
    : fromLegacy(card);
  if (given === null) return null;
  return given.slice(0, interfacesMax).flatMap(({ url, ...rest }) => {
    const parsed = url === null ? null : URL.parse(url, cardUrl);
    return parsed === null ? [] : [{ url: parsed.href, ...rest }];
  });
}

type GivenInterface = Omit<CardInterface, 'url'> & { readonly url: string | null };

function fromCurrent(given: unknown): GivenInterface {
  return {
    url: textOf(fieldOf(given, 'url')),
    binding: textOf(fieldOf(given, 'protocolBinding')) ?? '',
    version: textOf(fieldOf(given, 'protocolVersion')) ?? '1.0',
    tenant: textOf(fieldOf(given, 'tenant')),
  };
}

/** A card of 0.3 has one preferred interface and others. */
function fromLegacy(card: unknown): readonly GivenInterface[] | null {
  const url = textOf(fieldOf(card, 'url'));
  if (url === null) return null;
  const version = textOf(fieldOf(card, 'protocolVersion')) ?? '0.3';
  const preferred = textOf(fieldOf(card, 'preferredTransport')) ?? 'JSONRPC';
  const others = listOf(fieldOf(card, 'additionalInterfaces')).map((other) => ({
    url: textOf(fieldOf(other, 'url')),
    binding: textOf(fieldOf(other, 'transport')) ?? '',
    version,
    tenant: null,
  }));
  return [{ url, binding: preferred, version, tenant: null }, ...others];
}
