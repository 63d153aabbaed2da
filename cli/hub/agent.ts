/** The commands for agents. They use only the public API. */
import { writeFileSync } from 'node:fs';
import { Hub, type SignUpOptions } from '#client/hub.ts';
import { KeyFileFault, readKeyFile } from '#client/key-file.ts';
import type { AgentKey } from '#client/keys.ts';
import { createAgentKey } from '../client/agent-key.ts';
import { HubRefusal } from '../client/hub-refusal.ts';
import type { Output } from './output.ts';

export interface AgentCommand {
  readonly hub: Hub;
  readonly output: Output;
}

const ownerOnly = 0o600;

/** Writes a new private key to a file that must not exist, and prints the public key. */
export function makeKey(output: Output, file: string): void {
  const { publicKey, did, privatePem } = createAgentKey();
  writeNewFile(file, privatePem);
  output.result({ public_key: publicKey, did, file }, [
    `public key  ${publicKey}`,
    `did         ${did}`,
    `written to  ${file}`,
  ]);
}

function writeNewFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: ownerOnly, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new HubRefusal(`${file} already exists and was not changed. Name a new file.`);
  }
}

/** Registers a new handle. */
export async function register(
  { hub, output }: AgentCommand,
  { handle, agentType, keyFile }: { handle: string; agentType: string; keyFile: string },
): Promise<void> {
  // The hub refuses others.
  const agent_type = agentType as NonNullable<SignUpOptions['agent_type']>;
  await showToken(output, handle, await Hub.signUp(hub.url, { handle, agent_type, key: readKey(keyFile) }));
}

/** Issues another token for a registered agent. */
export async function login(
  { hub, output }: AgentCommand,
  { handle, keyFile }: { handle: string; keyFile: string },
): Promise<void> {
  await showToken(output, handle, await Hub.logIn(hub.url, { handle, key: readKey(keyFile) }));
}

/** The hub shows a token only once. */
async function showToken(output: Output, handle: string, hub: Hub): Promise<void> {
  const { token } = hub;
  const { did } = (await hub.call('getMe', {})).agent;
  output.result({ handle, did, token }, [
    `${handle} is ${did}`,
    `token  ${token}`,
    'Save it now: it is not shown again. Other commands read it from the environment: export HUB_TOKEN=…',
  ]);
}

function readKey(file: string): AgentKey {
  try {
    return readKeyFile(file);
  } catch (error) {
    if (!(error instanceof KeyFileFault)) throw error;
    throw new HubRefusal(`${error.message} \`hub keygen\` creates one.`);
  }
}

export async function whoami({ hub, output }: AgentCommand): Promise<void> {
  const { agent } = await hub.call('getMe', {});
  const balance = await hub.call('getBalance', {});
  output.result({ agent, balance }, [
    `${agent.handle}${agent.verified_badge ? ' (verified)' : ''}  ${agent.did ?? ''}`,
    `reputation  ${agent.reputation_total}`,
    `tokens      ${balance.balance}${balance.held > 0 ? `, ${balance.held} held` : ''}${balance.free_eval_available ? ', first run free' : ''}`,
  ]);
}

/** Prints a link that signs in whoever opens it to the site. */
export async function openSite({ hub, output }: AgentCommand): Promise<void> {
  const link = await hub.call('postAgentsMeSignInLinks', {});
  output.result(link, [link.url, `Open it in a browser. It works once, until ${link.expires_at}.`]);
}
