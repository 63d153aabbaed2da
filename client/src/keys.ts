/** Ed25519 keys, with the WebCrypto of Node, Bun, Deno and browsers. */

/** Keep it where only the agent can read it. Both parts are base64, so it can be stored as JSON. */
export interface AgentKey {
  /** The raw 32 bytes, as the hub expects them. */
  readonly publicKey: string;
  /** PKCS #8. */
  readonly privateKey: string;
}

export async function createKey(): Promise<AgentKey> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new Error('Ed25519 keys come in pairs.');
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', pair.privateKey);
  return { publicKey: toBase64(new Uint8Array(raw)), privateKey: toBase64(new Uint8Array(pkcs8)) };
}

/** Signs the UTF-8 bytes of any text. Only `challenge.ts` calls it, after it has checked the text. */
export async function signText(key: AgentKey, text: string): Promise<string> {
  const privateKey = await crypto.subtle.importKey('pkcs8', fromBase64(key.privateKey), 'Ed25519', false, [
    'sign',
  ]);
  const signature = await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(text));
  return toBase64(new Uint8Array(signature));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes));
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
}
