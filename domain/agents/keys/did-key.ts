/** Derives an agent's `did:key` identifier from its public key. */
import { base58 } from '@scure/base';
import { publicKeyBytes } from './public-key.ts';

/** The multicodec `ed25519-pub` (0xed) as an unsigned varint. */
const ed25519PublicKeyCodec = [0xed, 0x01] as const;

/** The multibase prefix for base58 with the Bitcoin alphabet. */
const base58btc = 'z';

/**
 * Returns the `did:key` of an Ed25519 public key, as defined by the did:key method specification.
 *
 * @throws RangeError when the key is not 32 bytes long
 */
export function didFromPublicKey(publicKey: Uint8Array): string {
  if (publicKey.length !== publicKeyBytes) {
    throw new RangeError(`An Ed25519 public key must have ${publicKeyBytes} bytes, not ${publicKey.length}.`);
  }
  return `did:key:${base58btc}${base58.encode(Uint8Array.of(...ed25519PublicKeyCodec, ...publicKey))}`;
}
