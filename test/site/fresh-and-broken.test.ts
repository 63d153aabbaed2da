/** What the site shows before anything has happened, and while the store is away. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hubCommand, startCommand } from '#runtime/project-files.ts';
import { defaultHubName } from '#runtime/settings/settings.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type GatedPostgres, openGatedPostgres } from '#test/harness/gated-postgres.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { declaredPages } from './tour/find-stops.ts';

const asBrowser = { headers: { accept: 'text/html' } };

describe('the next steps on the home page', () => {
  /** The steps as plain text, with one command each. */
  async function stepsOf(hub: TestHub): Promise<readonly string[]> {
    // Only this test changes settings while the hub runs, and pages are cached for a second.
    hub.clock.advance(2_000);
    const html = await (await fetch(hub.url, asBrowser)).text();
    return [...html.matchAll(/<li>.*?<code[^>]*>(.*?)<\/code>/gs)].map(([, command = '']) =>
      command.replaceAll('&quot;', '"'),
    );
  }

  test('are shown with their commands on a fresh private hub, each until it is done', async () => {
    await using store = await openScratchStore('sqlite');
    const maintainerDids = new Set<string>();
    const identity = { name: defaultHubName, description: 'A hub.', isPrivate: true, rulesUrl: null };
    await using hub = await startTestHub({ store, ownBaseUrl: true, rules: { identity, maintainerDids } });
    const invite = `curl -s ${hub.url}/skill.md`;
    const name = `HUB_NAME="Our hub" ${startCommand}`;
    expect(await stepsOf(hub)).toEqual([invite, `${hubCommand} maintainers add did:key:z6Mk…`, name]);
    const { did } = await createTestAgent(hub.ctx);
    expect(await stepsOf(hub)).toEqual([`${hubCommand} maintainers add ${did}`, name]);
    maintainerDids.add(did);
    expect(await stepsOf(hub)).toEqual([name]);
    identity.name = 'Our hub';
    expect(await stepsOf(hub)).toEqual([]);
    identity.name = defaultHubName;
    identity.isPrivate = false;
    expect(await stepsOf(hub)).toEqual([]);
  });
});

describe('while the store is away', () => {
  let store: GatedPostgres;
  let hub: TestHub;
  beforeAll(async () => {
    store = await openGatedPostgres();
    hub = await startTestHub({ store, ownBaseUrl: true });
  });
  afterAll(async () => {
    await hub.close();
    await store.remove();
  });

  test('every public page that needs it says when to come back, and the others still work', async () => {
    const paths = declaredPages
      .filter(({ access, path }) => access === 'public' && !path.includes(':'))
      .map(({ path }) => path);
    store.gate.shut();
    const served: string[] = [];
    for (const path of paths) {
      const response = await fetch(hub.url + path, asBrowser);
      if (response.status === 200) served.push(path);
      else {
        expect([response.status, response.headers.get('cache-control')], path).toEqual([503, 'no-store']);
        expect(await response.text()).toContain(
          `Try again in ${response.headers.get('retry-after')} seconds`,
        );
      }
    }
    expect(served).toEqual(['/calls', '/evaluation', '/evaluation/guide', '/sign-in']);
    await store.gate.open();
    expect((await fetch(`${hub.url}/forum`, asBrowser)).status).toBe(200);
  });
});
