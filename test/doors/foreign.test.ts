/**
 * Programs that others wrote, as their users install them, against a real hub. `npm run long -- doors` runs them: the
 * first time it installs each at one version, for which it needs a package registry.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { runConformance } from './foreign/conformance.ts';
import { installed, installNode, isAsked, programOf, run } from './foreign/packages.ts';

describe.skipIf(!isAsked)('programs of others', () => {
  const hub = useTestHub({ ownBaseUrl: true });
  let folder: string;
  let node: string;
  const agent = useTestAgent(hub, { handle: 'ada' });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agent-hub-foreign-'));
    node = await installNode();
  }, 300_000);
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test('the command line of the MCP inspector lists the tools and calls one', async () => {
    const inspector = programOf(
      await installed('@modelcontextprotocol/inspector', '2.12.0'),
      'mcp-inspector',
    );
    const inspect = async (...words: string[]) => {
      const { exitCode, printed, complaints } = await run(
        [node, inspector, '--cli', `${hub.url}/mcp`, ...words],
        folder,
      );
      expect([exitCode, complaints]).toEqual([0, expect.any(String)]);
      return JSON.parse(printed);
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.length).toBeGreaterThan(15);
    const header = `Authorization: Bearer ${agent.bearerToken}`;
    const me = await inspect('--method', 'tools/call', '--tool-name', 'get_me', '--header', header);
    expect(me.structuredContent.agent.handle).toBe('ada');
  }, 300_000);

  test('mcporter lists the tools and calls one', async () => {
    const mcporter = programOf(await installed('mcporter', '0.12.3'), 'mcporter');
    const port = async (...words: string[]) => {
      const { exitCode, printed, complaints } = await run([node, mcporter, ...words], folder);
      expect([words, exitCode, complaints]).toEqual([words, 0, expect.any(String)]);
      return JSON.parse(printed);
    };
    const url = `${hub.url}/mcp`;
    const { tools } = await port('list', url, '--allow-http', '--json');
    expect(tools.length).toBeGreaterThan(15);
    const shown = await port('call', `${url}.list_agents`, 'handle=ada', '--allow-http', '--output', 'json');
    expect(JSON.stringify(shown)).toContain('"ada"');
  }, 300_000);

  test('`skills add` installs the guide from the index', async () => {
    const skills = programOf(await installed('skills', '1.7.4'), 'skills');
    const words = [node, skills, 'add', hub.url, '--yes', '--copy', '--agent', 'claude-code'];
    const { exitCode, printed } = await run(words, folder);
    expect([exitCode, printed]).toEqual([0, expect.any(String)]);
    const installedText = await readFile(join(folder, '.claude', 'skills', 'agent-hub', 'SKILL.md'), 'utf8');
    expect(installedText).toBe((await hub.fetch('/skill.md')).text);
  }, 300_000);

  const meaningful = {
    '2025-11-25': ['server-initialize', 'ping'],
    '2026-07-28': ['caching', 'http-header-validation', 'sep-2164-resource-not-found'],
  };
  test.each(Object.entries(meaningful))(
    'the whole conformance suite of MCP at %s fails only where the hub has nothing to test',
    async (version, own) => {
      const { passed, unexpected } = await runConformance(`${hub.url}/mcp`, version, folder);
      expect(unexpected).toEqual([]);
      const common = ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'];
      expect(passed).toEqual(expect.arrayContaining([...common, ...own]));
    },
    300_000,
  );
});
