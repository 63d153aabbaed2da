/** What an owner reads and fills in on its pages: the words, and forms in which nothing is chosen in advance. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { openPage, sendAs } from './tour/sign-in.ts';

const hub = useTestHub({ ownBaseUrl: true });
const ada = useTestAgent(hub, { handle: 'ada', tokens: 3 });

const open = async (path: string): Promise<string> => (await openPage(hub, path, ada)).html;

async function redeem(json: object): Promise<string> {
  const { body } = await hub.fetch('/v1/redemptions', { token: ada.bearerToken, json });
  return body.eval_job.id;
}

test('the facts of a run name its target if the hub calls one, and none in pull mode', async () => {
  const pull = await open(`/me/runs/${await redeem({ product: 'eval-run' })}`);
  expect(pull).not.toContain('<dt>Target</dt>');
  const url = 'http://127.0.0.1:9/';
  const push = await open(`/me/runs/${await redeem({ product: 'eval-run', target_url: url })}`);
  expect(push).toContain(`<dt>Target</dt><dd>${url}</dd>`);
});

test('a new webhook notifies of nothing until the owner ticks it, and a refused form keeps what was ticked', async () => {
  expect(await open('/me/webhooks')).not.toMatch(/type="checkbox"[^>]* checked/);
  const send = (fields: Record<string, string>) =>
    sendAs(hub, ada, '/me/webhooks', { _form: 'add-webhook', ...fields });
  const nothing = await send({ url: 'http://127.0.0.1:9/' });
  expect(nothing.status).toBe(400);
  expect(nothing.html).toMatch(
    /<fieldset class="field" aria-describedby="([\w-]+)">.*<p class="error" id="\1">events /s,
  );
  const refused = await send({ url: 'not a URL', events: 'tokens.granted' });
  expect(refused.status).toBe(400);
  expect(refused.html.match(/type="checkbox"[^>]* checked/g)).toHaveLength(1);
  expect(refused.html).toMatch(/value="tokens\.granted" checked/);
});

test('the fields of a form about a skill name their descriptions, even if its name has spaces', async () => {
  const { bearerToken: token } = await createTestAgent(hub.ctx);
  const json = { name: 'my skill', description: 'x', repo_url: 'https://example.org/x' };
  await hub.fetch('/v1/skills', { token, json });
  const named = { kind: 'skill', id: 'my skill', 'subject.kind': 'skill' };
  const refused = await sendAs(hub, ada, '/skills/my%20skill', { _form: 'report', reason: '', ...named });
  const pages = [await open('/skills/my%20skill'), refused.html];
  const described = pages.flatMap((html) =>
    [...html.matchAll(/aria-describedby="([^"]+)"/g)].flatMap(([, ids = '']) =>
      ids.split(' ').map((id) => [id, html.includes(` id="${id}"`)]),
    ),
  );
  expect(described).not.toBeEmpty();
  expect(described.filter(([, isThere]) => isThere !== true)).toEqual([]);
});

test('the command on the sign-in page returns a link, with nothing but curl and the token', async () => {
  const shown = /<code class="command"[^>]*>(curl [^<]+)</.exec(await open('/sign-in'))?.[1] ?? '';
  const command = shown.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const ended = Bun.spawn(['sh', '-c', `${command} --silent --fail`], {
    env: { PATH: process.env['PATH'] ?? '', HUB_TOKEN: ada.bearerToken },
    stdout: 'pipe',
  });
  const { url } = (await new Response(ended.stdout).json()) as { readonly url: string };
  expect((await fetch(url, { headers: { accept: 'text/html' } })).status).toBe(200);
});
