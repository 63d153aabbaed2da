/**
 * A stand-in for the Claude Code that the Claude Agent SDK starts: it speaks the JSON lines of the SDK over its standard
 * streams, keeps sessions in files, and asks the Messages API.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const program = `#!/usr/bin/env node
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createInterface } = require('node:readline');
const words = process.argv.slice(2).flatMap((word) => word.split('='));
const resumed = words.indexOf('--resume');
const session_id = resumed < 0 ? crypto.randomUUID() : words[resumed + 1];
const file = \`\${process.env.HOME}/session-\${session_id}.json\`;
const messages = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');

async function take({ type, request_id, message }) {
  if (type === 'control_request')
    say({ type: 'control_response', response: { subtype: 'success', request_id, response: { commands: [] } } });
  if (type !== 'user') return;
  messages.push({ role: 'user', content: message.content });
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + process.env.ANTHROPIC_AUTH_TOKEN,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'm-1', max_tokens: 1024, messages }),
  });
  const { content, usage } = await response.json();
  const result = content.map(({ text }) => text).join('');
  messages.push({ role: 'assistant', content: result });
  writeFileSync(file, JSON.stringify(messages));
  say({ type: 'system', subtype: 'init', session_id, tools: [], mcp_servers: [], model: 'm-1' });
  say({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result, session_id, usage });
}

let last = Promise.resolve();
createInterface({ input: process.stdin }).on('line', (line) => {
  last = last.then(() => take(JSON.parse(line)));
});
`;

/** @param packages the \`node_modules\` of an SDK that was installed without its program */
export async function writeClaudeCode(packages: string): Promise<void> {
  const name = `claude-agent-sdk-${process.platform}-${process.arch}`;
  const folder = join(packages, '@anthropic-ai', name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: `@anthropic-ai/${name}` }));
  await writeFile(join(folder, 'claude'), program);
  await chmod(join(folder, 'claude'), 0o755);
}
