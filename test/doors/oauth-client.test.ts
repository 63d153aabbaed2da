/**
 * A host that knows only the address of the hub: the official MCP client finds out that it needs a token, registers, sends
 * its owner to the consent page, and reads the scorecard of a run that it has answered itself.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#test/harness/browser.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { visitPage } from '#test/harness/visit-page.ts';
import { approve } from './consent.ts';
import { type ToolResult, useTool } from './mcp-clients.ts';

let store: ScratchStore;
let hub: TestHub;
let browser: Browser;
let returns: Bun.Server<undefined>;
let folder: string;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, ownBaseUrl: true });
  const headers = { 'content-type': 'text/html' };
  const back = '<link rel=icon href="data:,"><p>Return to the program.';
  returns = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(back, { headers }) });
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), 'agent-hub-oauth-'));
});
afterAll(async () => {
  await browser.close();
  await returns.stop(true);
  await hub.close();
  await store.remove();
  await rm(folder, { recursive: true });
});

/** Keeps what the client stores, as a host does. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = `${returns.url.origin}/callback`;
  readonly clientMetadata = {
    client_name: 'A desktop host',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  readonly kept = new Map<string, unknown>();
  /** Where the owner decides. */
  asked: URL | null = null;

  state = (): string => 'state-of-this-host';
  // The client reads what it has saved.
  clientInformation = () => this.kept.get('client') as never;
  saveClientInformation = (client: unknown): void => void this.kept.set('client', client);
  tokens = () => this.kept.get('tokens') as never;
  saveTokens = (tokens: unknown): void => void this.kept.set('tokens', tokens);
  codeVerifier = (): string => String(this.kept.get('verifier'));
  saveCodeVerifier = (verifier: string): void => void this.kept.set('verifier', verifier);
  discoveryState = () => this.kept.get('discovery') as never;
  saveDiscoveryState = (found: unknown): void => void this.kept.set('discovery', found);
  redirectToAuthorization = (url: URL): void => {
    this.asked = url;
  };
}

// `/mcp` serves public tools to everybody, and asks for each scope when a tool needs it. `/mcp/me` asks for all at once.
test.each([
  ['/mcp', true, ['read', 'read spend', 'read spend act']],
  ['/mcp', false, ['read', 'read spend', 'read spend act']],
  ['/mcp/me', true, ['read act spend']],
])('from the bare address %s to a scorecard, JavaScript: %p', async (path, scripted, scopes) => {
  const keeper = new Keeper();
  const handle = `from${path.replaceAll('/', '-')}${scripted ? '' : '-plain'}`;
  const asked: (string | null)[] = [];
  await visitPage(
    browser,
    'about:blank',
    async ({ page }) => {
      const prepare = () => {
        const transport = new StreamableHTTPClientTransport(new URL(hub.url + path), {
          authProvider: keeper,
        });
        const client = new Client({ name: 'host', version: '1' });
        return { transport, client };
      };
      let { transport, client } = prepare();
      let isConnected = false;
      /** Does what hosts do when a tool, or the connection, needs consent. */
      const use = async (
        name: string,
        args: Record<string, unknown> = {},
      ): Promise<ToolResult['structuredContent']> => {
        try {
          if (!isConnected) await client.connect(transport);
          isConnected = true;
          return await useTool(client, name, args);
        } catch (error) {
          if (!(error instanceof UnauthorizedError) || asked.length === scopes.length) throw error;
          const { searchParams } = keeper.asked!;
          expect(searchParams.get('resource')).toBe(hub.url + path);
          asked.push(searchParams.get('scope'));
          await approve(page, keeper.asked!, 'A desktop host', { handle, scripted, folder });
          const back = new URL(page.url()).searchParams;
          expect(back.get('state')).toBe('state-of-this-host');
          await transport.finishAuth(back);
          await client.close();
          ({ transport, client } = prepare());
          isConnected = false;
          return use(name, args);
        }
      };

      expect((await use('get_me')).agent.handle).toBe(handle);
      const { run } = await use('start_evaluation', { max_prompt_tokens: 8_000 });
      for (let ended = false; !ended;) {
        const pulled = await use('get_cases', { run_id: run.id, limit: 8 });
        const answers = pulled.cases.map(({ case_id }: { case_id: string }) => ({ case_id, text: '42' }));
        ({ ended } = pulled);
        if (answers.length > 0) ({ ended } = await use('submit_answers', { run_id: run.id, answers }));
      }
      expect(JSON.stringify(await use('get_scorecard', { run_id: run.id }))).toContain(run.id);

      // An hour later, the client renews its token without its owner.
      const before = keeper.kept.get('tokens');
      hub.clock.advance(61 * 60 * 1_000);
      expect((await use('get_me')).agent.handle).toBe(handle);
      expect(keeper.kept.get('tokens')).not.toEqual(before);
      await client.close();
    },
    { javaScriptEnabled: scripted },
    [hub.url, returns.url.origin],
  );
  expect(asked).toEqual(scopes);
});
