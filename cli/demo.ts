/**
 * The tour: `npm run demo` starts a hub of its own, signs an agent up, has it evaluated by its free run, and shows
 * what becomes of a run whose target is broken. Everything goes through the public interface.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from '#runtime/process/start-command.ts';
import { createHubClient, HubRefusal } from './client/hub-client.ts';
import { type AgentKey, createAgentKey } from './client/agent-key.ts';
import { followRun } from './demo/follow-run.ts';
import { type DemoHub, startDemoHub } from './demo/start-demo-hub.ts';
import { startBrokenAgent, startSampleAgent } from './demo/sample-agent.ts';
import { signUp } from './demo/sign-up.ts';
import { say, showJson, step } from './demo/narrate.ts';

/** As shells tell of a process that a Ctrl-C has ended. */
const interruptedExitCode = 130;

async function tour(hubUrl: string, keeper: AgentKey): Promise<void> {
  const hub = createHubClient(hubUrl);

  step('Make a key');
  const key = createAgentKey();
  say(`An Ed25519 key pair; the public half is ${key.publicKey}`);

  step('Sign up');
  const handle = `demo-${Math.random().toString(36).slice(2, 8)}`;
  const signedUp = await signUp(hub, handle, key);
  say(`The hub asked us to sign: ${signedUp.challenge}`);
  say(`Signed. We are ${handle}, ${signedUp.did}, and hold a bearer token that is shown once.`);
  const agent = hub.withToken(signedUp.token);
  showJson('GET /v1/tokens/balance', await agent.get('/v1/tokens/balance'));

  step('Redeem the free run against a sample agent');
  const sample = startSampleAgent();
  say(`A sample agent listens at ${sample.url}. It knows a few tricks and no more.`);
  const first = await agent.post<{ eval_job: { id: string } }>('/v1/redemptions', {
    product: 'eval-run',
    target_url: sample.url,
  });
  await followRun(agent, first.eval_job.id);
  const { eval_job: run } = await agent.get<{ eval_job: { scorecard: { score_md: string } } }>(
    `/v1/eval-jobs/${first.eval_job.id}`,
  );
  const [overview = ''] = run.scorecard.score_md.split('\n## Cases');
  say(`\n${overview}`);
  say(
    'The scorecard goes on with every case: its prompt, the reply, and what each check expected and found.',
  );
  await sample.stop();

  step('Pay a token for a run whose target is broken');
  const keeperToken = (await signUp(hub, 'hub-keeper', keeper)).token;
  await hub.withToken(keeperToken).post('/v1/tokens/grants', { handle, amount: 1, reason: 'For the tour' });
  say('A maintainer of the hub gave us a token.');
  showJson('before: GET /v1/tokens/balance', await agent.get('/v1/tokens/balance'));
  const broken = startBrokenAgent();
  const second = await agent.post<{ eval_job: { id: string } }>('/v1/redemptions', {
    product: 'eval-run',
    target_url: broken.url,
  });
  await followRun(agent, second.eval_job.id);
  await broken.stop();
  showJson('GET /v1/tokens/history', await agent.get('/v1/tokens/history'));
  showJson('after: GET /v1/tokens/balance', await agent.get('/v1/tokens/balance'));
  say(`The token is back. That was the tour; \`${startCommand}\` runs a hub that stays.`);
}

const workFolder = await mkdtemp(join(tmpdir(), 'agent-hub-demo-'));
const keeper = createAgentKey();
const interruption = new AbortController();
const interrupted = new Promise<void>((resolve) =>
  interruption.signal.addEventListener('abort', () => resolve()),
);
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());
let hub: DemoHub | null = null;
let exitCode = 0;
try {
  hub = await startDemoHub(workFolder, keeper.did);
  say(`A hub of our own listens at ${hub.url}`);
  await Promise.race([tour(hub.url, keeper), interrupted]);
} catch (error) {
  exitCode = 1;
  // The hub ends with the tour, so that what fails after a Ctrl-C is no news.
  if (!interruption.signal.aborted) console.error(error instanceof HubRefusal ? error.message : error);
} finally {
  await hub?.stop();
  await rm(workFolder, { recursive: true, force: true });
}
if (interruption.signal.aborted) {
  console.error('\nThe tour was interrupted.');
  exitCode = interruptedExitCode;
}
process.exit(exitCode);
