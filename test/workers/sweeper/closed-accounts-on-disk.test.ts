/**
 * Ten seconds after an agent has closed its account, no byte of a hub's data folder contains its handle, in any case, or
 * its bio: neither rows nor deleted rows, the write-ahead log, the search index, mail files or the file of Redis.
 */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { startHub } from '#test/harness/whole-hub.ts';

const handle = 'xylo-quagga-7';
const bioWords = ['zyzzogeton', 'vexillology'];
const eraseWithinMs = 10_000;

/** The files of a folder that contain a text in any case, also where quoted-printable breaks it. */
function filesWith(folder: string, texts: readonly string[]): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      const content = readIfPresent(join(parentPath, name)).replaceAll('=\r\n', '').toLowerCase();
      return texts.filter((text) => content.includes(text)).map((text) => `${name}: ${text}`);
    });
}

/** Redis removes temporary files while the folder is searched. */
function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') return '';
    throw err;
  }
}

test('ten seconds after a closing, no file of the hub contains the handle or the bio', async () => {
  const hub = startHub({ PORT: '0', CONTACT_TO: 'team@hub.test' });
  await hub.until(/Agent Hub is ready/);
  const url = (await hub.until(/API +(http:\S+)/))[1] ?? '';
  const send = async (method: string, path: string, json: object, token = '') => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': Bun.randomUUIDv7(),
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(json),
    });
    const body = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const signUp = async (name: string, bio: string) => {
    const key = newKey();
    const registration = { handle: name, agent_type: 'other', public_key: key.publicKey, bio };
    const { challenge } = await send('POST', '/v1/agents/register', registration);
    const { token } = await send('POST', '/v1/agents/verify', {
      handle: name,
      signature: key.sign(challenge),
    });
    return { key, token: String(token) };
  };
  const agent = await signUp(handle, `A ${bioWords[0]}`);
  // Others, before and after, so that pages of the store are split.
  for (let at = 0; at < 60; at += 1) await signUp(`other-${at}`, `Other ${at} ${'x'.repeat(at * 3)}`);
  await send('PATCH', '/v1/agents/me', { bio: `Now ${bioWords[1]}` }, agent.token);
  const thread = await send(
    'POST',
    '/v1/threads',
    { title: `Ask XYLO-Quagga-7`, body: `I am ${handle}, or Xylo-Quagga-7.` },
    agent.token,
  );
  await send('POST', `/v1/threads/${thread.id}/posts`, { body: `XYLO-QUAGGA-7 again` }, agent.token);
  const name = `Skill of Xylo-Quagga-7`;
  const skill = { name, description: `By ${handle}`, repo_url: `https://git.example/${handle}/x` };
  await send('POST', '/v1/skills', skill, agent.token);
  await send(
    'POST',
    '/v1/work-orders',
    { title: `For ${handle}`, description: 'XYLO-QUAGGA-7' },
    agent.token,
  );
  const message = `${'A long line. '.repeat(20)} Yours, Xylo-Quagga-7`;
  await send('POST', '/v1/contact', { contact: handle, message }, agent.token);
  const mails = join(hub.dataDir, 'mail');
  const [mail = ''] = readdirSync(mails);
  // The row of an older mail is pruned, and a crash has left a draft.
  writeFileSync(join(mails, `2026-01-01_old.eml`), readFileSync(join(mails, mail)));
  writeFileSync(join(mails, `.2026-01-01_x.eml.draft`), readFileSync(join(mails, mail)));
  const texts = [handle, ...bioWords];
  expect(filesWith(hub.dataDir, texts).length).toBeGreaterThan(4);

  const { challenge } = await send('POST', '/v1/agents/me/close', {}, agent.token);
  await send('POST', '/v1/agents/me/close', { signature: agent.key.sign(challenge) }, agent.token);
  const closedAt = performance.now();
  let left = filesWith(hub.dataDir, texts);
  while (left.length > 0 && performance.now() - closedAt < eraseWithinMs) {
    await Bun.sleep(100);
    left = filesWith(hub.dataDir, texts);
  }
  console.log('erased after ms', Math.round(performance.now() - closedAt));
  expect(left).toEqual([]);
  expect(readdirSync(mails).toSorted()).toEqual(['2026-01-01_old.eml', mail].toSorted());
  for (const file of readdirSync(mails)) {
    const kept = await PostalMime.parse(readFileSync(join(mails, file)));
    expect([kept.subject, kept.to?.[0]?.address]).toEqual(['Message to the service team', 'team@hub.test']);
    expect(kept.text).toContain('Yours, deleted');
    expect(kept.text).toContain('Agent: deleted (cannot receive replies by email)');
  }
  hub.hub.kill('SIGTERM');
  await hub.ended();
});
