/** Reads the A2A card that an agent names on its profile, and checks its signature. */
import type { CardEndpoint, CardSignature, CardSkill } from '#db/schema/agent-tables.ts';
import { storable } from '#evals/safe-text.ts';
import { jsonIn } from '#runtime/json-in.ts';
import canonicalize from 'canonicalize';
import { DomainError } from '../errors.ts';
import { cardUrlsOf, readInterfaces } from '../targets/agent-card.ts';
import { fieldOf, listOf, textOf } from '../targets/read-json.ts';

/** What the hub keeps of a card. */
export interface CheckedCard {
  readonly url: string;
  readonly name: string;
  readonly skills: readonly CardSkill[];
  readonly interfaces: readonly CardEndpoint[];
  readonly signature: CardSignature;
}

/** @returns the JSON at the URL, or what is wrong */
export type LoadJson = (url: string) => Promise<{ readonly value: unknown } | { readonly problem: string }>;

export const cardUrlLengthMax = 500;
const skillsMax = 50;
const tagsMax = 10;
const interfacesMax = 10;
const signaturesMax = 4;
const wordMax = 100;

/**
 * @param given the URL of a card, or the base address of its agent
 * @throws DomainError invalid_body
 */
export async function checkAgentCard(given: string, load: LoadJson): Promise<CheckedCard> {
  let problem = 'It is not an http(s) URL.';
  for (const url of cardUrlsOf(given)) {
    const loaded = await load(url);
    if ('problem' in loaded) {
      problem = loaded.problem;
      continue;
    }
    const interfaces = readInterfaces(loaded.value, url);
    const name = wordOf(fieldOf(loaded.value, 'name'));
    if (interfaces === null || name === null) {
      problem = `The document at ${url} is not an agent card.`;
      continue;
    }
    return {
      url,
      name,
      skills: readSkills(loaded.value),
      interfaces: interfaces.slice(0, interfacesMax).map(({ url: at, binding, version }) => ({
        url: cut(at, cardUrlLengthMax),
        binding: cut(binding),
        version: cut(version),
      })),
      signature: await readSignature(loaded.value, url, load),
    };
  }
  throw new DomainError('invalid_body', `\`agent_card_url\` cannot be used. ${problem}`, {
    hint: 'Send the URL of an A2A agent card, or the base address below which it is at /.well-known/agent-card.json. Null removes it.',
  });
}

/** The words by which an agent with the card is found. */
export function skillWordsOf({ skills }: Pick<CheckedCard, 'skills'>): readonly string[] {
  return skills.flatMap(({ id, name, tags }) => [id, name, ...tags]).map(skillWordOf);
}

/** A skill is searched as one word, without what stands between the words of its name. */
export function skillWordOf(skill: string): string {
  return skill.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '');
}

function readSkills(card: unknown): readonly CardSkill[] {
  return listOf(fieldOf(card, 'skills'))
    .slice(0, skillsMax)
    .flatMap((skill) => {
      const id = wordOf(fieldOf(skill, 'id'));
      const tags = listOf(fieldOf(skill, 'tags'))
        .slice(0, tagsMax)
        .flatMap((tag) => wordOf(tag) ?? []);
      return id === null ? [] : [{ id, name: wordOf(fieldOf(skill, 'name')) ?? id, tags }];
    });
}

function wordOf(value: unknown): string | null {
  const text = textOf(value)?.trim() ?? '';
  return text === '' ? null : cut(text);
}

function cut(text: string, max = wordMax): string {
  return storable(text.slice(0, max));
}

/** Keys come only from the origin of the card. One good signature is enough. */
async function readSignature(card: unknown, cardUrl: string, load: LoadJson): Promise<CardSignature> {
  const signatures = listOf(fieldOf(card, 'signatures')).slice(0, signaturesMax);
  if (signatures.length === 0) return 'none';
  let found: CardSignature = 'unchecked';
  for (const signature of signatures) {
    const protectedText = textOf(fieldOf(signature, 'protected'));
    const header = jsonIn(Buffer.from(protectedText ?? '', 'base64url').toString('utf8'));
    const keysUrl = URL.parse(textOf(fieldOf(header, 'jku')) ?? '');
    if (protectedText === null || typeof header !== 'object' || header === null) {
      found = 'invalid';
      continue;
    }
    if (keysUrl === null || keysUrl.origin !== URL.parse(cardUrl)?.origin) continue;
    const keys = await load(keysUrl.href);
    const key = 'problem' in keys ? undefined : keyIn(keys.value, textOf(fieldOf(header, 'kid')));
    if (key === undefined) continue;
    const value = textOf(fieldOf(signature, 'signature')) ?? '';
    if (await isSigned(card, { protectedText, value, header, key })) return 'valid';
    found = 'invalid';
  }
  return found;
}

function keyIn(keySet: unknown, kid: string | null): unknown {
  const keys = listOf(fieldOf(keySet, 'keys'));
  return keys.find((key) => kid !== null && fieldOf(key, 'kid') === kid);
}

const algorithms = {
  ES256: [
    { name: 'ECDSA', namedCurve: 'P-256' },
    { name: 'ECDSA', hash: 'SHA-256' },
  ],
  EdDSA: [{ name: 'Ed25519' }, { name: 'Ed25519' }],
  RS256: [{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, { name: 'RSASSA-PKCS1-v1_5' }],
} as const;

interface Signed {
  readonly protectedText: string;
  readonly value: string;
  readonly header: unknown;
  readonly key: unknown;
}

/** A JWS over the canonical card (RFC 7515, RFC 8785), without its signatures. */
async function isSigned(card: unknown, { protectedText, value, header, key }: Signed): Promise<boolean> {
  const name = Object.keys(algorithms).find((one) => one === fieldOf(header, 'alg'));
  if (name === undefined) return false;
  // The name is a key of the object.
  const [importing, verifying] = algorithms[name as keyof typeof algorithms];
  try {
    // WebCrypto rejects what is not a key of that kind.
    const publicKey = await crypto.subtle.importKey('jwk', key as JsonWebKey, importing, false, ['verify']);
    for (const payload of payloadsOf(card)) {
      const signed = new TextEncoder().encode(
        `${protectedText}.${Buffer.from(payload).toString('base64url')}`,
      );
      if (await crypto.subtle.verify(verifying, publicKey, Buffer.from(value, 'base64url'), signed))
        return true;
    }
  } catch {
    // Not a key, or not a signature of its length.
  }
  return false;
}

/** The specification leaves out fields with default values; some signers keep them. */
function payloadsOf(card: unknown): readonly string[] {
  const { signatures: _, ...plain } = card as Readonly<Record<string, unknown>>;
  return [withoutDefaults(plain), plain].map((payload) => canonicalize(payload) ?? '');
}

function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => !isDefault(field))
      .map(([name, field]) => [name, withoutDefaults(field)]),
  );
}

function isDefault(field: unknown): boolean {
  if (Array.isArray(field)) return field.length === 0;
  return field === '' || field === false || field === 0 || field === null;
}
