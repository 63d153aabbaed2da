/** Files with the key of an agent: JSON of the clients, or PEM of `hub keygen` and OpenSSL. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
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
    // A rejected key belongs to no agent, but one whose sign-up was interrupted may, also by a proxy.
    if (error instanceof ChallengeError || (error instanceof HubError && isRefusal(error))) unlinkSync(path);
    throw error;
  }
  return key;
}

function isRefusal({ status, code }: HubError): boolean {
  return status < 500 && status !== 429 && code !== 'unknown';
}

/**
 * Reads the key of an agent from a file of either format.
 * @throws KeyFileFault if there is no such file, or no key in it
 */
export function readKeyFile(path: string): StoredKey {
  if (!existsSync(path)) throw new KeyFileFault(`${path} of --key does not exist.`);
  const text = readFileSync(path, 'utf8');
  try {
    return parseKey(text);
  } catch {
    // What the parsers say of a text that may be anything helps nobody.
    throw new KeyFileFault(
      `${path} of --key has no private Ed25519 key, as JSON with \`publicKey\` and \`privateKey\` or as PEM. Name another file.`,
    );
  }
}

function parseKey(text: string): StoredKey {
  if (text.trimStart().startsWith('-----')) return keyOf(createPrivateKey(text));
  const { handle, privateKey = '' } = JSON.parse(text) as Partial<StoredKey>;
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return { ...keyOf(key), ...(handle === undefined ? {} : { handle }) };
}

function keyOf(key: KeyObject): AgentKey {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('It is not an Ed25519 key.');
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-publicKeyBytes);
  const privateKey = key.export({ format: 'der', type: 'pkcs8' });
  return { publicKey: publicKey.toString('base64'), privateKey: privateKey.toString('base64') };
}
