/** Every tool of `/mcp` and of agent runs succeeds and fails in a form that models can read. */
import { expect, test } from 'bun:test';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { readStore } from '#test/harness/read-store.ts';
import { createThings } from '#test/harness/create-things.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { useTestAgent } from '#test/harness/hub.ts';
import { startTarget } from '#test/harness/target.ts';
import {
  type AnyClient,
  callTool,
  connectModern,
  expectTurnedAway,
  refusalOf,
  useTool,
} from './mcp-clients.ts';

const { hub } = useEventHub({ rules: { baseUrl: 'http://127.0.0.1' } });
const agent = useTestAgent(hub, { handle: 'ada', tokens: 10 });

const nobody = '019a0000-0000-7000-8000-000000000000';

interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
}

/**
 * Calls tools, remembers which have succeeded, failed and changed the store, and holds each to its hints: one that only
 * reads changes nothing, and neither does the repetition of an idempotent one.
 */
function witness(client: AnyClient, hints: ReadonlyMap<string, Annotations>) {
  const seen = { used: new Set<string>(), refused: new Set<string>(), changed: new Set<string>() };
  return {
    ...seen,
    use: async (name: string, args: Record<string, unknown> = {}) => {
      seen.used.add(name);
      const before = await readStore(hub.ctx.db);
      const result = await useTool(client, name, args);
      const after = await readStore(hub.ctx.db);
      const { readOnlyHint = false, idempotentHint = false } = hints.get(name) ?? {};
      if (readOnlyHint) expect([name, after]).toEqual([name, before]);
      else if (!Bun.deepEquals(before, after)) seen.changed.add(name);
      if (idempotentHint) {
        await callTool(client, name, args);
        expect([name, await readStore(hub.ctx.db)]).toEqual([name, after]);
      }
      return result;
    },
    refuse: async (name: string, args: Record<string, unknown>, error: string) => {
      seen.refused.add(name);
      const refusal = await refusalOf(client, name, args);
      expect([name, refusal.error]).toEqual([name, error]);
      return refusal;
    },
  };
}

type Witness = ReturnType<typeof witness>;

async function signUp({ use, refuse }: Witness): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const [handle, agent_type] = ['grace-7', 'other'];
  const public_key = rawBase64(publicKey);
  const signatureOf = (text: string): string => sign(null, Buffer.from(text), privateKey).toString('base64');
  const first = await use('sign_up', { handle, agent_type, public_key });
  await refuse('verify_signature', { handle, signature: signatureOf('x') }, 'invalid_signature');
  await use('verify_signature', { handle, signature: signatureOf(first.challenge) });
  await use('log_in', { handle });
}

function rawBase64(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
}

async function meetOthers({ use, refuse }: Witness): Promise<void> {
  const things = await createThings(hub, agent);
  await use('get_me');
  expect((await use('update_me', { bio: 'New here' })).agent.bio).toBe('New here');
  await refuse('get_cases', { run_id: nobody, known: [7] }, 'invalid_body');
  await use('list_agents', { limit: 1 });
  await use('post_to_forum', { thread_id: things['threads'], body: 'A reply' });
  const both = { thread_id: things['threads'], title: 'A title', body: 'A reply' };
  const { message } = await refuse('post_to_forum', both, 'invalid_body');
  expect(message).toBe('`title` cannot be combined with `thread_id`, `body`.');
  await use('read_forum', { thread_id: things['threads'] });
  await use('publish_skill', {
    name: 'a-skill',
    description: 'Does it.',
    repo_url: 'https://skills.example/a',
  });
  await use('list_skills', { name: 'a-skill' });
  const work_order_id = things['work-orders'];
  const moved = await use('change_work_order', { work_order_id, to: 'interrogating' });
  expect(moved.work_order.status).toBe('interrogating');
  await use('list_work_orders', { work_order_id });
  const event_id = things['events'];
  // Without a key of its own.
  await use('book_seat', { event_id });
  await refuse('book_seat', { event_id, idempotency_key: 'two' }, 'already_reserved');
  const { event } = await use('list_events', { event_id });
  expect(event.seats_available).toBe(event.seats_total - 1);
  await use('book_seat', { event_id, cancel: true });
  const { hint } = await refuse('list_events', { event_id: nobody }, 'event_not_found');
  // Not `GET /v1/events`, which a host cannot call.
  expect(hint).toBe('List upcoming events with list_events.');
  await use('list_events', { mine: true });
  await use('list_suites');
  await use('get_notifications');
}

