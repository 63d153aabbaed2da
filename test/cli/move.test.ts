/** `hub freeze`, `hub move` and `hub unfreeze` from the command line. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { untilSettled } from '#cli/hub/groups/freeze.ts';
import { freezeSettlesMs, guardFreeze } from '#db/transaction.ts';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { createPlace, openScratchStore, type ScratchStore, type StorePlace } from '#test/harness/stores.ts';

let store: ScratchStore;
let target: StorePlace;
let file: StorePlace;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  target = await createPlace('postgres');
  file = await createPlace('sqlite');
  await createTestAgent(createTestCtx(store.db), { handle: 'ada', tokens: 5 });
});
afterAll(() => Promise.all([store, target, file].map((each) => each.remove())));

test('a hub is frozen, moved to Postgres and back, and unfrozen; each command can be repeated', async () => {
  const from = { DATABASE_URL: databaseUrlOf(store.setting) };
  const move = (to: string, env = from) => runHubCommand(['move', '--to', to, '--json'], env);
  await expectRefusal(move(databaseUrlOf(target.setting)), 1, 'Stop all of them, or run `hub freeze`');

  expect((await runHubCommand(['maintainers', 'add', 'ada'], from)).exitCode).toBe(0);
  // Long enough ago for the commands not to wait.
  const clock = { now: () => new Date(Date.now() - 60_000) };
  await freezeHub({ ...createTestCtx(store.db), clock }, { reason: 'Moving' });
  const frozen = await runHubCommand(['freeze', '--reason', 'Again', '--json'], from);
  expect(frozen.json()).toMatchObject({ frozen: true, changed: false, reason: 'Moving' });

  const moved = await expectSuccess(move(databaseUrlOf(target.setting)));
  expect(moved.json()).toMatchObject({ moved: true, source_frozen: true });
  await expectRefusal(move(databaseUrlOf(target.setting)), 1, 'its table agents has rows');

  const there = { DATABASE_URL: databaseUrlOf(target.setting) };
  const back = await expectSuccess(move(databaseUrlOf(file.setting), there));
  expect(back.json()).toMatchObject({ moved: true, source_frozen: false });
  const maintainers = await runHubCommand(['maintainers', 'list'], {
    DATABASE_URL: databaseUrlOf(file.setting),
  });
  expect(maintainers.printed).toContain('ada');
  const audit = await runHubCommand(['audit'], { DATABASE_URL: databaseUrlOf(file.setting) });
  expect(audit.exitCode).toBe(0);

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
  const from = { DATABASE_URL: databaseUrlOf(store.setting) };
  for (const to of ['', 'none', 'mysql://db/hub', '/tmp/hub.sqlite']) {
    const ended = await runHubCommand(['move', '--to', to], from);
    expect([to, ended.exitCode, ended.complaints]).toEqual([to, 2, expect.stringContaining('--to must be')]);
  }
  expect(existsSync('/tmp/hub.sqlite')).toBe(false);
});

test('a target that cannot be used is explained with --to, because DATABASE_URL names the source', async () => {
  // No process uses it.
  const from = { DATABASE_URL: databaseUrlOf(file.setting) };
  const to = (change: (url: URL) => unknown): string => {
    const url = new URL(databaseUrlOf(target.setting));
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
    const ended = await runHubCommand(['move', '--to', given], from);
    expect([given, ended.exitCode, ended.complaints]).toEqual([
      given,
      exitCode,
      expect.stringContaining(words),
    ]);
    expect(ended.complaints).not.toContain('DATABASE_URL');
    expect(ended.complaints).not.toContain(password);
  }
});
