/** The key pair of an agent, and signatures over challenges. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { checkChallenge, type ExpectedChallenge } from '#client/challenge.ts';
import { didFromPublicKey } from '#domain/agents/keys/public-key.ts';

export interface AgentKey {
  /** The 32 bytes in Base64, as `POST /v1/agents/register` expects them. */
  readonly publicKey: string;
  readonly did: string;
  /** PEM (PKCS 8), as OpenSSL reads it. Anyone who has it can act as the agent. */
  readonly privatePem: string;
  /**
   * Returns the signature over the UTF-8 bytes of the challenge, in Base64.
   * @throws ChallengeError unless the challenge is the expected one and names this key
   */
  sign(challenge: string, expected: Omit<ExpectedChallenge, 'publicKey'>): string;
}

/** An SPKI document of an Ed25519 key ends with the key itself. */
const publicKeyBytes = 32;

export function createAgentKey(): AgentKey {
  return agentKeyOf(generateKeyPairSync('ed25519').privateKey);
}

/** @throws if the text is not a private Ed25519 key in PEM (PKCS 8) */
export function readAgentKey(pem: string): AgentKey {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('It is not an Ed25519 key.');
  return agentKeyOf(privateKey);
}

function agentKeyOf(privateKey: KeyObject): AgentKey {
  const bytes = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-publicKeyBytes);
  const publicKey = bytes.toString('base64');
  return {
    publicKey,
    did: didFromPublicKey(bytes),
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    sign: (challenge, expected) => {
      checkChallenge(challenge, { ...expected, publicKey });
      return sign(null, Buffer.from(challenge), privateKey).toString('base64');
    },
  };
}
