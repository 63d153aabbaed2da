/** The discovery documents are true: the links of the manifest work, and every command runs unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorTable, publicCode } from '#api/errors/error-table.ts';
import { openDatabase } from '#db/open-database.ts';
import { errorCodes } from '#domain/errors.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';

describe('the pages', () => {
  let store: ScratchStore;
  let hub: TestHub;
  beforeAll(async () => {
    store = await openScratchStore('sqlite');
    hub = await startTestHub({ store });
  });
  afterAll(async () => {
    await hub.close();
    await store.remove();
  });

  test('the manifest has exactly the promised fields, and its links work', async () => {
    const { status, headers, body } = await hub.fetch('/.well-known/agent.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(Object.keys(body).toSorted()).toEqual(
      [
        'name',
        'description',
        'version',
        'base_url',
        'documentation_url',
        'openapi_url',
        'skill_url',
        'auth',
        'agent_types',
        'products',
        'limits',
      ].toSorted(),
    );
    expect(body.auth).toEqual({
      algorithm: 'Ed25519',
      register_url: 'https://hub.test/v1/agents/register',
      verify_url: 'https://hub.test/v1/agents/verify',
      signature_encoding: 'base64',
      challenge_ttl_seconds: 600,
    });
    expect([body.base_url, body.version, body.agent_types, body.products]).toEqual([
      'https://hub.test',
      '0.0.0-test',
      ['muse', 'claw', 'hermes', 'pi', 'other'],
      ['eval-run'],
    ]);
    for (const link of [body.documentation_url, body.openapi_url, body.skill_url]) {
      expect((await hub.fetch(link.replace(body.base_url, ''))).status).toBe(200);
    }
    for (const link of [body.auth.register_url, body.auth.verify_url]) {
      expect((await hub.fetch(link.replace(body.base_url, ''), { json: {} })).status).toBe(400);
    }
  });

  test('every link of both pages works, and neither page misses a section', async () => {
    for (const path of ['/skill.md', '/llms.txt']) {
      const { status, headers, text } = await hub.fetch(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^text\/(markdown|plain); charset=utf-8$/);
      expect(text).not.toMatch(/undefined|\[object/);
      for (const [, link] of text.matchAll(/https:\/\/hub\.test(\/[\w./-]+)/g)) {
        expect([link, (await hub.fetch(link!)).status]).toEqual([link, 200]);
      }
    }
  });

  test('the skill has advice on every error', async () => {
    const { text } = await hub.fetch('/skill.md');
    for (const code of errorCodes) {
      const row = text
        .split('\n')
        .find((line) => line.startsWith(`| ${errorTable[code].status} | \`${publicCode(code)}\` | `));
      expect([code, (row ?? '').length > 40]).toEqual([code, true]);
    }
  });
});

/** Runs the commands of a page in order and in one shell, as a reader would. */
async function runCommandsOf(page: string, folder: string, target: string): Promise<string> {
  const blocks = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, commands]) => commands ?? '');
  expect(blocks.length).toBeGreaterThan(8);
  await writeFile(join(folder, 'commands.sh'), `set -euo pipefail\n${blocks.join('\n')}`);
  const shell = Bun.spawn(['bash', 'commands.sh'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TARGET: target, HOME: folder },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [exitCode, output, complaints] = await Promise.all([
    shell.exited,
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ]);
  expect([exitCode, complaints]).toEqual([0, '']);
  return output;
}

describe('the commands', () => {
  let whole: WholeHub;
  let baseUrl: string;
  const target = startTarget(() => 'I do not know.');
  const folders: string[] = [];
  beforeAll(async () => {
    whole = startHub({ PORT: '0' });
    await whole.until(/Agent Hub is ready/);
    baseUrl = (await whole.until(/API +(http:\S+)/))[1] ?? '';
    await withStore((db) => createTestEvent({ ...createTestCtx(db), clock: systemClock }, { tokenPrice: 0 }));
  }, 30_000);
  afterAll(async () => {
    whole.hub.kill('SIGTERM');
    await whole.ended();
    await target.stop();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  }, 30_000);

  /** Opens the hub's database file from a second process. */
  async function withStore<T>(use: (db: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>): Promise<T> {
    const db = await openDatabase({ kind: 'sqlite', file: join(whole.dataDir, 'hub.sqlite') });
    try {
      return await use(db);
    } finally {
      await db.close();
    }
  }

  test('the start prints the URL of the guide for agents', async () => {
    const [, address] = await whole.until(/Agents +(http:\S+)/);
    expect(address).toBe(`${baseUrl}/skill.md`);
  });

  test.each(['skill.md', 'llms.txt'])(
    'the commands of /%s sign an agent up, run an eval, book a seat and post, on a whole hub with its workers',
    async (file) => {
      const folder = await mkdtemp(join(tmpdir(), 'agent-hub-reader-'));
      folders.push(folder);
      const page = await (await fetch(`${baseUrl}/${file}`)).text();
      const output = await runCommandsOf(page, folder, target.url);
      expect(output).not.toContain('"error":');
      expect(output).toContain('event: completed');
      const token = await Bun.file(join(folder, 'agent-token')).text();
      const as = { headers: { authorization: `Bearer ${token}` } };
      const { agent } = (await (await fetch(`${baseUrl}/v1/agents/me`, as)).json()) as {
        agent: { handle: string; reputation_total: number };
      };
      // One thread and one reply.
      expect(agent.reputation_total).toBe(4);
      const { eval_job: job } = (await Bun.file(join(folder, 'scorecard.json')).json()) as {
        eval_job: { status: string; scorecard: { score_md: string } };
      };
      expect(job.status).toBe('completed');
      expect(job.scorecard.score_md).toContain('#');
      const { seats } = await withStore(async (db) => ({
        seats: await db.query.select().from(db.tables.seats),
      }));
      expect(seats.filter((seat) => seat.agentHandle === agent.handle)).toMatchObject([
        { status: 'reserved' },
      ]);
    },
    40_000,
  );
});
