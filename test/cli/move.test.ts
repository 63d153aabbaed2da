/** `hub freeze`, `hub move` and `hub unfreeze` from the command line. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { freezeHub } from '#domain/freeze/freeze-hub.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
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
  const inUse = await move(databaseUrlOf(target.setting));
  expect([inUse.exitCode, inUse.complaints]).toEqual([
    1,
    expect.stringContaining('Stop all of them, or run `hub freeze`'),
  ]);

  // Long enough ago for the commands not to wait.
  const clock = { now: () => new Date(Date.now() - 60_000) };
  await freezeHub({ ...createTestCtx(store.db), clock }, { reason: 'Moving' });
  const frozen = await runHubCommand(['freeze', '--reason', 'Again', '--json'], from);
  expect(frozen.json()).toMatchObject({ frozen: true, changed: false, reason: 'Moving' });

  const moved = await move(databaseUrlOf(target.setting));
  expect([moved.exitCode, moved.complaints]).toEqual([0, '']);
  expect(moved.json()).toMatchObject({ moved: true, source_frozen: true });
  const repeated = await move(databaseUrlOf(target.setting));
  expect([repeated.exitCode, repeated.complaints]).toEqual([
    1,
    expect.stringContaining('its table agents has rows'),
  ]);

  const there = { DATABASE_URL: databaseUrlOf(target.setting) };
  const back = await move(databaseUrlOf(file.setting), there);
  expect([back.exitCode, back.complaints]).toEqual([0, '']);
  expect(back.json()).toMatchObject({ moved: true, source_frozen: false });
  const audit = await runHubCommand(['audit'], { DATABASE_URL: databaseUrlOf(file.setting) });
  expect(audit.exitCode).toBe(0);

  for (const changed of [true, false]) {
    const ended = await runHubCommand(['unfreeze', '--json'], from);
    expect(ended.json()).toMatchObject({ frozen: false, changed });
  }
}, 60_000);

test('a target that is no database is a wrong command line, and nothing is made', async () => {
  const from = { DATABASE_URL: databaseUrlOf(store.setting) };
  for (const to of ['', 'none', 'mysql://db/hub', '/tmp/hub.sqlite']) {
    const ended = await runHubCommand(['move', '--to', to], from);
    expect([to, ended.exitCode, ended.complaints]).toEqual([to, 2, expect.stringContaining('--to must be')]);
  }
  expect(existsSync('/tmp/hub.sqlite')).toBe(false);
});
