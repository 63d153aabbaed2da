/** Shared runs, feeds, and the documents for crawlers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { parseDocument, DomUtils } from 'htmlparser2';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { openPage } from './tour/sign-in.ts';

const hostile =
  '</content><script>alert(1)</script> ]]> & \u202edesrever\u202c \u0007? [x](javascript:alert(1)) **bold**';

let runId: string;
let threadId: string;

const hub = useTestHub({ ownBaseUrl: true });
const ada = useTestAgent(hub, { handle: 'ada', tokens: 3 });
beforeAll(async () => {
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  runId = await completeRun(runner, ada.id);
  const text = hostile.replace('\u0007', '');
  const post = (path: string, json: object) => hub.fetch(path, { token: ada.bearerToken, json });
  threadId = (await post('/v1/threads', { title: text, body: text })).body.id;
  await post(`/v1/threads/${threadId}/posts`, { body: 'Second.' });
  await post('/v1/skills', { name: 'a/b <c>', description: text, repo_url: 'https://example.org/a' });
  await createTestEvent(hub.ctx, { title: text, description: `${text}\nSecond line` });
});

/** Changes the stored trials of the run. */
async function changeTrials(change: (trial: StoredTrial) => StoredTrial): Promise<void> {
  for (const { itemIndex, result } of await rowsOf(hub.ctx, 'runItems', { runId }))
    await changeRows(hub.ctx, 'runItems', { runId, itemIndex }, { result: change(result) });
}

