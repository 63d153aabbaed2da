/**
 * Agents made with the SDKs of others, which know only the address of the hub: their MCP clients ask for consent, order a
 * run, answer its cases and read the result, with tokens that lapse under calls at once. Only their model is a stand-in,
 * which works with what an SDK shows it. `npm run long -- doors` installs the SDKs.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { WeekCall } from '#evals/week/week.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { modelHeaders, startModelServer } from '#test/harness/model-servers.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { visitPage } from '#test/harness/visit-page.ts';
import { approve } from './consent.ts';
import { installed, isAsked, type Untyped } from './foreign/packages.ts';
import { HostKeeper, useReturnPage } from './host-keeper.ts';

const apiKey = modelHeaders.authorization.replace('Bearer ', '');
const hourMs = 60 * 60 * 1_000;
const caseCount = 6;
const stepsMax = 50;

interface Sdk {
  /** Connects to the hub as its documents say. @returns an agent, until it is closed */
  open(given: { url: string; keeper: HostKeeper; modelUrl: string }): Promise<{
    /** @returns what the model said last */
    run(prompt: string): Promise<string>;
    finish(back: URLSearchParams): Promise<void>;
    close(): Promise<void>;
  }>;
}

const sdks: Readonly<Record<string, Sdk>> = {
  '@openai/agents': {
    open: async ({ url, keeper, modelUrl }) => {
      const folder = await installed('@openai/agents', '0.20.0');
      const beside = (...path: readonly string[]): Promise<Untyped> =>
        import(join(folder, '..', '..', ...path));
      const agents = await beside('@openai', 'agents', 'dist', 'index.mjs');
      const { auth } = await beside('@modelcontextprotocol', 'client', 'dist', 'index.mjs');
      const OpenAI = (await beside('openai', 'index.mjs')).default;
      agents.setTracingDisabled(true);
      const client = new OpenAI({ baseURL: modelUrl.replace('/responses', ''), apiKey });
      const hub = new agents.MCPServerStreamableHttp({ url, name: 'hub', authProvider: keeper });
      await hub.connect();
      const agent = new agents.Agent({
        name: 'Ada',
        model: new agents.OpenAIResponsesModel(client, 'm-1'),
        mcpServers: [hub],
      });
      return {
        run: async (prompt) => (await agents.run(agent, prompt, { maxTurns: stepsMax })).finalOutput,
        finish: async (back) => {
          const [authorizationCode, iss] = [back.get('code'), back.get('iss')];
          expect(await auth(keeper, { serverUrl: url, authorizationCode, iss })).toBe('AUTHORIZED');
        },
        close: () => hub.close(),
      };
    },
  },
  '@ai-sdk/mcp': {
    open: async ({ url, keeper, modelUrl }) => {
      const folder = await installed('@ai-sdk/mcp', '2.0.99', 'ai@7.0.173', '@ai-sdk/openai@4.0.118');
      const beside = (...path: readonly string[]): Promise<Untyped> =>
        import(join(folder, '..', '..', ...path, 'dist', 'index.js'));
      const { auth, createMCPClient } = await beside('@ai-sdk', 'mcp');
      const { generateText, stepCountIs } = await beside('ai');
      const { createOpenAI } = await beside('@ai-sdk', 'openai');
      const model = createOpenAI({ baseURL: modelUrl.replace('/responses', ''), apiKey })('m-1');
      const hub = await createMCPClient({ transport: { type: 'http', url, authProvider: keeper } });
      return {
        run: async (prompt) => {
          const tools = await hub.tools();
          return (await generateText({ model, tools, prompt, stopWhen: stepCountIs(stepsMax) })).text;
        },
        finish: async (back) => {
          const given = {
            serverUrl: url,
            authorizationCode: back.get('code'),
            callbackState: back.get('state'),
            callbackIssuer: back.get('iss'),
          };
          expect(await auth(keeper, given)).toBe('AUTHORIZED');
        },
        close: () => hub.close(),
      };
    },
  },
};

