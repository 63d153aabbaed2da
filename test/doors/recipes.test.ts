/**
 * The recipes in docs/recipes.md and docs/mcp-hosts.md, run as printed against a real hub and a stand-in for the model:
 * those for frameworks in JavaScript with `npm run long -- doors`, which installs each at one version.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pythonWheel } from '#api/discovery/client-packages.ts';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { projectFolder } from '#runtime/project-files.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { modelHeaders, type ModelServer, startModelServer } from '#test/harness/model-servers.ts';
import { installClient, type PackedClient } from '#test/harness/packed-client.ts';
import { expectRetold } from '#test/harness/retell.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { writeClaudeCode } from './foreign/claude-code.ts';
import { installed, isAsked } from './foreign/packages.ts';
import { writePythonFrameworks } from './foreign/python-frameworks.ts';
import { connectModern, useTool } from './mcp-clients.ts';
import { runProgram } from '#test/harness/run-program.ts';

const withoutProgram = '--omit=optional';

const page = await readFile(join(projectFolder, 'docs', 'recipes.md'), 'utf8');
const hostsPage = await readFile(join(projectFolder, 'docs', 'mcp-hosts.md'), 'utf8');
const recipes = new Map(
  [
    ...page.matchAll(/^## (.+)\n[^]*?```\w+\n([^]*?)```/gm),
    ...hostsPage.matchAll(/^### (.+)\n[^]*?```json\n([^]*?)```/gm),
  ].map(([, title = '', text = '']) => [title, text]),
);

function recipeOf(title: string): string {
  const text = recipes.get(title);
  if (text === undefined) throw new Error(`There is no recipe for ${title}.`);
  return text;
}

const hub = useTestHub({ ownBaseUrl: true });
const folder = useTestFolder();

/** @returns what it prints */
async function run(words: readonly string[], cwd: string, given: Readonly<Record<string, string>> = {}) {
  const { bearerToken } = await createTestAgent(hub.ctx);
  const env = { PATH: process.env['PATH'], HOME: folder, HUB_URL: hub.url, HUB_TOKEN: bearerToken, ...given };
  const { exitCode, printed, complaints } = await runProgram(words, { cwd, env });
  expect([exitCode, printed, complaints]).toEqual([0, expect.any(String), expect.any(String)]);
  return printed.trim();
}

const modelSettings = ({ url }: ModelServer) => ({
  MODEL: 'm-1',
  OPENAI_BASE_URL: `${new URL(url).origin}/v1`,
  OPENAI_API_KEY: modelHeaders.authorization.replace('Bearer ', ''),
});

/** @param printed what a recipe prints at its end */
async function expectGoodRun(title: string, printed: string): Promise<void> {
  expect([title, printed.split(' ')[0]]).toEqual([title, 'completed']);
  const newest = (await rowsOf(hub, 'runs')).at(-1);
  await expectRetold(hub.ctx, newest?.id ?? '');
}

test.each([
  [
    'HTTP in Python',
    requireTool('python3'),
    'recipe.py',
    'def answer(messages):\n    return messages[-1]["content"][:9]',
  ],
  [
    'HTTP in TypeScript',
    process.execPath,
    'recipe.ts',
    'const answer = async (messages: { content: string }[]) => messages.at(-1)!.content.slice(0, 9);',
  ],
])('%s', async (title, runtime, name, answer) => {
  await writeFile(join(folder, name), `${answer}\n${recipeOf(title)}`);
  expect(Number(await run([runtime, join(folder, name)], folder))).toBeNumber();
});

test.each(['OpenAI Agents SDK in Python', 'LangGraph in Python'])('%s', async (title) => {
  const python = requireTool('python3');
  const modules = await mkdtemp(join(folder, 'python-'));
  await writePythonFrameworks(modules);
  const install = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', modules];
  await run([python, ...install, `${hub.url}${pythonWheel.path}`], folder);
  const file = join(modules, 'recipe.py');
  await writeFile(file, recipeOf(title));
  const printed = await run([python, file], folder, { MODEL: 'm-1', PYTHONPATH: modules });
  await expectGoodRun(title, printed);
});

