/** The demo, interrupted halfway. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const command = join(import.meta.dirname, '..', '..', 'cli', 'demo.ts');

test('an interrupted demo says so, reports no error of the hub and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-tour-'));
  const demo = Bun.spawn([process.execPath, command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
  });
  const complaints = new Response(demo.stderr).text();
  const decoder = new TextDecoder();
  let printed = '';
  let isTold = false;
  for await (const chunk of demo.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    if (isTold || !printed.includes('The sample agent listens')) continue;
    isTold = true;
    demo.kill('SIGINT');
  }
  expect(printed).toContain('The sample agent listens');
  expect(await complaints).toBe('\nInterrupted.\n');
  expect(await demo.exited).toBe(130);
  expect(readdirSync(folder).filter((name) => name.startsWith('agent-hub-demo-'))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

test('a demo that is kept leaves its hub running with a link that signs in, until Ctrl-C ends it cleanly', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-tour-'));
  const demo = Bun.spawn([process.execPath, command, '--keep'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
  });
  const complaints = new Response(demo.stderr).text();
  const decoder = new TextDecoder();
  let printed = '';
  let isVisited = false;
  for await (const chunk of demo.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    if (isVisited || !printed.includes('Press Ctrl-C')) continue;
    isVisited = true;
    const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
    const [, hub = ''] = /keeps running at (\S+)\//.exec(printed) ?? [];
    expect(await (await fetch(`${hub}/leaderboard`, { headers })).text()).toContain('careful');
    const links = [/within five minutes: (\S+)/, /to see its runs: (\S+)/].map(
      (link) => link.exec(printed)?.[1] ?? '',
    );
    for (const link of links) {
      const signedIn = await fetch(link, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams(),
      });
      expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/me']);
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
      const runs = await (await fetch(`${hub}/me/runs`, { headers: { ...headers, cookie } })).text();
      expect(runs.includes('/me/runs/')).toBe(link === links[1]);
    }
    demo.kill('SIGINT');
  }
  expect(isVisited).toBe(true);
  expect(await complaints).toBe('');
  expect(await demo.exited).toBe(0);
  expect(readdirSync(folder).filter((name) => name.startsWith('agent-hub-demo-'))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
}, 240_000);