async function getEvaluated({ use, refuse }: Witness): Promise<void> {
  const { parts } = await use('practice');
  const case_id: string = parts[0].case_ids[0];
  expect((await use('practice', { case_id })).practice.case_id).toBe(case_id);
  expect((await use('practice', { case_id, text: 'wrong' })).passed).toBe(false);
  await refuse('practice', { case_id: 'none', text: '1' }, 'case_not_found');
  await using target = startTarget(() => 'A reply');
  await use('probe_target', { target: { url: target.url } });
  await refuse('probe_target', { target: { url: 'http://10.0.0.1/' } }, 'invalid_target_url');
  const runs: string[] = [];
  for (const idempotency_key of ['first', 'second']) {
    const args = { max_prompt_tokens: 8_000, idempotency_key };
    const { run: job } = await use('start_run', args);
    runs.push(job.id);
    for (let ended = false; !ended;) {
      const fetched = await use('get_cases', { run_id: job.id, limit: 8 });
      const answers = fetched.cases.map(({ case_id }: { case_id: string }) => ({ case_id, text: '42' }));
      ({ ended } = await use('answer', { run_id: job.id, answers }));
    }
  }
  const [run_id, other_run_id] = runs;
  await refuse('answer', { run_id, answers: [{ case_id: nobody, text: '' }] }, 'run_ended');
  await use('get_report', { run_id });
  await use('get_case', { run_id, case_id: 'word-1' });
  await use('compare_runs', { run_id, other_run_id });
  const [{ id: week }, { id: otherWeek }] = [
    await completeAgentRun(actingAs(hub.ctx, agent)),
    await completeAgentRun(actingAs(hub.ctx, agent)),
  ];
  for (const id of [run_id, week]) {
    const { text: full } = await use('get_report', { run_id: id, detail: 'full' });
    expect([id, full]).toEqual([id, expect.stringContaining('\n## Cases\n\n### ')]);
    const { text: failed } = await use('get_report', { run_id: id, detail: 'failed' });
    const itemsOf = (text: string): readonly string[] =>
      text.split('\n## Cases\n')[1]?.match(/^### .*$/gm) ?? [];
    const isMissed = (line: string): boolean => !line.includes(': passed');
    expect([id, itemsOf(failed)]).toEqual([id, itemsOf(full).filter(isMissed)]);
    expect(itemsOf(failed).length).toBeGreaterThan(0);
  }
  const { comparison } = await use('compare_runs', { run_id: week, other_run_id: otherWeek });
  expect(comparison).toMatchObject({ before: { id: week }, after: { id: otherWeek } });
  await refuse('compare_runs', { run_id, other_run_id: otherWeek }, 'conflict');
  expect((await use('get_report', { run_id: week })).run.id).toBe(week);
  await refuse('cancel_run', { run_id: week }, 'run_ended');
  const { run: office } = await use('start_run', { product: 'agent-run' });
  const { cases, shared } = await use('get_cases', { run_id: office.id });
  expect([cases[0].case_id, JSON.stringify(shared)]).toEqual([
    'task-1',
    expect.stringContaining('notes_read'),
  ]);
  const look = { case_id: 'task-1', step: 0, tool_calls: [{ name: 'notes_read', arguments: {} }] };
  const looked = await use('answer', { run_id: office.id, answers: [look] });
  expect(looked.note).toContain('`step`');
  expect(looked.cases).toMatchObject([{ case_id: 'task-1', step: 1, messages: [{ role: 'tool' }] }]);
  expect((await use('cancel_run', { run_id: office.id })).run.cancelled).toBe(true);
  const { next_cursor } = await use('get_notifications');
  await use('get_notifications', { up_to: next_cursor });
  expect((await use('get_balance')).balance).toBeNumber();
  await use('request_tokens', { amount: 1, reason: 'For a run' });
  const { message } = await refuse('compare_runs', { run_id: week }, 'invalid_body');
  expect(message).toBe('`other_run_id` is required but missing.');
}

test('the text of every tool is short and names its structured content, and every error has a hint', async () => {
  const url = new URL(`${hub.url}/mcp`);
  const [stranger, member] = [
    await connectModern(url, null, 'auto'),
    await connectModern(url, agent.bearerToken, 'auto'),
  ];
  const { tools } = (await member.listTools()) as { tools: { name: string; annotations: Annotations }[] };
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]));
  const seen = [witness(stranger, hints), witness(member, hints)] as const;
  await signUp(seen[0]);
  await meetOthers(seen[1]);
  await getEvaluated(seen[1]);
  const names = tools.map(({ name }) => name).toSorted();
  for (const name of names) await seen[1].refuse(name, { no_such_argument: 1 }, 'invalid_body');
  await expectTurnedAway(stranger, 'get_me');
  await expectTurnedAway(stranger, 'get_balance');
  for (const outcome of ['used', 'refused'] as const) {
    const all = new Set(seen.flatMap((one) => [...one[outcome]]));
    expect([outcome, [...all].toSorted()]).toEqual([outcome, names]);
  }
  const withHint = (wanted: (hint: Annotations) => boolean) =>
    tools
      .filter(({ annotations }) => wanted(annotations))
      .map(({ name }) => name)
      .toSorted();
  // A probe is not stored, but calls a target.
  const changed = new Set(seen.flatMap((one) => [...one.changed])).add('probe_target');
  expect([...changed].toSorted()).toEqual(withHint(({ readOnlyHint = false }) => !readOnlyHint));
  // They end or overwrite what others, or the owner, may still want.
  const destructive = ['book_seat', 'cancel_run', 'change_work_order', 'update_me'];
  expect(withHint(({ destructiveHint = false }) => destructiveHint)).toEqual(destructive);
  await Promise.all([stranger.close(), member.close()]);
});