/** The fields of a server that the manual of the host names. */
interface Server {
  readonly type?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

test.each([
  ['Claude Code', 'mcpServers', 'http', '${HUB_TOKEN}'],
  ['Cursor', 'mcpServers', undefined, '${env:HUB_TOKEN}'],
  ['VS Code', 'servers', 'http', '${input:token}'],
])('%s connects with what its file says', async (title, field, type, variable) => {
  const { handle, bearerToken } = await createTestAgent(hub.ctx);
  // A file of the form that the manual of the host describes.
  const file = JSON.parse(recipeOf(title)) as Readonly<Record<string, { readonly hub: Server }>>;
  const server = file[field]!.hub;
  expect(server.type).toBe(type);
  const [scheme, token] = server.headers['Authorization']!.split(' ');
  expect([scheme, token]).toEqual(['Bearer', variable]);
  const url = new URL(server.url.replace('https://hub.example', hub.url));
  await using client = await connectModern(url, bearerToken, 'auto');
  expect((await useTool(client, 'get_me')).agent.handle).toBe(handle);
});

describe.skipIf(!isAsked)('with frameworks', () => {
  let client: PackedClient;
  beforeAll(async () => {
    client = await installClient(hub.url);
  });
  afterAll(() => client.remove());

  /** Packages at the versions in the table of the page. */
  function packagesOf(title: string): readonly (readonly [name: string, version: string])[] {
    const row = page.split('\n').find((line) => line.startsWith(`| ${title} `)) ?? '';
    return [...row.matchAll(/`(@?[^`@]+)@([^`]+)`/g)].map(([, name = '', version = '']) => [name, version]);
  }

  /** A project with the client and these packages, which are found where they were installed. */
  async function projectWith(title: string, ...options: readonly string[]): Promise<string> {
    const [[name, version], ...others] = packagesOf(title) as [[string, string], ...[string, string][]];
    const own = await installed(name, version, ...others.map((one) => one.join('@')), ...options);
    const packages = join(own.slice(0, own.lastIndexOf('node_modules')), 'node_modules');
    if (options.includes(withoutProgram)) await writeClaudeCode(packages);
    const project = await mkdtemp(join(folder, 'project-'));
    await writeFile(join(project, 'recipe.mjs'), recipeOf(title));
    await mkdir(join(project, 'node_modules'));
    for (const entry of await readdir(packages))
      if (!entry.startsWith('.'))
        await symlink(join(packages, entry), join(project, 'node_modules', entry), 'dir');
    const ownClient = join(client.project, 'node_modules', 'agent-hub-client');
    await symlink(ownClient, join(project, 'node_modules', 'agent-hub-client'), 'dir');
    return project;
  }

  test.each([
    ['OpenAI Agents SDK', 'openai-responses'],
    ['Vercel AI SDK', 'openai-responses'],
    ['LangGraph', 'openai-chat'],
  ] as const)(
    '%s',
    async (title, protocol) => {
      await using model = startModelServer(protocol);
      const settings = { ...modelSettings(model), OPENAI_AGENTS_DISABLE_TRACING: '1' };
      await expectGoodRun(title, await run(['node', 'recipe.mjs'], await projectWith(title), settings));
    },
    300_000,
  );

  test('Claude Agent SDK', async () => {
    await using model = startModelServer('anthropic-messages');
    const project = await projectWith('Claude Agent SDK', withoutProgram);
    const printed = await run(['node', 'recipe.mjs'], project, {
      ANTHROPIC_BASE_URL: new URL(model.url).origin,
      ANTHROPIC_AUTH_TOKEN: modelHeaders.authorization.replace('Bearer ', ''),
    });
    await expectGoodRun('Claude Agent SDK', printed);
  }, 300_000);
});
