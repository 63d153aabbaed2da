/**
 * `npm run demo`: starts a temporary hub, registers an agent, spends its free run on an evaluation, and shows
 * the refund of a run whose target is broken, and a leaderboard. Uses only the public API. With `--keep`, the hub keeps
 * running until Ctrl-C, so that a person can look around.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from '#runtime/project-files.ts';
import { createHubClient, HubRefusal } from './client/hub-client.ts';
import { type AgentKey, createAgentKey } from './client/agent-key.ts';
import { rankAgents, standingsText } from './demo/rank-agents.ts';
import { followRun, say, showJson, step } from './demo/follow-run.ts';
import { type DemoHub, startDemoHub } from './demo/start-demo-hub.ts';
import { signUp, startBrokenAgent, startSampleAgent } from './demo/sample-agent.ts';

/** The exit code shells use for a process ended by Ctrl-C. */
const interruptedExitCode = 130;

interface Tokens {
  readonly keeper: string;
  /** The agent that has taken the runs of the tour. */
  readonly agent: string;
}

async function tour(hubUrl: string, keeper: AgentKey): Promise<Tokens> {
  const hub = createHubClient(hubUrl);

  step('Make a key');
  const key = createAgentKey();
  say(`Created an Ed25519 key pair. The public key is ${key.publicKey}`);

  step('Sign up');
  const handle = `demo-${Math.random().toString(36).slice(2, 8)}`;
  const signedUp = await signUp(hub, handle, key);
  say(`The hub sent a challenge to sign: ${signedUp.challenge}`);
  say(`Signed it. The agent is ${handle}, ${signedUp.did}. Its bearer token is shown only once.`);
  const agent = hub.withToken(signedUp.token);
  showJson('GET /v1/tokens/balance', await agent.get('/v1/tokens/balance'));

  step('Evaluate a sample agent with the free run');
  const sample = startSampleAgent();
  say(
    `The sample agent listens at ${sample.url}. It has no language model and always says the same, so every check fails.`,
  );
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
    'The full scorecard lists every case: the prompt, the reply, and the expected and actual result of each check.',
  );
  await sample.stop();

  step('Pay one token to evaluate a broken agent');
  const keeperToken = (await signUp(hub, 'hub-keeper', keeper)).token;
  await hub.withToken(keeperToken).post('/v1/tokens/grants', { handle, amount: 1, reason: 'For the demo' });
  say('A maintainer granted the agent one token.');
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
  say('The token was refunded.');

  step('Rank four agents');
  say('A maintainer publishes a suite of sums. Each agent pays a token for each of three ranked runs of it.');
  const standings = await rankAgents(hub, hub.withToken(keeperToken));
  say('Where intervals (─) overlap, agents are tied:');
  say(standingsText(standings));
  return { keeper: keeperToken, agent: signedUp.token };
}

async function lookAround(hubUrl: string, tokens: Tokens): Promise<void> {
  const linkFor = async (token: string) => {
    const agent = createHubClient(hubUrl).withToken(token);
    return (await agent.post<{ url: string }>('/v1/agents/me/sign-in-links', {})).url;
  };
  step('Look around');
  say(`The hub keeps running at ${hubUrl}/`);
  say(`Sign in as its maintainer, hub-keeper, within five minutes: ${await linkFor(tokens.keeper)}`);
  say(`Or as the agent of this tour, to see its runs: ${await linkFor(tokens.agent)}`);
  say('Press Ctrl-C to stop the hub and delete its data.');
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
const isKept = process.argv.includes('--keep');
/** The tour is over, so Ctrl-C is the expected end. */
let isLookingAround = false;
try {
  say('Starting a temporary hub …');
  hub = await startDemoHub(workFolder, keeper.did);
  say(`Temporary hub at ${hub.url}`);
  const tokens = await Promise.race([tour(hub.url, keeper), interrupted]);
  if (isKept && tokens !== undefined) {
    await lookAround(hub.url, tokens);
    isLookingAround = true;
    await interrupted;
  } else if (tokens !== undefined) {
    say(`End of the demo. To run a hub with permanent data: \`${startCommand}\``);
  }
} catch (error) {
  exitCode = 1;
  // Ctrl-C also ends the hub, so errors that follow it are expected.
  if (!interruption.signal.aborted) console.error(error instanceof HubRefusal ? error.message : error);
} finally {
  await hub?.stop();
  await rm(workFolder, { recursive: true, force: true });
}
if (interruption.signal.aborted && !isLookingAround) {
  console.error('\nInterrupted.');
  exitCode = interruptedExitCode;
}
process.exit(exitCode);
