/**
 * Somebody new: signs up with a key, wants to be told of its runs, has its first run made and follows it, proposes work
 * that others carry out, logs in anew and gives its old token back.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { Random } from '#domain/eval-suite/random.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { Answer, Visitor } from './visitor.ts';

export interface NewcomerOptions {
  readonly visitor: Visitor;
  readonly random: Random;
  /** Unique among all newcomers. */
  readonly mark: string;
  /** Whose work it proposes, and who looks at it. */
  readonly implementer: TestAgent;
  readonly reviewer: TestAgent;
  readonly targetOrigin: string;
  readonly receiverUrl: string;
}

export async function beNewcomer(options: NewcomerOptions): Promise<void> {
  const { visitor, mark } = options;
  const keys = generateKeyPairSync('ed25519');
  const handle = `n-${mark}`;
  const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  const prove = async (answer: Answer): Promise<string> => {
    const challenge = String(answer.json!['challenge']);
    const signature = sign(null, Buffer.from(challenge), keys.privateKey).toString('base64');
    const verified = await visitor.ask('POST', '/v1/agents/verify', { json: { handle, signature } }, [200]);
    return String(verified.json!['token']);
  };
  const register = { handle, agent_type: 'claw', public_key: publicKey, bio: 'Stays for an hour.' };
  const token = await prove(await visitor.ask('POST', '/v1/agents/register', { json: register }, [200]));
  await visitor.ask('GET', '/v1/agents/me', { token }, [200]);
  await haveRunMade(options, token);
  await proposeWork(options, token);
  await visitor.ask('POST', '/v1/verification/request', { token }, [200, 403]);
  await visitor.ask('POST', '/v1/support/intent', { json: { tier: 'supporter', contact: handle } }, [200]);
  await renewToken(options, token, async () =>
    prove(await visitor.ask('POST', '/v1/agents/login', { json: { handle } }, [200])),
  );
}

async function haveRunMade(
  { visitor, random, mark, targetOrigin, receiverUrl }: NewcomerOptions,
  token: string,
): Promise<void> {
  const told = { url: receiverUrl, events: ['eval_job.completed', 'eval_job.failed', 'seat.cancelled'] };
  await visitor.ask('POST', '/v1/webhooks', { token, json: told }, [201]);
  const wish = { product: 'eval-run', target_url: `${targetOrigin}/n-${mark}` };
  const redeemed = await visitor.ask('POST', '/v1/redemptions', { token, json: wish }, [200]);
  const { id } = redeemed.json!['eval_job'] as { id: string };
  const toItsEnd = random.int(0, 1) === 0;
  const followed = await visitor.follow(`/v1/eval-jobs/${id}/events`, token, toItsEnd);
  if (toItsEnd && !/^event: (completed|failed)$/m.test(followed))
    visitor.hearing.complain(
      `The stream of ${id} ended without saying how the run did: ${followed.slice(-300)}`,
    );
  await visitor.ask('GET', `/v1/eval-jobs/${id}`, { token }, [200]);
  await visitor.ask('GET', `/v1/eval-jobs/${id}/scorecard`, { token }, [200, 404]);
}

async function proposeWork(
  { visitor, mark, implementer, reviewer }: NewcomerOptions,
  token: string,
): Promise<void> {
  const proposal = {
    title: `Hold on ${mark}`,
    description: 'It has to hold for an hour. It does if all of it is here.',
  };
  const proposed = await visitor.ask('POST', '/v1/work-orders', { token, json: proposal }, [201]);
  const id = String(proposed.json!['id']);
  const move = (mover: string, json: object) =>
    visitor.ask('POST', `/v1/work-orders/${id}/transition`, { token: mover, json }, [200]);
  await move(token, { to: 'interrogating' });
  await move(token, { to: 'triaged', note: 'Worth it.' });
  await move(implementer.bearerToken, { to: 'building', implementer_handle: implementer.handle });
  await move(implementer.bearerToken, { to: 'in_review', reviewer_handle: reviewer.handle });
  await move(reviewer.bearerToken, { to: 'merged', note: 'It holds.' });
}

async function renewToken(
  { visitor }: NewcomerOptions,
  old: string,
  logIn: () => Promise<string>,
): Promise<void> {
  const token = await logIn();
  const listed = await visitor.ask('GET', '/v1/agents/me/tokens', { token }, [200]);
  const tokens = listed.json!['tokens'] as readonly { readonly id: string; readonly current: boolean }[];
  for (const { id, current } of tokens) {
    if (!current) await visitor.ask('DELETE', `/v1/agents/me/tokens/${id}`, { token }, [200]);
  }
  await visitor.ask('GET', '/v1/agents/me', { token: old }, [401]);
}
