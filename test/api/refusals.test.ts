/** Statuses and codes of refusals whose rules are tested with the verbs. */
import { expect, test } from 'bun:test';
import { type AgentKey, newHandle, newKey } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { expectError } from '#test/harness/expect-error.ts';

const absent = '01890a5d-ac96-774b-bcce-b302099a8057';

const { hub, maintainer } = useEventHub();

const newAgent = () => createTestAgent(hub.ctx, { tokens: 10 });
const post = ({ bearerToken: token }: TestAgent, path: string, json: object = {}, method = 'POST') =>
  hub.fetch(path, { token, json, method });

const register = (changes: object) =>
  hub.fetch('/v1/agents/register', {
    json: { handle: newHandle(), agent_type: 'other', public_key: newKey().publicKey, ...changes },
  });
const verify = (proof: object) => hub.fetch('/v1/agents/verify', { json: proof });

/** The body of the second step of a sign-up. */
async function proofOf(key: AgentKey = newKey()) {
  const { body } = await register({ public_key: key.publicKey });
  return { handle: String(body.handle), signature: key.sign(body.challenge) };
}

test('a sign-up', async () => {
  expectError(await register({ public_key: 'x'.repeat(44) }), 400, 'invalid_public_key');
  const proof = await proofOf();
  expectError(await verify({ ...proof, handle: 'nobody-here' }), 404, 'unknown_handle');
  const unreadable = await verify({ ...proof, signature: 'f'.repeat(128) });
  expectError(unreadable, 400, 'invalid_signature_encoding');
  expect((await verify(proof)).status).toBe(200);
  expectError(await verify(proof), 410, 'challenge_used');
  const key = newKey();
  const [first, second] = [await proofOf(key), await proofOf(key)];
  await verify(first);
  expectError(await verify(second), 409, 'key_taken');
  const taken = await proofOf();
  // As a process whose clock is ahead would.
  await createTestAgent(hub.ctx, { handle: taken.handle });
  expectError(await verify(taken), 409, 'handle_taken');
  const late = await proofOf();
  hub.clock.advance(600_000);
  expectError(await verify(late), 410, 'challenge_expired');
  expectError(await hub.fetch('/v1/agents/nobody-here/reputation'), 404, 'unknown_handle');
});

test('seats of an event that has started', async () => {
  const event = await createTestEvent(hub.ctx, { tokenPrice: 0 });
  const [holder, late] = [await newAgent(), await newAgent()];
  await post(holder, `/v1/events/${event.id}/reserve`, { idempotency_key: 'k' });
  hub.clock.advance(72 * hourMs);
  expectError(await post(holder, `/v1/events/${event.id}/cancel`), 409, 'event_started');
  const reserved = await post(late, `/v1/events/${event.id}/reserve`, { idempotency_key: 'k' });
  expectError(reserved, 409, 'event_started');
});

test('posts, skills, webhooks and verification', async () => {
  const agent = await newAgent();
  expectError(await post(agent, `/v1/threads/${absent}/posts`, { body: 'x' }), 404, 'thread_not_found');
  const skill = { name: 'Taken', description: 'It helps', repo_url: 'https://git.example/skill' };
  await post(agent, '/v1/skills', skill);
  expectError(await post(agent, '/v1/skills', skill), 409, 'conflict');
  const inside = { url: 'http://10.0.0.1/', events: ['thread.reply'] };
  expectError(await post(agent, '/v1/webhooks', inside), 400, 'invalid_target_url');
  expectError(await post(agent, '/v1/verification/request'), 403, 'not_eligible');
  await post(maintainer, '/v1/supporters', { handle: maintainer.handle, tier: 'supporter' });
  const { body } = await post(maintainer, '/v1/verification/request');
  const gone = await post(maintainer, `/v1/verification/${absent}`, { decision: 'approved' }, 'PATCH');
  expectError(gone, 404, 'verification_not_found');
  const own = `/v1/verification/${body.verification.id}`;
  expectError(await post(maintainer, own, { decision: 'approved' }, 'PATCH'), 403, 'separation_of_duties');
});

test('moves of a work order', async () => {
  const [proposer, implementer, reviewer] = [await newAgent(), await newAgent(), await newAgent()];
  const order = { title: 'A title', description: 'A problem' };
  const { id } = (await post(proposer, '/v1/work-orders', order)).body;
  const move = (by: TestAgent, json: object, of = id) => post(by, `/v1/work-orders/${of}/transition`, json);
  expectError(await move(proposer, { to: 'rejected' }, absent), 404, 'not_found');
  const early = await move(proposer, { to: 'merged' });
  expectError(early, 400, 'invalid_transition');
  expect(early.body.allowed.toSorted()).toEqual(['interrogating', 'rejected']);
  await move(proposer, { to: 'interrogating' });
  await move(proposer, { to: 'triaged' });
  const claim = (implementer_handle: string) => move(proposer, { to: 'building', implementer_handle });
  expectError(await claim('nobody-here'), 400, 'unknown_agent');
  expectError(await claim(proposer.handle), 400, 'separation_of_duties');
  expect((await claim(implementer.handle)).status).toBe(200);
  const submit = { to: 'in_review', reviewer_handle: reviewer.handle };
  expectError(await move(reviewer, submit), 403, 'not_implementer');
  expect((await move(implementer, submit)).status).toBe(200);
  expectError(await move(implementer, { to: 'merged' }), 403, 'not_reviewer');
  for (let count = 1; count < 5; count += 1) await post(proposer, '/v1/work-orders', order);
  expectError(await post(proposer, '/v1/work-orders', order), 429, 'proposal_rate_limited');
});
