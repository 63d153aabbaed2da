/** `hub freeze`, `hub move` and `hub unfreeze` from the command line. */
import { beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { untilSettled } from '#cli/hub/groups/freeze.ts';
import { freezeSettlesMs, guardFreeze } from '#db/transaction.ts';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { usePlaces } from '#test/db/use-places.ts';
import { useScratchStore } from '#test/harness/stores.ts';

const store = useScratchStore('sqlite');
const place = usePlaces();
/** The addresses of a Postgres and of a file. */
let [target, file] = ['', ''];
beforeAll(async () => {
  [target = '', file = ''] = (await Promise.all([place('postgres'), place('sqlite')])).map(databaseUrlOf);
  await createTestAgent(createTestCtx(store.db), { handle: 'ada', tokens: 5 });
});
const ofSource = () => ({ DATABASE_URL: databaseUrlOf(store.setting) });

test('a hub is frozen, moved to Postgres and back, and unfrozen; each command can be repeated', async () => {
  const from = ofSource();
  const move = (to: string, env = from) => runHubCommand(['move', '--to', to, '--json'], env);
  await expectRefusal(move(target), 1, 'Stop all of them, or run `hub freeze`');

  expect((await runHubCommand(['maintainers', 'add', 'ada'], from)).exitCode).toBe(0);
  // Long enough ago for the commands not to wait.
  const clock = { now: () => new Date(Date.now() - 60_000) };
  await freezeHub({ ...createTestCtx(store.db), clock }, { reason: 'Moving' });
  const frozen = await runHubCommand(['freeze', '--reason', 'Again', '--json'], from);
  expect(frozen.json()).toMatchObject({ frozen: true, changed: false, reason: 'Moving' });

  const moved = await expectSuccess(move(target));
  expect(moved.json()).toMatchObject({ moved: true, source_frozen: true });
  await expectRefusal(move(target), 1, 'its table agents has rows');

  const back = await expectSuccess(move(file, { DATABASE_URL: target }));
  expect(back.json()).toMatchObject({ moved: true, source_frozen: false });
  const there = { DATABASE_URL: file };
  expect((await runHubCommand(['maintainers', 'list'], there)).printed).toContain('ada');
  expect((await runHubCommand(['audit'], there)).exitCode).toBe(0);

  for (const changed of [true, false]) {
    const ended = await runHubCommand(['unfreeze', '--json'], from);
    expect(ended.json()).toMatchObject({ frozen: false, changed });
  }
});

test('a freeze that is ended while `hub freeze` waits is no success', async () => {
  const frozenAt = new Date(Date.now() - freezeSettlesMs + 300);
  const ctx = createTestCtx(store.db);
  await freezeHub({ ...ctx, clock: { now: () => frozenAt } }, { reason: null });
  const waiting = untilSettled(guardFreeze(store.db), frozenAt);
  await unfreezeHub(ctx);
  await expect(waiting).rejects.toThrow('ended while this command waited');
});

test('a freeze is that of the store, however long storing it takes', async () => {
  const ctx = createTestCtx(store.db);
  let nowMs = Date.now() - 2 * freezeSettlesMs;
  const clock = { now: () => new Date((nowMs += 1)) };
  const { freeze, changed } = await freezeHub({ ...ctx, clock }, { reason: 'Moving' });
  expect([freeze?.reason, changed]).toEqual(['Moving', true]);
  await untilSettled(guardFreeze(store.db), freeze?.frozenAt ?? new Date(0));
  await unfreezeHub(ctx);
});

test('a target that is no database is a wrong command line, and nothing is made', async () => {
  for (const to of ['', 'none', 'mysql://db/hub', '/tmp/hub.sqlite'])
    await expectRefusal(runHubCommand(['move', '--to', to], ofSource()), 2, '--to must be');
  expect(existsSync('/tmp/hub.sqlite')).toBe(false);
});

test('a target that cannot be used is explained with --to, because DATABASE_URL names the source', async () => {
  // No process uses it.
  const from = { DATABASE_URL: file };
  const to = (change: (url: URL) => unknown): string => {
    const url = new URL(target);
    change(url);
    return url.href;
  };
  const password = 'a-password-that-nobody-has';
  const refused = 'rejected the user or the password in --to';
  for (const [given, exitCode, words] of [
    ['postgres://hub@127.0.0.1:1/hub', 1, 'cannot be reached or does not respond. Start it, or set --to'],
    [to((url) => (url.password = password)), 78, refused],
    [to((url) => (url.username = 'nobody')), 78, refused],
    [to((url) => (url.pathname = '/nowhere')), 78, 'or set another one in --to'],
    ['sqlite:/dev/null/hub.sqlite', 78, 'set --to to another place'],
  ] as const) {
    const { complaints } = await expectRefusal(runHubCommand(['move', '--to', given], from), exitCode, words);
    expect(complaints).not.toContain('DATABASE_URL');
    expect(complaints).not.toContain(password);
  }
});
