/**
 * A host that knows only the address of the hub: each official MCP client finds out that it needs a token, registers,
 * sends its owner to the consent page, reads the scorecard of a run that it has answered itself, and renews its token.
 */
import { expect, test } from 'bun:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { visitPage } from '#test/harness/visit-page.ts';
import { approve } from './consent.ts';
import { HostKeeper, useReturnPage } from './host-keeper.ts';
import { type AnyClient, type ToolResult, useTool } from './mcp-clients.ts';

const hub = useTestHub({ ownBaseUrl: true });
const returns = useReturnPage();
const folder = useTestFolder();
const browser = useBrowser();

/** Both official clients, as a host uses them. */
const clients = {
  '2.x': {
    prepare: (url: URL, options: HostOptions) => {
      const transport = new StreamableHTTPClientTransport(url, options);
      const client = new Client({ name: 'host', version: '1' });
      return {
        client,
        connect: () => client.connect(transport),
        finish: (back: URLSearchParams) => transport.finishAuth(back),
      };
    },
    isUnauthorized: (error: unknown) => error instanceof UnauthorizedError,
  },
  '1.x': {
    prepare: (url: URL, options: HostOptions) => {
      const transport = new OldTransport(url, options);
      const old = new OldClient({ name: 'host', version: '1' });
      return {
        // It has more members than the tests use.
        client: old as unknown as AnyClient,
        connect: () => old.connect(transport),
        finish: (back: URLSearchParams) => transport.finishAuth(back.get('code') ?? ''),
      };
    },
    isUnauthorized: (error: unknown) => error instanceof OldUnauthorizedError,
  },
} as const;

interface HostOptions {
  readonly authProvider: HostKeeper;
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** Asked for at the first consent, because many hosts cannot add a scope later. */
const everyScope = 'read act spend';
const hourMs = 60 * 60 * 1_000;

// `/mcp` serves public tools to everybody, and asks for a token when a tool needs one. `/mcp/me` asks at once.
// The hub calls itself 127.0.0.1, and is the same under the other names of this machine.
test.each([
  ['2.x', '127.0.0.1', '/mcp', true],
  ['2.x', 'localhost', '/mcp', false],
  ['2.x', '127.0.0.1', '/mcp/me', true],
  ['1.x', '127.0.0.1', '/mcp', true],
  ['1.x', 'localhost', '/mcp/me', true],
] as const)(
  'client %s goes from the bare address %s%s to a scorecard, JavaScript: %p',
  async (sdk, name, path, scripted) => {
    const keeper = new HostKeeper(`${returns}/callback`);
    const handle = `from-${name.slice(0, 1)}${path.replaceAll('/', '-')}${scripted ? '' : '-plain'}-${sdk.slice(0, 1)}`;
    const origin = `http://${name}:${hub.port}`;
    const asked: (string | null)[] = [];
    let loseNextToken = false;
    const options: HostOptions = {
      authProvider: keeper,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (!loseNextToken || !String(url).endsWith('/oauth/token')) return response;
        loseNextToken = false;
        throw new TypeError('The connection was lost.');
      },
    };
    await visitPage(
      browser,
      'about:blank',
      async ({ page }) => {
        const { prepare, isUnauthorized } = clients[sdk];
        let host = prepare(new URL(origin + path), options);
        let isConnected = false;
        /** Does what hosts do when a tool, or the connection, needs consent. */
        const use = async (
          name: string,
          args: Record<string, unknown> = {},
        ): Promise<ToolResult['structuredContent']> => {
          try {
            if (!isConnected) await host.connect();
            isConnected = true;
            return await useTool(host.client, name, args);
          } catch (error) {
            if (!isUnauthorized(error) || asked.length > 0) throw error;
            const { searchParams } = keeper.asked!;
            expect(searchParams.get('resource')).toBe(origin + path);
            asked.push(searchParams.get('scope'));
            await approve(page, keeper.asked!, 'A desktop host', { handle, scripted, folder });
            const back = new URL(page.url()).searchParams;
            expect(back.get('state')).toBe('state-of-this-host');
            await host.finish(back);
            await host.client.close();
            host = prepare(new URL(origin + path), options);
            isConnected = false;
            return use(name, args);
          }
        };

        expect((await use('get_me')).agent.handle).toBe(handle);
        const { run } = await use('start_run', { max_prompt_tokens: 8_000 });
        for (let ended = false; !ended;) {
          const pulled = await use('get_cases', { run_id: run.id, limit: 8 });
          const answers = pulled.cases.map(({ case_id }: { case_id: string }) => ({ case_id, text: '42' }));
          ({ ended } = pulled);
          if (answers.length > 0) ({ ended } = await use('answer', { run_id: run.id, answers }));
        }
        expect(JSON.stringify(await use('get_report', { run_id: run.id }))).toContain(run.id);

        // An hour later, its token lapses under several calls at once, and it renews it without its owner.
        const before = keeper.kept.get('tokens');
        hub.clock.advance(hourMs);
        const all = await Promise.all([1, 2, 3, 4].map(() => use('get_me')));
        expect(all.map(({ agent }) => agent.handle)).toEqual(all.map(() => handle));
        expect(keeper.kept.get('tokens')).not.toEqual(before);

        // The response to a renewal is lost. The client can only send its owner away, but the grant survives.
        hub.clock.advance(hourMs);
        loseNextToken = true;
        await use('get_me').catch((error: unknown) => expect(error).toBeInstanceOf(Error));
        expect((await use('get_me')).agent.handle).toBe(handle);
        hub.clock.advance(hourMs);
        expect((await use('get_me')).agent.handle).toBe(handle);
        await host.client.close();
      },
      { javaScriptEnabled: scripted },
      [origin, returns],
    );
    expect(asked).toEqual([everyScope]);
  },
);
