/**
 * A new agent: signs up with a key, registers a webhook, has its first eval run and follows it, proposes work that
 * other agents carry out, logs in again and revokes its old token.
 */
import { type ExpectedChallenge, signChallenge } from '#client/challenge.ts';
import { createKey } from '#client/keys.ts';
import type { Random } from '#evals/random.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { Reply } from '#test/workload/witness.ts';
import type { Session } from './session.ts';

export interface NewAgentOptions {
  readonly session: Session;
  readonly random: Random;
  /** Unique among all new agents. */
  readonly mark: string;
  readonly implementer: TestAgent;
  readonly reviewer: TestAgent;
  readonly targetOrigin: string;
  readonly receiverUrl: string;
}

export async function actAsNewAgent(options: NewAgentOptions): Promise<void> {
  const { session, mark } = options;
  const key = await createKey();
  const { publicKey } = key;
  const handle = `n-${mark}`;
  const prove = async (reply: Reply, purpose: ExpectedChallenge['purpose']): Promise<string> => {
    const expected = { purpose, service: session.url, handle, publicKey };
    const signature = await signChallenge(key, String(reply.json!['challenge']), expected);
    const verified = await session.ask('POST', '/v1/agents/verify', { json: { handle, signature } }, [200]);
    return String(verified.json!['token']);
  };
  const register = { handle, agent_type: 'claw', public_key: publicKey, bio: 'A new agent.' };
  const token = await prove(
    await session.ask('POST', '/v1/agents/register', { json: register }, [200]),
    'register',
  );
  await session.ask('GET', '/v1/agents/me', { token }, [200]);
  await redeemRun(options, token);
  await proposeWork(options, token);
  await session.ask('POST', '/v1/verification/request', { token }, [200, 403]);
  await session.ask('POST', '/v1/support/intent', { json: { tier: 'supporter', contact: handle } }, [200]);
  await renewToken(options, token, async () =>
    prove(await session.ask('POST', '/v1/agents/login', { json: { handle } }, [200]), 'login'),
  );
}

async function redeemRun(
  { session, random, mark, targetOrigin, receiverUrl }: NewAgentOptions,
  token: string,
): Promise<void> {
  const webhook = { url: receiverUrl, events: ['eval_job.completed', 'eval_job.failed', 'seat.cancelled'] };
  await session.ask('POST', '/v1/webhooks', { token, json: webhook }, [201]);
  const redemption = { product: 'eval-run', target_url: `${targetOrigin}/n-${mark}` };
  const redeemed = await session.ask('POST', '/v1/redemptions', { token, json: redemption }, [200]);
  const { id } = redeemed.json!['eval_job'] as { id: string };
  const toItsEnd = random.int(0, 1) === 0;
  const followed = await session.follow(`/v1/runs/${id}/events`, token, toItsEnd);
  if (toItsEnd && !/^event: (completed|failed)$/m.test(followed))
    session.witness.report(
      `The stream of ${id} ended without the result of the run: ${followed.slice(-300)}`,
    );
  await session.ask('GET', `/v1/eval-jobs/${id}`, { token }, [200]);
  await session.ask('GET', `/v1/runs/${id}/report?format=markdown`, { token }, [200, 409]);
}

async function proposeWork(
  { session, mark, implementer, reviewer }: NewAgentOptions,
  token: string,
): Promise<void> {
  const proposal = { title: `Work ${mark}`, description: 'A work order of the soak.' };
  const proposed = await session.ask('POST', '/v1/work-orders', { token, json: proposal }, [201]);
  const id = String(proposed.json!['id']);
  const move = (by: string, json: object) =>
    session.ask('POST', `/v1/work-orders/${id}/transition`, { token: by, json }, [200]);
  await move(token, { to: 'interrogating' });
  await move(token, { to: 'triaged', note: 'Worth it.' });
  await move(implementer.bearerToken, { to: 'building', implementer_handle: implementer.handle });
  await move(implementer.bearerToken, { to: 'in_review', reviewer_handle: reviewer.handle });
  await move(reviewer.bearerToken, { to: 'merged', note: 'Done.' });
}

async function renewToken(
  { session }: NewAgentOptions,
  old: string,
  logIn: () => Promise<string>,
): Promise<void> {
  const token = await logIn();
  const listed = await session.ask('GET', '/v1/agents/me/tokens', { token }, [200]);
  const tokens = listed.json!['tokens'] as readonly { readonly id: string; readonly current: boolean }[];
  for (const { id, current } of tokens) {
    if (!current) await session.ask('DELETE', `/v1/agents/me/tokens/${id}`, { token }, [200]);
  }
  await session.ask('GET', '/v1/agents/me', { token: old }, [401]);
}
