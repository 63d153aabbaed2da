#!/usr/bin/env node
/** The program of the package: `agent-hub-client evaluate …`, and `agent-hub-client mcp --hub URL --key FILE`. */
import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ChallengeError } from './challenge.ts';
import { evaluateCommand } from './command/command.ts';
import { Hub } from './hub.ts';
import { HubError } from './hub-error.ts';
import { readKeyFile } from './key-file.ts';
import { createKey } from './keys.ts';
import { createBridge, explain, type KeyFile } from './mcp-bridge.ts';

const usage = `Usage: agent-hub-client mcp --hub URL --key FILE [--handle NAME]
       agent-hub-client evaluate --help

Connects an MCP host to a hub. FILE holds the key of the agent. If it does not exist, a key is created, and
--handle names the agent to sign up.`;

if (process.argv[2] === 'evaluate')
  process.exitCode = await evaluateCommand(process.argv.slice(3), process.env);
else await bridgeMessages();

async function bridgeMessages(): Promise<void> {
  const { hub: url, key: file, handle } = readOptions();
  const bridge = createBridge(url, await readKey(url, file, handle));
  const answer = async (line: string): Promise<void> => {
    for (const message of await bridge.handle(line)) process.stdout.write(`${message}\n`);
  };
  for await (const line of createInterface({ input: process.stdin })) {
    // Not awaited: a host sends further messages while a tool waits.
    if (line.trim() !== '') void answer(line);
  }
}

function readOptions(): { readonly hub: string; readonly key: string; readonly handle: string | undefined } {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { hub: text, key: text, handle: text, help: { type: 'boolean' } },
    });
    const { hub, key, help } = values;
    if (help === true) {
      console.log(usage);
      process.exit(0);
    }
    if (positionals[0] === 'mcp' && hub !== undefined && key !== undefined)
      return { hub, key, handle: values.handle };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  return end(usage, 2);
}

async function readKey(hub: string, path: string, name: string | undefined): Promise<KeyFile> {
  if (existsSync(path)) {
    const { handle = name, ...key } = readKeyFile(path);
    return handle === undefined ? end(`${path} names no handle. Add --handle.`, 2) : { ...key, handle };
  }
  if (name === undefined) return end(`${path} does not exist. Give --handle to sign up a new agent.`, 2);
  const key = { ...(await createKey()), handle: name };
  // Before the sign-up: a key that is lost afterwards cannot be replaced.
  writeFileSync(path, JSON.stringify(key), { mode: 0o600, flag: 'wx' });
  try {
    await Hub.signUp(hub, { handle: name, key });
  } catch (error) {
    // A rejected key belongs to no agent, but a key whose sign-up was interrupted may.
    if (error instanceof HubError || error instanceof ChallengeError) unlinkSync(path);
    return end(explain(error), 1);
  }
  return key;
}

function end(complaint: string, exitCode: number): never {
  console.error(complaint);
  process.exit(exitCode);
}
