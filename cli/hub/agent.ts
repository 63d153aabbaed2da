/** The commands for agents. They use only the public API. */
import { pointsText } from '#evals/rates.ts';
import { writeFileSync } from 'node:fs';
import { KeyFileFault } from '#client/key-file.ts';
import { type AgentKey, createAgentKey, readAgentKey } from '../client/agent-key.ts';
import { type HubClient, HubRefusal, readEvents } from '../client/hub-client.ts';
import type { Output } from './output.ts';

export interface AgentCommand {
  readonly hub: HubClient;
  readonly output: Output;
}

const ownerOnly = 0o600;
const loginsMax = 5;

/** Writes a new private key to a file that must not exist, and prints the public key. */
export function makeKey(output: Output, file: string): void {
  const { publicKey, did, privatePem } = createAgentKey();
  writeNewFile(file, privatePem);
  output.result({ public_key: publicKey, did, file }, [
    `public key  ${publicKey}`,
    `did         ${did}`,
    `written to  ${file}`,
  ]);
}

function writeNewFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: ownerOnly, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new HubRefusal(`${file} already exists and was not changed. Name a new file.`);
  }
}

interface Verified {
  readonly did: string;
  readonly token: string;
}

/** Registers a new handle. The hub shows the token only once. */
export async function register(
  command: AgentCommand,
  input: { handle: string; agentType: string; keyFile: string },
) {
  const key = readKey(input.keyFile);
  const body = { handle: input.handle, agent_type: input.agentType, public_key: key.publicKey };
  await proveKey(command, 'register', body, key);
}

/** Issues another token for a registered agent. */
export async function login(command: AgentCommand, input: { handle: string; keyFile: string }) {
  await proveKey(command, 'login', { handle: input.handle }, readKey(input.keyFile));
}

async function proveKey(
  { hub, output }: AgentCommand,
  purpose: 'register' | 'login',
  body: { handle: string },
  key: AgentKey,
): Promise<void> {
  const { handle } = body;
  const { did, token } = await prove({ hub, purpose, body, key });
  output.result({ handle, did, token }, [
    `${handle} is ${did}`,
    `token  ${token}`,
    'Save it now: it is not shown again. Other commands read it from the environment: export HUB_TOKEN=…',
  ]);
}

interface Proof {
  readonly hub: HubClient;
  readonly purpose: 'register' | 'login';
  readonly body: { readonly handle: string };
  readonly key: AgentKey;
}

/** After `challenge_used`, logs in: another program signed the challenge, or the agent exists and a response was lost. */
async function prove({ hub, purpose, body, key }: Proof, logins = 1): Promise<Verified> {
  const { handle } = body;
  const { challenge } = await hub.post<{ challenge: string }>(`/v1/agents/${purpose}`, body);
  const signature = key.sign(challenge, { purpose, service: hub.url, handle });
  try {
    return await hub.post<Verified>('/v1/agents/verify', { handle, signature });
  } catch (error) {
    const isUsed = error instanceof HubRefusal && error.code === 'challenge_used';
    if (!isUsed || logins === loginsMax) throw error;
    return prove({ hub, purpose: 'login', body: { handle }, key }, logins + 1);
  }
}

function readKey(file: string): AgentKey {
  try {
    return readAgentKey(file);
  } catch (error) {
    if (!(error instanceof KeyFileFault)) throw error;
    throw new HubRefusal(`${error.message} \`hub keygen\` creates one.`);
  }
}

interface ShownAgent {
  readonly handle: string;
  readonly did: string | null;
  readonly reputation_total: number;
  readonly verified_badge: boolean;
}

export async function whoami({ hub, output }: AgentCommand): Promise<void> {
  const { agent } = await hub.get<{ agent: ShownAgent }>('/v1/agents/me');
  const balance = await hub.get<{ balance: number; held: number; free_eval_available: boolean }>(
    '/v1/tokens/balance',
  );
  output.result({ agent, balance }, [
    `${agent.handle}${agent.verified_badge ? ' (verified)' : ''}  ${agent.did ?? ''}`,
    `reputation  ${agent.reputation_total}`,
    `tokens      ${balance.balance}${balance.held > 0 ? `, ${balance.held} held` : ''}${balance.free_eval_available ? ', first run free' : ''}`,
  ]);
}

