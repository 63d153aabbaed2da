/** An agent's side of signing up: a key pair, and signatures over challenges. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { didFromPublicKey } from '#domain/agents/keys/did-key.ts';

export interface AgentKey {
  /** Base64 of the 32 bytes, as `POST /v1/agents/register` takes it. */
  readonly publicKey: string;
  readonly did: string;
  /** Base64 of the signature over the UTF-8 bytes of the challenge. */
  sign(challenge: string): string;
}

/** An SPKI document of an Ed25519 key ends with the key itself. */
const publicKeyBytes = 32;

export function createAgentKey(): AgentKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-publicKeyBytes);
  return {
    publicKey: bytes.toString('base64'),
    did: didFromPublicKey(bytes),
    sign: (challenge) => sign(null, Buffer.from(challenge), privateKey).toString('base64'),
  };
}
