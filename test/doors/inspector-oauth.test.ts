/**
 * The MCP inspector, which knows only the address of the hub, from its sign-in in a real browser to a scorecard. `npm run
 * test:doors` installs it.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBrowser } from '#test/harness/browser.ts';
import { freePorts } from '#test/harness/free-ports.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { visitPage } from '#test/harness/visit-page.ts';
import { approve } from './consent.ts';
import { installed, installNode, programOf, run } from './foreign/packages.ts';

const isAsked = process.env['DOORS'] === 'all';

describe.skipIf(!isAsked)('the MCP inspector', () => {
  let words: readonly string[];
  const hub = useTestHub({ ownBaseUrl: true });
  const browser = useBrowser();
  beforeAll(async () => {
    const inspector = await installed('@modelcontextprotocol/inspector', '2.12.0');
    words = [await installNode(), programOf(inspector, 'mcpdo'), '--format', 'json'];
  });

  test.each([true, false])(
    'gets from the bare address to a scorecard, JavaScript: %p',
    async (scripted) => {
      const folder = await mkdtemp(join(tmpdir(), 'agent-hub-inspector-'));
      const [port] = await freePorts(1);
      const callback = `http://127.0.0.1:${port}/oauth/callback`;
      const env = { MCP_OAUTH_CALLBACK_URL: callback };
      const say = async (...command: string[]) => {
        const { exitCode, printed, complaints } = await run([...words, ...command], folder, env);
        expect([command, exitCode, complaints]).toEqual([command, 0, expect.any(String)]);
        return JSON.parse(printed);
      };
      try {
        const opened = await say('connect', `${hub.url}/mcp/me`, '--transport', 'http');
        expect(opened).toMatchObject({ pendingAuth: true, auth: { method: 'oauth', authorized: false } });
        const asked = new URL(opened.authUrl);
        expect(asked.searchParams.get('redirect_uri')).toBe(callback);
        const handle = scripted ? 'scripted' : 'plain';
        await visitPage(
          browser,
          'about:blank',
          async ({ page }) => {
            await approve(page, asked, 'MCP Inspector', { handle, scripted, folder });
            expect(page.url()).toStartWith(callback);
          },
          { javaScriptEnabled: scripted },
          [hub.url, new URL(callback).origin],
        );
        await say('--connection', opened.name, 'connections/show');
        const use = async (name: string, args: object = {}) => {
          const called = ['--connection', opened.name, 'tools/call', name, JSON.stringify(args)];
          const result = await say(...called);
          expect([name, result]).toEqual([
            name,
            expect.objectContaining({ structuredContent: expect.anything() }),
          ]);
          return result.structuredContent;
        };
        expect((await use('get_me')).agent.handle).toBe(handle);
        const { run: started } = await use('start_run', { max_prompt_tokens: 8_000 });
        const run_id: string = started.id;
        const { cases } = await use('get_cases', { run_id, limit: 8 });
        const answers = cases.map(({ case_id }: { case_id: string }) => ({ case_id, text: '42' }));
        expect((await use('answer', { run_id, answers })).accepted).toBe(cases.length);
        // What it has not answered scores 0.
        await use('cancel_run', { run_id });
        expect((await use('get_report', { run_id, detail: 'summary' })).text).toContain(
          '4 of 69 cases were answered',
        );
      } finally {
        // What still waits for the browser ends too.
        await fetch(`${callback}?error=access_denied`).catch(() => undefined);
        await run([...words, 'daemon', 'stop'], folder, env);
        await rm(folder, { recursive: true, force: true });
      }
    },
    300_000,
  );
});
