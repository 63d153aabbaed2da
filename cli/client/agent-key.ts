/** The key pair of an agent, and signatures over challenges. */
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
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
  const { privateKey } = generateKeyPairSync('ed25519');
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