describe('a shared run', () => {
  const share = (id = runId, json: object = {}) =>
    hub.fetch(`/v1/runs/${id}/share`, { token: ada.bearerToken, json });
  const revoke = (id = runId) =>
    hub.fetch(`/v1/runs/${id}/share`, { method: 'DELETE', token: ada.bearerToken });
  const open = (url: string) => openPage(hub, new URL(url).pathname);
  /** Shares it, looks at its page, and revokes the link. */
  const readShared = async (json: object): Promise<string> => {
    const { html } = await open((await share(runId, json)).body.share.url);
    expect((await revoke()).status).toBe(204);
    return html;
  };

  test('is visible to anybody with its link until the link is revoked', async () => {
    const first = await share();
    expect(first.status).toBe(201);
    expect(first.body.share).toMatchObject({ prompts: false });
    const { url } = first.body.share;
    expect(url).toMatch(new RegExp(`^${hub.url}/s/[\\w-]{43}$`));
    const shown = await open(url);
    expect(shown.status).toBe(200);
    expect(shown.html).toContain('name="robots" content="noindex"');
    expect(shown.html).not.toContain('Prompt</h3>');
    const job = await hub.fetch(`/v1/eval-jobs/${runId}`, { token: ada.bearerToken });
    expect(shown.html).not.toContain(job.body.eval_job.target_url);
    // Without a value, the page stays as it is.
    for (const [json, prompts] of [
      [{ prompts: true }, true],
      [{}, true],
      [{ prompts: false }, false],
    ] as const) {
      const again = await share(runId, json);
      expect([again.status, again.body.share]).toEqual([200, { ...first.body.share, prompts }]);
      expect((await open(url)).html.includes('Prompt</h3>')).toBe(prompts);
    }
    const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last character carries two spare bits, so its neighbour decodes to the same bytes.
    const neighbour = base64url[base64url.indexOf(url.at(-1)) ^ 1];
    expect((await open(`${url.slice(0, -1)}${neighbour}`)).status).toBe(404);
    expect((await revoke()).status).toBe(204);
    expect((await open(url)).status).toBe(404);
    const next = await share(runId, { prompts: true });
    expect([next.status, next.body.share.url === url]).toEqual([201, false]);
    expect((await open(next.body.share.url)).html).toContain('Prompt</h3>');
    expect((await revoke()).status).toBe(204);
  });

  test('of an agent shows its tasks, and their calls only if it says so', async () => {
    const { id } = await completeAgentRun(actingAs(hub.ctx, ada));
    const path = `/v1/runs/${id}/share`;
    const token = ada.bearerToken;
    for (const prompts of [false, true]) {
      const { status, body } = await hub.fetch(path, { token, json: { prompts } });
      expect([status, body.share.prompts]).toEqual([201, prompts]);
      expect((await hub.fetch(path, { token, json: {} })).status).toBe(200);
      const { html } = await open(body.share.url);
      expect([html.includes('task-1'), html.includes('task_finish')]).toEqual([true, prompts]);
      expect((await hub.fetch(path, { token, method: 'DELETE' })).status).toBe(204);
      expect((await open(body.share.url)).status).toBe(404);
    }
    expect((await hub.fetch(path, { token, method: 'DELETE' })).body.error).toBe('not_found');
  });

  test('without texts shows the names of graders and verdicts only', async () => {
    const { body } = await share();
    await changeTrials((trial) => ({
      ...trial,
      response_text: 'said by the agent',
      graders: trial.graders.map((grader) => ({ ...grader, found: 'found by the hub' })),
    }));
    let pages = '';
    for (let next: string | undefined = new URL(body.share.url).pathname; next !== undefined;) {
      const { html, status } = await openPage(hub, next);
      expect(status).toBe(200);
      pages += html;
      [, next] = /href="([^"]+)" rel="next"/.exec(html) ?? [];
    }
    expect(pages).not.toMatch(/said by the agent|found by the hub|Prompt<\/h3>/);
    const shown = DomUtils.textContent(parseDocument(pages));
    const { body: own } = await hub.fetch(`/v1/runs/${runId}?include=cases`, { token: ada.bearerToken });
    for (const { case_id: id } of own.run.cases) expect(shown).toContain(` ${id} `);
    for (const name of ['delivery', 'contains']) expect(shown).toContain(name);
    expect((await revoke()).status).toBe(204);
    expect(await readShared({ prompts: true })).toContain('said by the agent');
  });

  test('is made once, however often it is opened and whatever else is written', async () => {
    const { body } = await share(runId, { prompts: true });
    const first = await open(body.share.url);
    await changeTrials((trial) => ({ ...trial, response_text: 'another reply' }));
    await createTestAgent(hub.ctx);
    expect((await open(body.share.url)).html).toBe(first.html);
    expect((await revoke()).status).toBe(204);
    expect(await readShared({ prompts: true })).toContain('another reply');
  });

  test('can be reported and hidden, and is gone while it or its agent is hidden or suspended', async () => {
    const { url } = (await share()).body.share;
    const subject = { kind: 'scorecard', id: url.split('/').at(-1) };
    const [bob, maintainer] = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
    (hub.ctx.rules.maintainerDids as Set<string>).add(maintainer.did);
    const post = async (path: string, json: object, agent = maintainer) =>
      (await hub.fetch(path, { token: agent.bearerToken, json })).status;
    const report = { subject, reason: 'It shows an address.' };
    expect(await post('/v1/reports', report, bob)).toBe(201);
    const listed = await hub.fetch('/v1/reports', { token: maintainer.bearerToken });
    expect(listed.body.reports[0].subject).toEqual(subject);
    expect((await open(url)).status).toBe(200);
    expect(await post('/v1/moderation/hide', report)).toBe(200);
    expect((await open(url)).status).toBe(410);
    // Its agent cannot share the run again under another link.
    expect((await revoke()).status).toBe(410);
    expect((await share()).body.share.url).toBe(url);
    const summary = await hub.fetch('/v1/moderation/summary', {});
    expect(summary.body.latest[0]).toMatchObject({
      act: 'hide',
      subject: { kind: 'scorecard', id: 'private' },
    });
    const person = { subject: { kind: 'agent', id: 'ada' }, reason: 'x' };
    for (const [path, json, status] of [
      ['/v1/moderation/restore', report, 200],
      ['/v1/moderation/hide', person, 410],
      ['/v1/moderation/restore', person, 200],
      ['/v1/agents/ada/suspend', { reason: 'x' }, 410],
      ['/v1/agents/ada/reinstate', { reason: 'x' }, 200],
    ] as const)
      expect([path, await post(path, json), (await open(url)).status]).toEqual([path, 200, status]);
    expect((await revoke()).status).toBe(204);
  });

  test('says once it is struck off that it is, as the list of its agent does', async () => {
    const { id } = await completeAgentRun(actingAs(hub.ctx, ada));
    const { url } = (await share(id)).body.share;
    expect((await open(url)).html).not.toContain('struck');
    const { bearerToken: token, did } = await createTestAgent(hub.ctx);
    (hub.ctx.rules.maintainerDids as Set<string>).add(did);
    await hub.fetch(`/v1/runs/${id}/strike`, { token, json: { reason: 'x' } });
    expect((await open(url)).html).toContain('A maintainer has struck this run off.');
    expect((await openPage(hub, '/me/runs', ada)).html).toContain(' · struck off');
  });

  test('must be a completed run of the caller', async () => {
    const target = { product: 'eval-run', target_url: 'http://127.0.0.1:9/' };
    const queued = await hub.fetch('/v1/redemptions', { token: ada.bearerToken, json: target });
    const unknown = '0192f0c0-0000-7000-8000-000000000000';
    expect((await share(queued.body.eval_job.id)).body.error).toBe('not_found');
    expect((await share(unknown)).body.error).toBe('run_not_found');
    expect((await revoke(unknown)).body.error).toBe('run_not_found');
    expect((await revoke()).body.error).toBe('not_found');
  });
});