describe.skipIf(!isAsked)('an agent made with', () => {
  const hub = useTestHub({ ownBaseUrl: true });
  const returns = useReturnPage();
  const folder = useTestFolder();
  const browser = useBrowser();
  beforeAll(async () => {
    const owner = actingAs(hub.ctx, await createTestAgent(hub.ctx, { handle: 'owner' }));
    const cases = Array.from({ length: caseCount }, (_, at) => ({
      id: `sum-${at}`,
      prompt: `What is ${at} + 1?`,
      expect: [{ equals: String(at + 1) }],
    }));
    await publishTestSuite(owner, { suite: 1, name: 'sums', cases });
    await updateSuite(owner, { owner: 'owner', name: 'sums', visibility: 'open' });
  }, 300_000);

  test.each(Object.entries(sdks))(
    '%s gets from the bare address to a scorecard, while its tokens lapse under calls at once',
    async (name, sdk) => {
      const handle = name.replaceAll(/[^a-z]+/g, '-').slice(1);
      const keeper = new HostKeeper(`${returns}/callback`);
      const evaluated = 'Get evaluated.';
      const model = startModelServer('openai-responses', (prompt) =>
        Promise.resolve(prompt === evaluated ? decisions(() => hub.clock.advance(hourMs)) : introduction),
      );
      const agent = await sdk.open({ url: `${hub.url}/mcp`, keeper, modelUrl: model.url });
      await visitPage(
        browser,
        'about:blank',
        async ({ page }) => {
          await agent.run('Who are you?').catch((error: unknown) => expect(error).toBeInstanceOf(Error));
          expect(keeper.asked?.searchParams.get('resource')).toBe(`${hub.url}/mcp`);
          expect(keeper.asked?.searchParams.get('scope')).toBe('read act spend');
          await approve(page, keeper.asked!, 'A desktop host', { handle, scripted: true, folder });
          await agent.finish(new URL(page.url()).searchParams);
        },
        {},
        [hub.url, returns],
      );
      keeper.asked = null;
      const before = keeper.kept.get('tokens');
      await agent.run(evaluated);
      await agent.close();
      await model.stop();

      expect([keeper.asked, keeper.kept.get('tokens')]).toEqual([null, expect.not.objectContaining(before!)]);
      const shown = outputsIn(model.bodies.at(-1)!);
      // Each result comes once, as one text.
      for (const output of shown) expect(output).toEqual([{ type: 'input_text', text: expect.any(String) }]);
      const results = shown.map(([{ text }]) => JSON.parse(text));
      const ofMe = { agent: expect.objectContaining({ handle }) };
      expect(results[0]).toMatchObject(ofMe);
      expect(results.at(-5)).toMatchObject({
        run: { status: 'completed', score: 100, progress: { done: caseCount, total: caseCount } },
      });
      expect(results.slice(-4)).toMatchObject([ofMe, ofMe, ofMe, ofMe]);
    },
    300_000,
  );
});

/** What the model was shown of the results of tools. */
const outputsIn = ({ input }: Readonly<Record<string, Untyped>>): readonly Untyped[] =>
  input.filter(({ type }: Untyped) => type === 'function_call_output').map(({ output }: Untyped) => output);

const me: WeekCall = { tool: 'get_me', args: {} };

const introduction = (results: readonly string[]): readonly WeekCall[] => (results.length === 0 ? [me] : []);

/**
 * Decides from the texts that an SDK shows of the results, as a model would.
 *
 * @param lapse ends the tokens of the agent
 */
function decisions(lapse: () => void): (results: readonly string[]) => readonly WeekCall[] {
  return (results) => {
    if (results.length === 0) return [me];
    const seen = results.map((text) => JSON.parse(text));
    const last = seen.at(-1);
    const run_id: string | undefined = seen.find(({ run }) => run !== undefined)?.run.id;
    if (run_id === undefined)
      return [{ tool: 'start_run', args: { product: 'suite-run', suite: '@owner/sums' } }];
    if (last.cases?.length > 0) {
      const answers = last.cases.map(({ case_id, prompt }: Untyped) => ({
        case_id,
        text: String(1 + Number(/\d+/.exec(prompt))),
      }));
      return [{ tool: 'answer', args: { run_id, answers } }];
    }
    if (last.agent !== undefined) return [];
    if (last.score !== undefined || last.run?.score !== undefined) {
      lapse();
      return [me, me, me, me];
    }
    return [
      last.ended === true
        ? { tool: 'get_report', args: { run_id } }
        : { tool: 'get_cases', args: { run_id, limit: 2 } },
    ];
  };
}
