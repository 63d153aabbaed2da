/** Files with the key of an agent: JSON of the clients, or PEM of `hub keygen` and OpenSSL. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { ChallengeError } from './challenge.ts';
import { Hub } from './hub.ts';
import { HubError } from './hub-error.ts';
import { type AgentKey, createKey } from './keys.ts';
import type { KeyFile } from './mcp-bridge.ts';

/** A file that cannot be used. The message names it, the rule and the way out. */
export class KeyFileFault extends Error {
  override readonly name = 'KeyFileFault';
}

interface StoredKey extends AgentKey {
  readonly handle?: string;
}

/** An SPKI document of an Ed25519 key ends with the key itself. */
const publicKeyBytes = 32;

/**
 * Reads the key of an agent. If there is no such file, creates a key and signs up an agent with the handle.
 * @throws KeyFileFault; HubError or ChallengeError if the sign-up is refused
 */
export async function openKeyFile(hub: string, path: string, name: string | undefined): Promise<KeyFile> {
  if (existsSync(path)) {
    const { handle = name, ...key } = readKeyFile(path);
    if (handle !== undefined && name !== undefined && handle !== name) {
      throw new KeyFileFault(
        `${path} of --key is the key of ${handle}, and --handle says ${name}. Name another file, or leave out --handle.`,
      );
    }
    if (handle !== undefined) return { ...key, handle };
    throw new KeyFileFault(`${path} of --key names no handle. Add --handle NAME.`);
  }
  if (name === undefined) {
    throw new KeyFileFault(`${path} of --key does not exist. Add --handle NAME to sign up a new agent.`);
  }
  const key = { ...(await createKey()), handle: name };
  // Before the sign-up: a key that is lost afterwards cannot be replaced.
  writeFileSync(path, JSON.stringify(key), { mode: 0o600, flag: 'wx' });
  try {
    await Hub.signUp(hub, { handle: name, key });
  } catch (error) {
    // A rejected key belongs to no agent, but a key whose sign-up was interrupted may.
    if (error instanceof HubError || error instanceof ChallengeError) unlinkSync(path);
    throw error;
  }
  return key;
}

function readKeyFile(path: string): StoredKey {
  try {
    return parseKey(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new KeyFileFault(
      `${path} of --key has no Ed25519 key in JSON or PEM (${reason}). Name another file.`,
    );
  }
}

function parseKey(text: string): StoredKey {
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