describe('the feeds', () => {
  test('are well-formed Atom with the same texts as the pages', async () => {
    for (const path of ['/forum.atom', `/forum/${threadId}.atom`, '/events.atom', '/skills.atom']) {
      const response = await fetch(hub.url + path);
      const text = await response.text();
      expect([response.status, response.headers.get('content-type')], path).toEqual([
        200,
        'application/atom+xml; charset=utf-8',
      ]);
      expect(text).not.toMatch(/[\u202a-\u202e]|<script/);
      const root = parseDocument(text, { xmlMode: true, decodeEntities: true });
      const [feed] = DomUtils.getElementsByTagName('feed', root);
      const entries = DomUtils.getElementsByTagName('entry', feed!);
      expect(entries.length).toBeGreaterThan(0);
      for (const part of [feed!, ...entries]) {
        for (const name of ['id', 'title', 'updated']) {
          expect(DomUtils.getElementsByTagName(name, part)).not.toBeEmpty();
        }
      }
      const ids = entries.map((entry) => DomUtils.textContent(DomUtils.getElementsByTagName('id', entry)));
      expect(new Set(ids).size).toBe(entries.length);
      const again = await fetch(hub.url + path, {
        headers: { 'if-none-match': response.headers.get('etag') ?? '' },
      });
      expect(again.status).toBe(304);
    }
    expect((await fetch(`${hub.url}/forum/0192f0c0-0000-7000-8000-000000000000.atom`)).status).toBe(404);
    const page = await (await fetch(`${hub.url}/forum/${threadId}`)).text();
    expect(page).toContain(`href="/forum/${threadId}.atom"`);
  });

  test('and the documents for crawlers list the public pages', async () => {
    const robots = await (await fetch(`${hub.url}/robots.txt`)).text();
    for (const path of ['/me', '/desk', '/sign-in', '/s/', '/*?'])
      expect(robots).toContain(`Disallow: ${path}\n`);
    const placesIn = async (address: string): Promise<readonly string[]> => {
      const sitemap = await (await fetch(address)).text();
      return [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place = '']) => place);
    };
    const sitemaps = await placesIn(`${hub.url}/sitemap.xml`);
    expect(sitemaps).toContain(`${hub.url}/sitemap-suites.xml`);
    const places = (await Promise.all(sitemaps.map(placesIn))).flat();
    expect(places).toContain(`${hub.url}/forum/${threadId}`);
    expect(places.some((place) => place.includes('/agents/'))).toBe(true);
    for (const place of places) expect([place, (await fetch(place)).status]).toEqual([place, 200]);
  });
});
