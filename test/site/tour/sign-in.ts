/** Signs agents in to the site, as their browsers do. */
import type { BrowserContextOptions } from 'playwright-core';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import type { TestHub } from '#test/harness/hub.ts';

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

/** Sends a form as the browser of a visitor on a page of the hub does. */
export function sendForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html', 'user-agent': browser, ...headers },
  });
}

/** @returns the cookie of a new session */
export async function signInByForm(hub: TestHub, agent: TestAgent): Promise<string> {
  const { url } = await createSignInLink(actingAs(hub.ctx, agent));
  const response = await sendForm(url.replace(hub.ctx.rules.baseUrl, hub.url), {});
  const [cookie] = (response.headers.get('set-cookie') ?? '').split(';');
  if (response.status !== 303 || cookie === undefined) throw new Error(`sign-in: ${response.status}`);
  return cookie;
}

/** Opens a page as an agent, or as a stranger. */
export async function openPage(hub: TestHub, path: string, agent: TestAgent | null = null) {
  const session = agent === null ? {} : { cookie: await cookieOf(hub, agent) };
  return readPage(
    await fetch(hub.url + path, { redirect: 'manual', headers: { accept: 'text/html', ...session } }),
  );
}

/** Sends a form of a page that was made for the agent. */
export async function sendAs(
  hub: TestHub,
  agent: TestAgent,
  path: string,
  fields: Readonly<Record<string, string>>,
) {
  const cookie = await cookieOf(hub, agent);
  return readPage(await sendForm(hub.url + path, { _agent: agent.handle, ...fields }, { cookie }));
}

async function readPage(response: Response) {
  const { status, headers } = response;
  return { status, headers, location: headers.get('location'), html: await response.text() };
}

const cookies = new Map<string, { readonly cookie: string; readonly untilMs: number }>();
const keptMs = 13 * 24 * 60 * 60 * 1_000;

/** Signs in once: an agent gets only a few links an hour. */
export async function cookieOf(hub: TestHub, agent: TestAgent): Promise<string> {
  const known = cookies.get(agent.id);
  const now = hub.clock.now().getTime();
  if (known !== undefined && known.untilMs > now) return known.cookie;
  const cookie = await signInByForm(hub, agent);
  cookies.set(agent.id, { cookie, untilMs: now + keptMs });
  return cookie;
}

/** The options of a browser in which the agent is signed in. */
export async function sessionOf(hub: TestHub, agent: TestAgent): Promise<BrowserContextOptions> {
  const [name = '', value = ''] = (await cookieOf(hub, agent)).split('=');
  const { hostname: domain } = new URL(hub.url);
  const fixed = { path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' } as const;
  return { storageState: { cookies: [{ name, value, domain, ...fixed }], origins: [] } };
}
