/**
 * Agents that people write with the SDKs of others, each with one mistake: the report names it in its first two
 * sentences, and finds nothing where there is none. Only the model is a stand-in. `npm run long -- doors` installs the SDKs.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { completePushRun } from './foreign/complete-push-run.ts';
import { startHarnessModel } from './foreign/harness-model.ts';
import {
  aiHarnesses,
  type ForeignHarness,
  langgraphHarnesses,
  openaiHarnesses,
} from './foreign/harnesses.ts';
import { installed, isAsked, listen, type Untyped } from './foreign/packages.ts';

describe.skipIf(!isAsked)('an agent written with', () => {
  const model = startHarnessModel();
  const hub = useTestHub({ ownBaseUrl: true });
  let express: Untyped;
  beforeAll(async () => {
    express = (await import(join(await installed('express', '5.3.0'), 'index.js'))).default;
  }, 300_000);
  afterAll(() => model.stop());

  async function serve({ handle, limit = '5mb' }: ForeignHarness) {
    const app = express();
    app.use(express.json({ limit }));
    app.post('/agent', (request: Untyped, response: Untyped, next: (error: unknown) => void) => {
      handle(request.body).then((body) => response.json(body), next);
    });
    return listen(app);
  }

  /** @returns the first two sentences of the report */
  async function firstSentences(harness: ForeignHarness): Promise<string> {
    const { protocol, maxPromptTokens = 8_000 } = harness;
    const { bearerToken: token } = await createTestAgent(hub.ctx, { tokens: 20 });
    const { origin, stop } = await serve(harness);
    const target = { url: `${origin}/agent`, protocol, ...(protocol === 'hub' ? {} : { model: 'm-1' }) };
    const json = { product: 'eval-run', max_prompt_tokens: maxPromptTokens, target };
    const run = await completePushRun(hub, token, json);
    const report = await hub.fetch(`/v1/runs/${run.id}/report?format=text`, { token });
    stop();
    // A run that cannot go on says so itself.
    if (run.status === 'failed') return run.failure.message;
    return report.text
      .split('\n')
      .filter((line: string) => line.startsWith('* '))
      .slice(0, 2)
      .join('\n');
  }

  test.each([
    ['the client of OpenAI', openaiHarnesses],
    ['the AI SDK', aiHarnesses],
    ['LangGraph', langgraphHarnesses],
  ])(
    '%s: its mistake is named',
    async (_, harnessesOf) => {
      const reports: { name: string; sentences: string; named: boolean }[] = [];
      for (const harness of await harnessesOf(model.url)) {
        const sentences = await firstSentences(harness);
        reports.push({ name: harness.name, sentences, named: harness.said.test(sentences) });
      }
      expect(reports.filter(({ named }) => !named)).toEqual([]);
    },
    600_000,
  );
});
