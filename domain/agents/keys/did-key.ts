/** Derives the `did:key` identity by which an agent is known outside the hub from the key it registered. */
import { base58 } from '@scure/base';
import { publicKeyBytes } from './public-key.ts';

/** The multicodec `ed25519-pub` (0xed) as an unsigned varint. */
const ed25519PublicKeyCodec = [0xed, 0x01] as const;

/** The multibase letter of base58 with the Bitcoin alphabet. */
const base58btc = 'z';

/**
 * Gives the `did:key` of an Ed25519 public key, as the did:key method specification defines it. The same 32 bytes
 * always give the same text.
 *
 * @throws RangeError when the key is not 32 bytes long.
 */
export function didFromPublicKey(publicKey: Uint8Array): string {
  if (publicKey.length !== publicKeyBytes) {
    throw new RangeError(`An Ed25519 public key has ${publicKeyBytes} bytes, not ${publicKey.length}.`);
  }
  return `did:key:${base58btc}${base58.encode(Uint8Array.of(...ed25519PublicKeyCodec, ...publicKey))}`;
}
