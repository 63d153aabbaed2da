/**
 * A person whose host sends them to the hub gets an agent at the consent page, or signs in with a key file: in the browser,
 * and without JavaScript with the commands that the page shows. The key leaves neither.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { pemOf } from '#cli/client/agent-key.ts';
import { readKeyFile } from '#client/key-file.ts';
import { didFromPublicKey } from '#domain/agents/keys/public-key.ts';
import { TestHost } from '#test/api/oauth/test-host.ts';
import { run } from '#test/doors/consent.ts';
import { useReturnPage } from '#test/doors/host-keeper.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { startTestHub, useTestHub } from '#test/harness/hub.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { follow, visitPage } from '#test/harness/visit-page.ts';
import { sendForm } from './tour/sign-in.ts';
import { Hub } from '../../client/src/hub.ts';
import { createKey, signText } from '../../client/src/keys.ts';

const hub = useTestHub({ ownBaseUrl: true });
const folder = useTestFolder();
const returns = useReturnPage();
const redirect_uri = `${returns}/callback`;
let host: TestHost;
let asked: string;

const browser = useBrowser();
beforeAll(async () => {
  host = await TestHost.register(hub, { redirect_uris: [redirect_uri] });
  asked = host.requestUrl({ redirect_uri });
});

/** Opens a page, and afterwards checks that no request contained a private key. */
async function visit(
  url: string,
  look: (page: Page) => Promise<void>,
  javaScriptEnabled = true,
): Promise<void> {
  const sent: string[] = [];
  const watch = async ({ page }: { readonly page: Page }) => {
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await page.goto(url);
    await look(page);
  };
  await visitPage(browser, 'about:blank', watch, { javaScriptEnabled }, [hub.url, returns]);
  // Every key in PKCS #8 begins so: in PEM, in JSON and in a form.
  expect(sent.join('\n').includes('MC4CAQAwBQYDK2Vw')).toBe(false);
}

async function signAndSend(page: Page): Promise<void> {
  await page.fill('input[name=signature]', await run(page, folder, 'In the folder of your key file'));
  await follow(page, 'button:has-text("Sign in")');
}

/** @returns the handle that the page shows beside the request */
async function approve(page: Page): Promise<void> {
  await follow(page, 'button:has-text("Approve")');
  const reply = new URL(page.url());
  expect(reply.origin + reply.pathname).toBe(redirect_uri);
  expect([reply.searchParams.get('state'), reply.searchParams.get('iss')]).toEqual(['state-1', hub.url]);
  const { status, body } = await host.token({
    grant_type: 'authorization_code',
    code: reply.searchParams.get('code') ?? '',
    code_verifier: host.verifier,
  });
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
}

const offered = async (page: Page): Promise<string> => page.locator('.profile').innerText();

describe('from a bare authorization request to a code,', () => {
  test('a person without an agent gets one, with a key made in the browser', async () => {
    const file = join(folder, 'ada.pem');
    await visit(asked, async (page) => {
      const posts: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
      await page.fill('[data-key=sign-up] input[name=handle]', 'ada');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click('button:has-text("Make a key and save it")'),
      ]);
      expect([download.suggestedFilename(), posts]).toEqual(['ada.pem', []]);
      await download.saveAs(file);
      await follow(page, 'button:has-text("Sign up")');
      expect(await offered(page)).toContain('for your agent ada');
      await approve(page);
    });
    const did = didFromPublicKey(Buffer.from(readKeyFile(file).publicKey, 'base64'));
    expect((await hub.fetch('/v1/agents/ada')).body.agent.did).toBe(did);
    await visit(`${hub.url}/sign-in`, async (page) => {
      await signInWith(page, 'ada', file);
      expect(page.url()).toBe(`${hub.url}/me`);
      await page.goto(`${hub.url}/me/sessions`);
      expect(await page.locator('.chip:has-text("key file")').count()).toBe(2);
    });
  });

  test('an owner signs in with the key file, with JavaScript and without', async () => {
    // The form in which the JavaScript client keeps a key, and that of OpenSSL.
    const key = await createKey();
    const json = join(folder, 'agent.json');
    await writeFile(json, JSON.stringify(key));
    const pem = `-----BEGIN PRIVATE KEY-----\n${key.privateKey}\n-----END PRIVATE KEY-----\n`;
    await writeFile(join(folder, 'agent.pem'), pem);
    await Hub.signUp(hub.url, { handle: 'eve', key });
    for (const scripted of [true, false]) {
      await visit(
        asked,
        async (page) => {
          if (scripted) await signInWith(page, 'eve', json);
          else {
            await page.fill('#form-key input[name=handle]', 'eve');
            await follow(page, '#form-key button');
            await signAndSend(page);
          }
          expect(await offered(page)).toContain('for your agent eve');
          await approve(page);
        },
        scripted,
      );
    }
  });
});

async function signInWith(page: Page, handle: string, file: string): Promise<void> {
  await page.fill('[data-key=sign-in] input[name=handle]', handle);
  await page.setInputFiles('input[type=file]', file);
  let posts = 0;
  await page.route(page.url(), async (route, request) => {
    if (request.method() !== 'POST') return route.fallback();
    posts += 1;
    await Bun.sleep(600);
    return route.fallback();
  });
  // A second signature would find the challenge used, and the first response thrown away.
  const again = `const button = document.querySelector('[data-in-browser] [type=submit]');
    button.addEventListener('click', () => setTimeout(() => button.click(), 300), { once: true });`;
  await page.evaluate(again);
  await follow(page, '[data-in-browser] button:has-text("Sign in")');
  expect(posts).toBe(1);
}

