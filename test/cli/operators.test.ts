/** What operators see and decide on the command line, each command as its own process. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { didOf } from '#cli/client/agent-key.ts';
import { rotateKey } from '#domain/account/rotate-key.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { createSupporter } from '#domain/supporters/create-supporter.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { requestVerification } from '#domain/verification/request-verification.ts';
import { newKey, openRotation, signUp } from '#test/domain/agents/sign-up.ts';
import { handle as handleSeats } from '#test/domain/events/run-commands.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { createTestEvent, startTestSeats, type TestSeats } from '#test/harness/events.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { databaseUrlOf, type EndedCommand, runHubCommand } from '#test/harness/hub-command.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
const nobody = '01900000-0000-7000-8000-000000000000';

onStore('sqlite', (store) => {
  let seats: TestSeats;
  let maintainer: TestAgent;

  const ctx = useTestCtx(store);
  // Before Redis is stopped.
  afterAll(() => seats.stop());
  const redis = useTestRedis();
  beforeAll(async () => {
    seats = await startTestSeats(ctx, redis.url);
    maintainer = await createTestAgent(ctx, { handle: 'grace-1' });
    ctx.maintainerDids.add(maintainer.did);
  });
  function hub(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<EndedCommand> {
    return runHubCommand(words, {
      DATABASE_URL: databaseUrlOf(store.setting),
      REDIS_URL: redis.url,
      MAINTAINER_DIDS: maintainer.did,
      ...env,
    });
  }

  async function done<Answer>(words: readonly string[]): Promise<Answer> {
    const ended = await expectSuccess(hub([...words, '--json']));
    return ended.json() as Answer; // The caller knows the shape of what it asked for.
  }

  test('agents are listed and shown, and tokens granted as the only maintainer', async () => {
    const agent = await createTestAgent(ctx, { handle: 'ada-7' });
    const granted = await done('tokens grant ada-7 5 Thanks --reference one --as grace-1'.split(' '));
    expect(granted).toEqual({ handle: 'ada-7', balance: 5, granted: true });
    const again = await hub(['tokens', 'grant', 'ada-7', '5', '--reference', 'one', '--as', 'grace-1']);
    expect(again.printed).toContain('ada-7 now has 5 tokens; this reference was granted before');

    const { agents } = await done<{ agents: { handle: string; did: string }[] }>(['agents', 'list']);
    expect(agents).toContainEqual(expect.objectContaining({ handle: 'ada-7', did: agent.did }));
    const few = await hub(['agents', 'list', '--limit', '1']);
    expect(few.printed).toContain('There are more. Use --limit to show them.');
    const shown = await done<{ balance: unknown }>(['agents', 'show', 'ada-7']);
    expect(shown.balance).toEqual({ balance: 5, held: 0, free_eval_available: true, next_expiry: null });
    await expectRefusal(hub(['agents', 'show', 'nobody']), 1, 'unknown_handle');
  });

  test('an operator acts as an existing maintainer, who must be named if there are several', async () => {
    const add = ['supporters', 'add', 'grace-1'];
    await expectRefusal(hub(add, { MAINTAINER_DIDS: '' }), 78, 'hub maintainers add');
    const other = await createTestAgent(ctx, { handle: 'grace-2' });
    const both = { MAINTAINER_DIDS: `${maintainer.did},${other.did}` };
    await expectRefusal(hub(add, both), 2, 'grace-1, grace-2');
    await expectRefusal(hub([...add, '--as', 'grace-2']), 2, 'not a maintainer');
  });

  test('a maintainer whose key has changed is dismissed by its handle and by either did', async () => {
    const agent = await signUp(ctx, 'ruth-1');
    const next = newKey();
    const { did } = await rotateKey(agent.ctx, await openRotation(agent.ctx, agent.key, next));
    const former = { MAINTAINER_DIDS: agent.agent.did };
    for (const named of [did, agent.agent.did, 'ruth-1']) {
      expect((await hub(['maintainers', 'list'], former)).printed).toContain('ruth-1');
      const removed = await expectSuccess(hub(['maintainers', 'remove', named, '--json'], former));
      expect(removed.json()).toEqual({ handle: 'ruth-1', did, maintainer: false, changed: true });
      expect((await hub(['maintainers', 'list'], former)).printed).not.toContain('ruth-1');
      const again = await expectSuccess(hub(['maintainers', 'remove', named], former));
      expect(again.printed).toBe('ruth-1 was not a maintainer. Nothing was changed.\n');
      await expectSuccess(hub(['maintainers', 'add', agent.agent.did], former));
    }
    await expectSuccess(hub(['maintainers', 'remove', 'ruth-1']));
    const mistyped = hub(['maintainers', 'remove', didOf(newKey())]);
    await expectRefusal(mistyped, 1, /^No agent has, or had, `did:key:/);
  });

  test('support is added and ended; ending it without a terminal needs --yes', async () => {
    await createTestAgent(ctx, { handle: 'sue-1' });
    const added = await done('supporters add sue-1 --tier sponsor --ends 2999-01-01T00:00Z'.split(' '));
    expect(added).toMatchObject({ handle: 'sue-1', tier: 'sponsor', ends_at: '2999-01-01T00:00:00.000Z' });
    await expectRefusal(hub(['supporters', 'end', 'sue-1']), 2, 'Add --yes');
    const { supporters } = await done<{ supporters: unknown[] }>(['supporters', 'list']);
    expect(supporters).toContainEqual(expect.objectContaining({ handle: 'sue-1', tier: 'sponsor' }));
    await done(['supporters', 'end', 'sue-1', '--yes']);
    const wall = await hub(['supporters', 'list']);
    expect(wall.printed).toBe('None.\n');
  });

  test('verification requests are listed and decided on behalf of the maintainer', async () => {
    const asking = await createTestAgent(ctx, { handle: 'vera-1' });
    const support = { handle: 'vera-1', tier: 'supporter', endsAt: null } as const;
    await createSupporter(actingAs(ctx, maintainer), support);
    const statement = 'It is \u001b[2Jme.';
    const { request: review } = await requestVerification(actingAs(ctx, asking), { statement });
    const listed = await hub(['verification', 'list']);
    // Text from an agent must not control the terminal.
    expect(listed.printed).toContain('It is [U+001B][2Jme.');
    expect(await done(['verification', 'approve', review.id, '--yes'])).toMatchObject({
      verification: { agent_handle: 'vera-1', status: 'approved', decided_by: 'grace-1' },
    });
    const rejected = hub(['verification', 'reject', review.id, '--yes']);
    const again = await expectRefusal(rejected, 1, 'already_decided');
    // The way out shows what was decided.
    const wayOut = again.complaints.match(/ hub (verification list .*) lists/)?.[1]?.split(' ') ?? [];
    expect((await hub(wayOut)).printed).toContain(review.id);
    const withdrawn = ['verification', 'withdraw', 'vera-1', 'Its owner has left'];
    expect(await done(withdrawn)).toEqual({ handle: 'vera-1', verified_badge: false });
    const log = await hub(['moderation', 'log']);
    expect(log.printed).toMatch(/grace-1 +withdraw_badge +agent +vera-1 +Its owner has left/);
    await expectRefusal(hub(['verification', 'withdraw', 'nobody-here', 'Why?']), 1, 'unknown_handle');
  });

  test('content is hidden and locked, reports are decided, and the log shows it', async () => {
    const ada = await createTestAgent(ctx, { handle: 'mona-1' });
    const { id } = await startThread(actingAs(ctx, ada), { title: 'x', body: 'x' });
    const subject = { kind: 'thread', id } as const;
    const report = await reportSubject(actingAs(ctx, ada), { subject, reason: 'Mine' });
    const listed = await hub(['reports', 'list', '--json']);
    expect(listed.json()).toMatchObject({ reports: [{ id: report.id, subject, reporter_handle: 'mona-1' }] });
    expect((await hub(['reports', 'uphold', report.id, 'Right'])).printed).toContain('The report is upheld');
    expect((await hub(['moderation', 'hide', 'thread', id, 'Spam'])).printed).toContain('is hidden');
    expect((await hub(['moderation', 'lock', id])).printed).toContain('is locked');
    await expectRefusal(hub(['moderation', 'hide', 'event', id, 'Spam']), 2, 'must be one of');
    await expectRefusal(hub(['moderation', 'hide', 'agent', 'grace-1', 'Spam']), 1, 'cannot act on yourself');
    const log = await hub(['moderation', 'log', '--limit', '3', '--json']);
    expect(log.json()).toMatchObject({
      entries: [{ act: 'lock' }, { act: 'hide', reason: 'Spam' }, { act: 'decide_report' }],
    });
  });

  test('emails are read and marked', async () => {
    const id = await receiveTestEmail(ctx, 'Where do I sign up?');
    const { emails } = await done<{ emails: unknown[] }>(['inbox', 'list', '--status', 'new']);
    expect(emails).toContainEqual(expect.objectContaining({ id, subject: 'Where do I sign up?' }));
    const shown = await hub(['inbox', 'show', id]);
    expect(shown.printed).toContain('Hello');
    expect(await done(['inbox', 'archive', id])).toMatchObject({ email: { status: 'archived' } });
    expect(await done(['inbox', 'triage', id])).toMatchObject({ email: { status: 'triaged' } });
    await expectRefusal(hub(['inbox', 'show', nobody]), 1, 'email_not_found');
    expect((await hub(['inbox', 'show', 'that-one'])).exitCode).toBe(2);
  });

  test('an event is created, and cancelling it refunds its seats through its actor', async () => {
    const words = ['events', 'create', '--title', 'Scores', '--description', 'Two\nlines', '--seats', '3'];
    const rest = ['--price', '2', '--starts', '2999-01-01T10:00:00Z', '--ends', '2999-01-01T11:00:00+00:00'];
    const { event } = await done<{ event: { id: string } }>([...words, ...rest, '--presenter', 'Ada']);
    expect(event).toMatchObject({ host_handle: 'grace-1', seats_available: 3, status: 'scheduled' });
    const never = hub([...words, ...rest.with(3, '2999-02-30T10:00:00Z'), '--presenter', 'Ada']);
    await expectRefusal(never, 2, 'a valid time');

    const guest = await createTestAgent(ctx, { tokens: 2 });
    const { id: eventId } = await createTestEvent(ctx, { tokenPrice: 2 });
    const reserve = {
      kind: 'reserve-seat',
      agentId: guest.id,
      agentHandle: guest.handle,
      key: 'one',
    } as const;
    await handleSeats(ctx, eventId, reserve);
    expect((await hub(['events', 'cancel', eventId])).exitCode).toBe(2);
    const cancelled = await done(['events', 'cancel', eventId, '--yes']);
    expect(cancelled).toMatchObject({ event: { status: 'cancelled', seats_taken: 0 } });
    const balances = await readBalances(ctx.db, [guest.id], ctx.clock.now());
    expect(balances.get(guest.id)?.balance).toBe(2);
    expect((await hub(['events', 'show', eventId])).printed).toContain('cancelled');
    const { events } = await done<{ events: { id: string }[] }>(['events', 'list']);
    expect(events.map(({ id }) => id)).toEqual(expect.arrayContaining([eventId, event.id]));
  });
});

test('a folder without a hub is reported', async () => {
  const away = runHubCommand(['audit'], { DATA_DIR: '/nonexistent-hub' });
  await expectRefusal(away, 78, 'There is no database at /nonexistent-hub/hub.sqlite');
  const none = runHubCommand(['agents', 'list'], { DATABASE_URL: 'none' });
  await expectRefusal(none, 78, 'DATABASE_URL is none');
});
