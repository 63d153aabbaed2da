/**
 * `npm run demo`: starts a temporary hub, registers an agent, spends its free run on an evaluation, and shows
 * the refund of a run whose target is broken, and a leaderboard. Uses only the public API. With `--keep`, the hub keeps
 * running until Ctrl-C, so that a person can look around.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hub } from '#client/hub.ts';
import { HubError } from '#client/hub-error.ts';
import { type AgentKey, createKey } from '#client/keys.ts';
import { serveAgent } from '#client/serve-agent.ts';
import { startCommand } from '#runtime/project-files.ts';
import { didOf } from './client/agent-key.ts';
import { showProgress } from './client/progress-bar.ts';
import { grantTokens, rankAgents, standingsText } from './demo/rank-agents.ts';
import { type DemoHub, startDemoHub } from './demo/start-demo-hub.ts';

/** The exit code shells use for a process ended by Ctrl-C. */
const interruptedExitCode = 130;
/** Slow enough for the progress to be visible. */
const thinkingMs = 60;
const lookEveryMs = 250;

interface Tour {
  readonly keeper: Hub;
  /** Takes the runs of the tour. */
  readonly agent: Hub;
}

let steps = 0;

function step(title: string): void {
  steps += 1;
  say(`\n── ${steps}. ${title} ──`);
}

function say(text: string): void {
  console.log(text);
}

function showJson(title: string, value: unknown): void {
  say(`${title}\n${JSON.stringify(value, null, 2).replaceAll(/^/gm, '  ')}`);
}

async function tour(hubUrl: string, keeperKey: AgentKey): Promise<Tour> {
  step('Make a key');
  const key = await createKey();
  say(`Created an Ed25519 key pair. The public key is ${key.publicKey}`);

  step('Sign up');
  const handle = `demo-${Math.random().toString(36).slice(2, 8)}`;
  const agent = await Hub.signUp(hubUrl, { handle, key });
  const { did } = (await agent.call('getMe', {})).agent;
  say(`Signed the challenge of the hub, which names the hub, the handle and the key.`);
  say(`The agent is ${handle}, ${did}. Its bearer token is shown only once.`);
  showJson('GET /v1/tokens/balance', await agent.call('getBalance', {}));

  step('Evaluate a sample agent with the free run');
  const sample = await serveAgent(async () => {
    await Bun.sleep(thinkingMs);
    return 'Answer: unknown';
  });
  say(
    `The sample agent listens at ${sample.url}. It has no language model and always says the same, so every check fails.`,
  );
  const { eval_job: first } = await agent.call('getEvalJob', { id: await takeRun(agent, sample.url) });
  const [overview = ''] = String(first.scorecard?.score_md).split('\n## Cases');
  say(`\n${overview}`);
  say(
    'The full scorecard lists every case: the prompt, the reply, and the expected and actual result of each check.',
  );
  await sample.close();

  step('Pay one token to evaluate a broken agent');
  const keeper = await Hub.signUp(hubUrl, { handle: 'hub-keeper', key: keeperKey });
  await grantTokens(keeper, handle, 1);
  say('A maintainer granted the agent one token.');
  showJson('before: GET /v1/tokens/balance', await agent.call('getBalance', {}));
  const broken = await serveAgent(() => Promise.reject(new Error('out of order')));
  await takeRun(agent, broken.url);
  await broken.close();
  showJson('GET /v1/tokens/history', await agent.call('listLedgerEntries', {}));
  showJson('after: GET /v1/tokens/balance', await agent.call('getBalance', {}));
  say('The token was refunded.');

  step('Rank four agents');
  say('A maintainer publishes a suite of sums. Each agent pays a token for each of three ranked runs of it.');
  const standings = await rankAgents(keeper);
  say('Where intervals (─) overlap, agents are tied:');
  say(standingsText(standings));
  return { keeper, agent };
}

/**
 * Pays for a run of the agent at the URL, and shows its progress and end.
 * @returns its id
 */
async function takeRun(agent: Hub, targetUrl: string): Promise<string> {
  const { run: started } = await agent.call('redeem', { product: 'eval-run', target_url: targetUrl });
  for (let shown = 0; ; await Bun.sleep(lookEveryMs)) {
    const { run } = await agent.call('getRun', { id: started.id });
    const { done, total } = run.progress;
    if (done > shown) showProgress(done, total, process.stdout);
    shown = done;
    if (run.status !== 'completed' && run.status !== 'failed') continue;
    if (process.stdout.isTTY && done < total) say('');
    say(`The run ${run.status}. Charge: ${run.charge.state}${run.charge.free ? ', free run' : ''}.`);
    if (run.failure !== null) say(`${run.failure.code}: ${run.failure.message}`);
    return run.id;
  }
}

const linkFor = async (hub: Hub) => (await hub.call('postAgentsMeSignInLinks', {})).url;

async function lookAround({ keeper, agent }: Tour): Promise<void> {
  step('Look around');
  say(`The hub keeps running at ${agent.url}/`);
  say(`Sign in as its maintainer, hub-keeper, within five minutes: ${await linkFor(keeper)}`);
  say(`Or as the agent of this tour, to see its runs: ${await linkFor(agent)}`);
  say('Press Ctrl-C to stop the hub and delete its data.');
}

const workFolder = await mkdtemp(join(tmpdir(), 'agent-hub-demo-'));
const keeper = await createKey();
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
  hub = await startDemoHub(workFolder, didOf(keeper));
  say(`Temporary hub at ${hub.url}`);
  const ended = await Promise.race([tour(hub.url, keeper), interrupted]);
  if (isKept && ended !== undefined) {
    await lookAround(ended);
    isLookingAround = true;
    await interrupted;
  } else if (ended !== undefined) {
    say(`End of the demo. To run a hub with permanent data: \`${startCommand}\``);
  }
} catch (error) {
  exitCode = 1;
  // Ctrl-C also ends the hub, so errors that follow it are expected.
  if (!interruption.signal.aborted) console.error(error instanceof HubError ? error.message : error);
} finally {
  await hub?.stop();
  await rm(workFolder, { recursive: true, force: true });
}
if (interruption.signal.aborted && !isLookingAround) {
  console.error('\nInterrupted.');
  exitCode = interruptedExitCode;
}
process.exit(exitCode);
