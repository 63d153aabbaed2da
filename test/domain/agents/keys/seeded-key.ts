/**
 * Keys and signatures from the runtime's own Ed25519, which shares no code with the verifier under test. The
 * caller passes the seed, so that a failing random test can be replayed.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** The DER header of a PKCS #8 Ed25519 private key (RFC 8410, section 7); the 32-byte seed follows it. */
const pkcs8Header = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SeededKey {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

export function seededKey(seed: Uint8Array): SeededKey {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Header, seed]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return {
    publicKey: new Uint8Array(Buffer.from(x!, 'base64url')),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}
