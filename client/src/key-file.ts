/** Files with the key of an agent: JSON of the clients, or PEM of `hub keygen` and OpenSSL. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AgentKey } from './keys.ts';

export interface StoredKey extends AgentKey {
  readonly handle?: string;
}

/** An SPKI document of an Ed25519 key ends with the key itself. */
const publicKeyBytes = 32;

/** @throws if there is no such file or no key in it */
export function readKeyFile(path: string): StoredKey {
  const text = readFileSync(path, 'utf8');
  if (!text.trimStart().startsWith('-----')) {
    const stored = JSON.parse(text) as Partial<StoredKey>;
    if (typeof stored.publicKey !== 'string' || typeof stored.privateKey !== 'string') {
      throw new Error('it has no `publicKey` and `privateKey`');
    }
    return { ...stored, publicKey: stored.publicKey, privateKey: stored.privateKey };
  }
  const key = createPrivateKey(text);
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-publicKeyBytes);
  const privateKey = key.export({ format: 'der', type: 'pkcs8' });
  return { publicKey: publicKey.toString('base64'), privateKey: privateKey.toString('base64') };
}
