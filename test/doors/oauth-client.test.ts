/**
 * A host that knows only the address of the hub: the official MCP client finds out that it needs a token, registers, sends
 * its owner to the consent page, and reads the scorecard of a run that it has answered itself.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#test/harness/browser.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { follow, visitPage } from '#test/harness/visit-page.ts';
import { type ToolResult, useTool } from './mcp-clients.ts';

let store: ScratchStore;
let hub: TestHub;
let browser: Browser;
let returns: Bun.Server<undefined>;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, ownBaseUrl: true });
  const headers = { 'content-type': 'text/html' };
  const back = '<link rel=icon href="data:,"><p>Return to the program.';
  returns = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(back, { headers }) });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await returns.stop(true);
  await hub.close();
  await store.remove();
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

const asksFor = async (page: Page): Promise<number> =>
  page.locator('h2:has-text("What it may do") + ul li').count();

/** The owner, who has no agent the first time. @returns the query of the address to which the browser is sent back */
async function decide(page: Page, asked: URL, handle: string): Promise<URLSearchParams> {
  await page.goto(asked.href);
  expect(await page.locator('h1').innerText()).toBe('Connect A desktop host?');
  if ((await page.locator('button:has-text("Approve")').count()) === 0) {
    await page.fill('[data-key=sign-up] input[name=handle]', handle);
    await Promise.all([
      page.waitForEvent('download'),
      page.click('button:has-text("Make a key and save it")'),
    ]);
    await follow(page, 'button:has-text("Sign up")');
  }
  expect(await asksFor(page)).toBe(asked.searchParams.get('scope')?.split(' ').length ?? 0);
  await follow(page, 'button:has-text("Approve")');
  const { searchParams } = new URL(page.url());
  expect(searchParams.get('state')).toBe('state-of-this-host');
  return searchParams;
}

// `/mcp` serves public tools to everybody, and asks for each scope when a tool needs it. `/mcp/me` asks for all at once.
test.each([
  ['/mcp', ['read', 'read spend', 'read spend act']],
  ['/mcp/me', ['read act spend']],
])('from the bare address %s to a scorecard', async (path, scopes) => {
  const keeper = new Keeper();
  const handle = `from${path.replaceAll('/', '-')}`;
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
          await transport.finishAuth(await decide(page, keeper.asked!, handle));
          await client.close();
          ({ transport, client } = prepare());
          isConnected = false;
          return use(name, args);
        }
      };

      expect((await use('get_me')).agent.handle).toBe(handle);
      const { eval_job: run } = await use('start_evaluation', { max_prompt_tokens: 8_000 });
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
    {},
    [hub.url, returns.url.origin],
  );
  expect(asked).toEqual(scopes);
});