test('a person who has stopped a slow sign-in can try again after a while', async () => {
  const key = await createKey();
  const file = join(folder, 'slow.json');
  await writeFile(file, JSON.stringify(key));
  await Hub.signUp(hub.url, { handle: 'slow', key });
  await using page = await browser.newPage();
  await page.clock.install();
  await page.goto(`${hub.url}/sign-in`);
  await page.fill('[data-key=sign-in] input[name=handle]', 'slow');
  await page.setInputFiles('input[type=file]', file);
  // A response without content leaves the page as it is, as stopping does.
  const stop = (route: Route) => route.fulfill({ status: 204 });
  await page.route(page.url(), stop);
  const button = page.locator('[data-in-browser] button:has-text("Sign in")');
  await Promise.all([page.waitForResponse(page.url()), button.click()]);
  await page.unroute(page.url(), stop);
  await page.clock.fastForward(10_000);
  await button.click();
  await page.waitForURL(`${hub.url}/me`);
});

describe('nothing is signed or sent', () => {
  const alert = (page: Page) => page.locator('[data-key=sign-in] [role=alert]');

  test('when the challenge is for another hub, purpose, handle or key, or the file is no key', async () => {
    const key = await createKey();
    const file = join(folder, 'mine.pem');
    await writeFile(file, pemOf(key));
    const foreign = (await createKey()).publicKey;
    const good = `agent-hub-challenge-v1 purpose=login service=${hub.url} handle=ada public_key=${key.publicKey} nonce=${'0'.repeat(64)} expires_at=2030-01-01T00:00:00.000Z`;
    const relayed = [
      ['service', good.replace(hub.url, 'https://other.example')],
      ['purpose', good.replace('login', 'close')],
      ['handle', good.replace('ada', 'bob')],
      ['public_key', good.replace(key.publicKey, foreign)],
      ['form', `${good}\n`],
    ] as const;
    await visit(`${hub.url}/sign-in`, async (page) => {
      await page.fill('[data-key=sign-in] input[name=handle]', 'ada');
      for (const [field, challenge] of relayed) {
        await page.route('**/v1/agents/login', (route) => route.fulfill({ json: { challenge } }));
        await page.setInputFiles('input[type=file]', file);
        await page.click('[data-in-browser] button:has-text("Sign in")');
        await alert(page).getByText(field).waitFor();
        expect(await alert(page).innerText()).toStartWith('The challenge was not signed');
        expect(await page.inputValue('[data-in-browser] input[name=signature]')).toBe('');
        await page.unroute('**/v1/agents/login');
      }
      await writeFile(file, '{"publicKey":"x"}');
      await page.setInputFiles('input[type=file]', file);
      await page.click('[data-in-browser] button:has-text("Sign in")');
      await alert(page).getByText('no Ed25519 private key').waitFor();
      expect(page.url()).toBe(`${hub.url}/sign-in`);
    });
  });

  test('where the browser cannot sign: the page says so, and shows the commands', async () => {
    for (const [lack, words] of [
      [
        `crypto.subtle.generateKey = () => Promise.reject(new Error('Unsupported'))`,
        'cannot sign with Ed25519',
      ],
      [`Object.defineProperty(window, 'isSecureContext', { value: false })`, 'only on pages with https'],
    ] as const) {
      await visit('about:blank', async (page) => {
        await page.addInitScript(lack);
        await page.goto(asked);
        await page.locator(`[data-key=sign-up] > .notice:has-text("${words}")`).waitFor();
        expect(await page.locator('[data-in-browser]').count()).toBe(0);
        expect(await page.locator('#form-sign-up-other button').isVisible()).toBe(true);
      });
    }
  });
});

test('a wrong signature and a taken handle are refused on the page, with the way on', async () => {
  const page = new URL(await host.ask({ redirect_uri })).href;
  const key = await createKey();
  const signUp = { _form: 'sign-up', agent_type: 'other', public_key: key.publicKey };
  await Hub.signUp(hub.url, { handle: 'taken', key: await createKey() });
  const taken = await sendForm(page, { ...signUp, handle: 'taken' });
  expect([taken.status, await taken.text()]).toEqual([409, expect.stringContaining('handle taken')]);
  const malformed = await (await sendForm(page, { ...signUp, handle: 'Carl!' })).text();
  expect(malformed.match(/class="error"[^>]*>([^<]+)</)?.[1]).toContain('handle');
  const opened = await sendForm(page, { ...signUp, handle: 'carl' });
  const [, challenge = ''] = /id="challenge"[^>]*>([^<]+)</.exec(await opened.text()) ?? [];
  const wrong = { _form: 'sign', handle: 'carl', challenge, signature: `${'A'.repeat(86)}==` };
  const refused = await sendForm(page, wrong);
  expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
  const again = await refused.text();
  expect([again.includes(challenge), again.includes('does not match')]).toEqual([true, true]);
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const signature = await signText(key, challenge);
    for (const url of [page, `${hub.url}/sign-in`])
      expect((await sendForm(url, { ...wrong, signature }, headers)).status).toBe(403);
  }
  // What the form sends back never becomes part of another command.
  const forged = await sendForm(page, { ...wrong, challenge: `agent-hub-challenge-v1 '; rm -rf ~ '` });
  expect((await forged.text()).includes('rm -rf')).toBe(false);
});

test('first steps on the pages count as sign-ups and logins', async () => {
  await using limited = await startTestHub({
    store: hub,
    ownBaseUrl: true,
    settings: { registrationsPerMinute: 3 },
  });
  const statuses = [];
  for (let n = 0; n < 4; n += 1)
    statuses.push((await sendForm(`${limited.url}/sign-in`, { _form: 'key', handle: 'nobody' })).status);
  expect(statuses).toEqual([404, 404, 404, 429]);
});
