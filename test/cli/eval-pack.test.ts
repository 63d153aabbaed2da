/** `hub eval-pack` on the command line, each command as its own process. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { type EndedCommand, runHubCommand } from '#test/harness/hub-command.ts';
import { onStore } from '#test/harness/stores.ts';
import { databaseUrlOf } from '#test/harness/hub-command.ts';

onStore('sqlite', (store) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'agent-hub-packs-'));
    // The same key always makes the same pack.
    writeFileSync(join(folder, 'secret-key'), `${'k'.repeat(64)}\n`, { mode: 0o600 });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const hub = (...words: readonly string[]): Promise<EndedCommand> =>
    runHubCommand(words, { DATABASE_URL: databaseUrlOf(store.setting), DATA_DIR: folder });

  test('the example pack can be tried, but not where it would be installed', async () => {
    const example = join(projectFolder, 'evals', 'suite', 'example-pack');
    expect((await hub('eval-pack', 'check', example, '--seeds', '1')).exitCode).toBe(0);
    const other = mkdtempSync(join(tmpdir(), 'agent-hub-installed-'));
    cpSync(example, other, { recursive: true });
    const refused = await runHubCommand(['eval-pack', 'check', '--seeds', '1'], { EVAL_PACKS_DIR: other });
    expect(refused.exitCode).not.toBe(0);
    expect(refused.complaints).toContain('is public');
    rmSync(other, { recursive: true });
  });

  test('a pack is made from the secret key, checked, shown and retired, and the next one differs', async () => {
    expect(await hub('eval-pack', 'new')).toMatchObject({
      exitCode: 2,
      complaints: expect.stringContaining('--yes'),
    });
    expect(existsSync(join(folder, 'packs'))).toBe(false);
    const made = await hub('eval-pack', 'new', '--yes', '--json');
    expect(made).toMatchObject({ exitCode: 0, complaints: '' });
    const first = made.json() as { name: string; hash: string; file: string };
    expect(first).toMatchObject({ name: 'private-1', tasks: 36 });
    expect(first.file).toBe(join(folder, 'packs', 'private-1.pack.json'));
    expect([statSync(first.file).mode & 0o777, statSync(join(folder, 'secret-key')).mode & 0o777]).toEqual([
      0o600, 0o600,
    ]);
    const again = await hub('eval-pack', 'new', '--yes');
    expect(again).toMatchObject({ exitCode: 1, complaints: expect.stringContaining('already has a pack') });
    const checked = await hub('eval-pack', 'check', '--seeds', '1', '--json');
    expect(checked.json()).toMatchObject({
      ok: true,
      pack: { name: 'private-1' },
      oracle: 100,
      wrong_passed: 0,
    });
    expect((await hub('eval-pack', 'show', '--json')).json()).toMatchObject({
      packs: [{ name: 'private-1', hash: first.hash, state: 'installed', checked: true, runs: 0 }],
    });
    expect((await hub('eval-pack', 'retire', '--yes')).exitCode).toBe(0);
    expect(readdirSync(join(folder, 'packs'))).toEqual(['retired']);
    expect((await hub('eval-pack', 'show', '--json')).json()).toMatchObject({
      packs: [{ name: 'private-1', hash: first.hash, state: 'retired' }],
    });
    const next = (await hub('eval-pack', 'new', '--yes', '--json')).json() as {
      name: string;
      hash: string;
    };
    expect(next.name).toBe('private-2');
    expect(next.hash).not.toBe(first.hash);
  });
});
