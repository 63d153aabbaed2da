/** What the command line makes of a key of the client: the identity of its agent, and a file as OpenSSL reads it. */
import { createPrivateKey } from 'node:crypto';
import type { AgentKey } from '#client/keys.ts';
import { didFromPublicKey } from '#domain/agents/keys/public-key.ts';

export function didOf({ publicKey }: Pick<AgentKey, 'publicKey'>): string {
  return didFromPublicKey(Buffer.from(publicKey, 'base64'));
}

/** PKCS #8 in PEM. Anyone who has it can act as the agent. */
export function pemOf({ privateKey }: AgentKey): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return key.export({ format: 'pem', type: 'pkcs8' });
}