/** Prints a link that signs in whoever opens it to the site. */
export async function openSite({ hub, output }: AgentCommand): Promise<void> {
  const link = await hub.post<{ url: string; expires_at: string }>('/v1/agents/me/sign-in-links', {});
  output.result(link, [link.url, `Open it in a browser. It works once, until ${link.expires_at}.`]);
}

export interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly score: number | null;
  readonly charge: { readonly state: string };
  readonly failure: {
    readonly code: string;
    readonly message: string;
    readonly cause: {
      readonly status: number | null;
      readonly excerpt: string | null;
      readonly expected: string;
    } | null;
  } | null;
}

/** @returns whether the run was accepted and, with `--wait`, completed */
export async function redeem(
  command: AgentCommand,
  input: { targetUrl: string; wait: boolean },
): Promise<boolean> {
  const { hub, output } = command;
  const body = { product: 'eval-run', target_url: input.targetUrl };
  const accepted = await hub.post<{ eval_job: ShownRun }>('/v1/redemptions', body);
  const job = input.wait ? await followRun(command, accepted.eval_job.id) : accepted.eval_job;
  output.result(job, [
    `eval run ${job.id}: ${job.status}, charge ${job.charge.state}`,
    ...(job.score === null ? [] : [`score ${pointsText(job.score)} of 100`]),
    ...(job.failure === null ? [] : failureLines(job.failure)),
  ]);
  return job.status !== 'failed';
}

function failureLines({ code, message, cause }: NonNullable<ShownRun['failure']>): string[] {
  const received = cause === null || cause.status === null ? [] : [`received  status ${cause.status}`];
  const excerpt =
    cause === null || cause.excerpt === null ? [] : [`          ${JSON.stringify(cause.excerpt)}`];
  return [
    `${code}: ${message}`,
    ...(cause === null ? [] : [`expected  ${cause.expected}`]),
    ...received,
    ...excerpt,
  ];
}

async function followRun({ hub, output }: AgentCommand, id: string): Promise<ShownRun> {
  for await (const { event, data } of readEvents(await hub.open(`/v1/runs/${id}/events`))) {
    if (event === 'progress') {
      const { done, total } = data as { done: number; total: number };
      output.progress(done, total);
    } else {
      return (data as { run: ShownRun }).run;
    }
  }
  throw new HubRefusal(
    `The progress stream of ${id} ended early. Read the result from GET /v1/eval-jobs/${id}.`,
  );
}

interface ShownSeat {
  readonly id: string;
  readonly status: string;
  readonly price_paid: number;
}

/** @param key identifies the reservation: repeating it returns the same seat and charges nothing */
export async function reserve(
  { hub, output }: AgentCommand,
  input: { eventId: string; key: string },
): Promise<void> {
  const path = `/v1/events/${encodeURIComponent(input.eventId)}/reserve`;
  const answer = await hub.post<{ seat: ShownSeat; ics_url: string; balance: number }>(path, {
    idempotency_key: input.key,
  });
  output.result(answer, [
    `seat ${answer.seat.id}: ${answer.seat.status}, ${answer.seat.price_paid} paid, ${answer.balance} left`,
    `calendar  ${answer.ics_url}`,
  ]);
}

/** The hub does not know that whoever asks may be its operator. */
function sayWhoMayGrant({ message, code }: HubRefusal): HubRefusal {
  return new HubRefusal(
    `${message} Operators: on the machine of the hub, run the command without HUB_TOKEN and with --as <maintainer>, or make this agent a maintainer: \`hub maintainers add <handle>\`.`,
    code,
  );
}

export async function grant(
  { hub, output }: AgentCommand,
  input: {
    handle: string;
    amount: number;
    reason: string;
    reference: string | undefined;
    expires: Date | undefined;
  },
): Promise<void> {
  const { reference, expires, ...rest } = input;
  const answer = await hub
    .post<{ balance: number }>('/v1/tokens/grants', {
      ...rest,
      ...(reference === undefined ? {} : { reference }),
      ...(expires === undefined ? {} : { expires_at: expires.toISOString() }),
    })
    .catch((error: unknown) => {
      throw error instanceof HubRefusal && error.code === 'maintainer_only' ? sayWhoMayGrant(error) : error;
    });
  output.result(answer, [`${input.handle} now has ${answer.balance} tokens`]);
}
