#!/usr/bin/env node
/** The program of the package: `agent-hub-client evaluate …`, and `agent-hub-client mcp --hub URL --key FILE`. */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { evaluateCommand } from './command/command.ts';
import { KeyFileFault, openKeyFile } from './key-file.ts';
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
  try {
    return await openKeyFile(hub, path, name);
  } catch (error) {
    return error instanceof KeyFileFault ? end(error.message, 2) : end(explain(error), 1);
  }
}

function end(complaint: string, exitCode: number): never {
  console.error(complaint);
  process.exit(exitCode);
}
