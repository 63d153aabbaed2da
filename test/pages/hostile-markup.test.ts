/**
 * Stores markup in every field that a request, an email or a target can fill, then opens every response of
 * the hub in a real browser. No script runs, nothing external is loaded, no dialog opens, and a listener
 * receives no request.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { receiveEmail } from '#domain/inbox/receive-email.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import * as documents from '#site/documents/feeds.ts';
import { createThingsOf } from '#test/harness/create-things.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { everythingConfigured, tokensFor } from '#test/harness/everything-configured.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { listOperations, type Operation } from '#test/harness/operations.ts';
import { thingsThatExist, validRequest } from '#test/harness/valid-request.ts';
import { declaredPages, findStops } from '#test/site/tour/find-stops.ts';
import { signInByForm } from '#test/site/tour/sign-in.ts';
import { type Canary, hostileTexts, startCanary } from './hostile-markup.ts';
import { type Filled, storeEverywhere } from './store-everywhere.ts';
import { openPage, type Watched, watchPages } from './watch-pages.ts';

const document = documentOf(hubEndpoints);
const operations = listOperations(document, listDocumentedAnswers(document));
/** Their fields occur only in emails, or are filled by another operation whose result is shown. */
const leftOut = [
  '/v1/contact',
  '/v1/agents/register',
  '/v1/agents/verify',
  '/api/webhook/payments',
  // A seat is created for it below.
  '/v1/events/{event_id}/seats/{seat_id}/meeting',
];
/** Fields whose format leaves no room for markup, or whose text no response ever shows. */
const fixed = [
  'POST /v1/admin/settings name',
  'POST /v1/admin/settings value',
  'POST /v1/agents/me/close signature',
  'POST /v1/agents/me/key public_key',
  'POST /v1/agents/me/key old_signature',
  'POST /v1/agents/me/key new_signature',
  'POST /v1/eval-suite/practice case_id',
  'POST /v1/eval-suite/practice text',
  'POST /v1/redemptions product',
  'POST /v1/suites/{owner}/{name}/drafts/{id}/take-in case_id',
];
/** Fields that need a second maintainer, or a report, request or post that this test does not create, or a whole suite. */
const elsewhere = Object.entries({
  // Of a card that can be loaded.
  'PATCH /v1/agents/me': ['agent_card_url'],
  'POST /v1/agents/{handle}/suspend': ['reason'],
  'POST /v1/moderation/hide': ['reason'],
  'POST /v1/moderation/restore': ['reason'],
  'POST /v1/reports': ['reason'],
  'PATCH /v1/reports/{id}': ['note'],
  // Private hubs only, and of a suite that exists.
  'POST /v1/redemptions': ['baseline', 'only', 'seed', 'suite'],
  // Of a draft that exists; `publishSuite` does it.
  'POST /v1/suites/{owner}/{name}/drafts/{id}/take-in': ['title'],
  // Of a completed run.
  'POST /v1/runs/{id}/cases/{case_id}/overrule': ['reason'],
  'POST /v1/runs/{id}/judgements': ['model'],
  'POST /v1/runs/{id}/regrade': ['label'],
  'POST /v1/runs/{id}/strike': ['reason'],
  // Of the suite that is published below.
  'POST /v1/suites': ['description', 'include', 'license', 'system', 'template', 'title'],
  // Stores nothing.
  'POST /v1/suites/check': ['description', 'include', 'license', 'system', 'template', 'title'],
  'PATCH /v1/suites/{owner}/{name}': ['description', 'title'],
  'POST /v1/threads/{id}/lock': ['reason'],
  'PATCH /v1/threads/{id}/posts/{post_id}': ['body'],
  'POST /v1/threads/{id}/unlock': ['reason'],
  'PATCH /v1/tokens/requests/{id}': ['note'],
  'POST /v1/work-orders/{id}/transition': ['note', 'artifact_url'],
}).flatMap(([operation, fields]) => fields.map((field) => `${operation} ${field}`));

let canary: Canary;
let texts: readonly string[];
const { hub, maintainer: agent } = useEventHub({
  settings: everythingConfigured,
  maintainer: { handle: 'agent', tokens: 1_000_000 },
  ownBaseUrl: true,
});
let filled: Filled;
let jobId: string;
let calendar: string;
let board: string;

const browser = useBrowser();
beforeAll(async () => {
  canary = startCanary();
  texts = hostileTexts(canary.url).map(({ text }) => text);
  // At most five runs may be open, so this run comes first.
  jobId = await runEval();
  await post('/v1/supporters', { handle: 'agent', tier: 'supporter' });
  const writes = operations.filter(({ method, path }) => method !== 'GET' && !leftOut.includes(path));
  filled = await storeEverywhere(hub, writes, texts, tokenFor, makeThings);
  await publishSuite();
  calendar = await confirmMeetings();
  await receiveMails();
  board = await queueJob();
});
afterAll(() => canary.stop());

const tokenFor = ({ access }: Operation) => tokensFor(agent, agent)[access];

const post = async (path: string, json: object) =>
  (await hub.fetch(path, { token: agent.bearerToken, json })).body;

/** Fresh resources for each request: a seat can be reserved and a work order rejected only once. */
async function makeThings({ path }: Operation): Promise<ReturnType<typeof thingsThatExist>> {
  return thingsThatExist('agent', await createThingsOf(path, hub, agent, { tokenPrice: 0 }));
}

/** A seat with a meeting whose place is set to every text in turn. @returns the path of its calendar */
async function confirmMeetings(): Promise<string> {
  const event = await createTestEvent(hub.ctx, {
    kind: 'office_hours',
    title: texts[0]!,
    description: texts.join('\n'),
    seatsTotal: 1,
    hostAgentId: agent.id,
    hostHandle: 'agent',
  });
  const { seat } = await post(`/v1/events/${event.id}/reserve`, { idempotency_key: event.id });
  for (const place of texts) {
    const path = `/v1/events/${event.id}/seats/${seat.id}/meeting`;
    expect((await post(path, { starts_at: event.startsAt.toISOString(), place })).seat.meeting.place).toBe(
      place,
    );
  }
  return new URL(seat.ics_url).pathname;
}

/** A suite that anybody may read, with all texts in its head, prompts, graders and drafts. */
async function publishSuite(): Promise<void> {
  const all = texts.join('\n');
  const cases = texts.map((prompt) => ({
    prompt,
    title: prompt.slice(0, 140),
    expect: [{ equals: prompt }],
    accepted: [prompt],
  }));
  const head = { suite: 1, name: 'hostile', title: texts[0]!.slice(0, 140), description: all, system: all };
  await post('/v1/suites', { ...head, cases });
  const path = '/v1/suites/@agent/hostile';
  for (const content of texts) {
    const request = { messages: [{ role: 'user', content: `Draft ${content}` }] };
    const sent = { verdict: 'accepted', request, response: { choices: [{ message: { content } }] } };
    const { draft } = await post(`${path}/drafts`, sent);
    expect(draft.case.prompt).toBe(`Draft ${content}`);
    const titled = await post(`${path}/drafts`, { ...sent, verdict: 'refused' });
    const title = content.replaceAll('\n', ' ').slice(0, 140);
    expect(await post(`${path}/drafts/${titled.draft.id}/take-in`, { title })).toHaveProperty('case_id');
  }
  const json = { visibility: 'open', title: texts[0]!.slice(0, 140), description: all };
  const changed = await hub.fetch(path, { token: agent.bearerToken, method: 'PATCH', json });
  expect(changed.status).toBe(200);
}

/** A run whose target replied to each case with all texts. Its score is public. */
async function runEval(): Promise<string> {
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  const id = await completeRun(runner, agent.id, ({ place, best }) =>
    place % 2 === 0 ? texts.join('\n') : best,
  );
  const json = { publish_score: true };
  await hub.fetch('/v1/agents/me', { token: agent.bearerToken, method: 'PATCH', json });
  return id;
}

/** Emails with each text as subject, name, body, HTML and file name. */
async function receiveMails(): Promise<void> {
  const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
  for (const text of texts) {
    const head = `From: ${encoded(text)} <a@example.org>\r\nTo: ${encoded(text)} <b@example.org>\r\nSubject: ${encoded(text)}\r\n`;
    const parts = [
      `Content-Type: text/html; charset=utf-8\r\n\r\n${text}`,
      `Content-Type: text/html; name="${encoded(text)}"\r\nContent-Disposition: attachment\r\n\r\n${text}`,
    ];
    const body = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
    await receiveEmail(hub.ctx, { raw: Buffer.from(head + body) });
  }
}

/** Adds a job with more fields than the hub ever writes. @returns the path of its page */
async function queueJob(): Promise<string> {
  const queue = openQueue(hub.deps.redis, 'mail', hub.deps.logger);
  const data = { texts, [texts[2]!]: texts[4] };
  const job = await queue.add(texts[0]!, data, { jobId: 'hostile', delay: 3_600_000 });
  for (const text of texts) await job.log(text);
  await job.updateProgress({ text: texts[2]! });
  const listed = JSON.stringify(texts);
  const shown = { failedReason: texts.join(' '), stacktrace: listed, returnvalue: listed };
  await hub.deps.redis.hset(queue.toKey('hostile'), shown);
  return '/admin/queues/queue/mail/hostile';
}

test('every field of every request is filled', () => {
  console.log(`Stored ${texts.length} texts in each of ${filled.stored.size} fields.`);
  expect(filled.empty.toSorted()).toEqual([...fixed, ...elsewhere].toSorted());
  expect(filled.stored.size).toBeGreaterThan(20);
});

test('the listener and the watcher detect each text when a page does not escape it', async () => {
  let shown = '';
  await using bare = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(`<!doctype html><body>${shown}`, { headers: { 'content-type': 'text/html' } }),
  });
  const watched = await watchPages(browser, hub.url);
  for (const { text, fires } of hostileTexts(canary.url).filter((one) => one.fires)) {
    shown = text;
    const before = canary.asked.length;
    await watched.page.goto(bare.url.href, { waitUntil: 'commit' });
    const ran = () => watched.page.evaluate<boolean>('window.owned !== undefined').catch(() => false);
    for (let look = 0; look < 100 && canary.asked.length === before && !(await ran()); look += 1)
      await Bun.sleep(20);
    expect([text, fires, canary.asked.length > before || (await ran())]).toEqual([text, true, true]);
  }
  await watched.context.close();
});

/**
 * The id of a listed resource with stored markup, from any page: newer ones were created by the requests that need one.
 */
async function idOfHostile(path: string, field: string): Promise<string> {
  for (let query = ''; ;) {
    const { body } = await hub.fetch(path + query);
    const listed: readonly { id: string }[] = body[field];
    const hostile = listed.find((one) => JSON.stringify(one).includes('window.owned'));
    if (hostile !== undefined) return hostile.id;
    if (body.next_cursor === null) throw new Error(`No resource of ${path} contains markup.`);
    query = `?cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}

test('no response of the hub executes or loads anything stored in it', async () => {
  const heard = canary.asked.length;
  const things = thingsThatExist('agent', {});
  const reads = operations.filter(({ method, path }) => method === 'GET' && path !== '/checkout');
  const ids: Readonly<Record<string, string>> = {
    threads: await idOfHostile('/v1/threads', 'threads'),
    'work-orders': await idOfHostile('/v1/work-orders', 'work_orders'),
    events: await idOfHostile('/v1/events', 'events'),
    'eval-jobs': jobId,
  };
  const watched = await watchPages(browser, hub.url);
  let shown = 0;
  for (const operation of reads) {
    const resource = operation.path.split('/')[2] ?? '';
    const { path } = validRequest(operation, things);
    const filled = operation.path.startsWith('/v1/calendar')
      ? calendar
      : path.replaceAll(/[\da-f-]{36}/g, ids[resource] ?? '01890a5d-ac96-774b-bcce-b302099a8057');
    const text = await openPage(watched, hub.url + filled, tokenFor(operation));
    if (text.includes('window.owned')) shown += 1;
    expect([operation.path, watched.seen]).toEqual([operation.path, []]);
  }
  // These responses contain text that would run if it were not escaped.
  expect(shown).toBeGreaterThan(12);
  for (const path of [board, '/admin/queues/queue/mail', '/admin/queues/']) {
    await openPage(watched, hub.url + path, everythingConfigured.operatorKey);
    await watched.page.getByText('mail').first().waitFor();
    for (const tab of await watched.page.getByRole('tab').all()) await tab.click();
    expect([path, watched.seen]).toEqual([path, []]);
  }
  await watched.context.close();
  expect(canary.asked.slice(heard)).toEqual([]);
});

/**
 * Opens every page and every feed of the site as the agent, which is also a maintainer.
 * @param more paths besides those that the pages link to
 * @returns the texts of the pages, by path
 */
async function openSitePages(
  watched: Watched,
  more: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const cookie = await signInByForm(hub, agent);
  const cookies = { owner: cookie, maintainer: cookie };
  const stops = await findStops({ filling: 'many', hub, cookies, specials: [] });
  const [name = '', value = ''] = cookie.split('=');
  await watched.context.addCookies([{ name, value, url: hub.url }]);
  const feeds = Object.values(documents).filter(({ path }) => !path.includes(':'));
  const paths = new Set([...more, ...stops.map(({ path }) => path), ...feeds.map(({ path }) => path)]);
  const texts = new Map<string, string>();
  for (const path of paths) {
    texts.set(path, await openPage(watched, hub.url + path));
    expect([path, watched.seen]).toEqual([path, []]);
  }
  const left = declaredPages.filter(
    ({ path }) => !path.includes(':') && !stops.some((stop) => stop.path === path),
  );
  expect(left.map(({ path }) => path)).toEqual([]);
  return texts;
}

test('no page and no feed of the site executes or loads anything stored in it', async () => {
  const heard = canary.asked.length;
  const watched = await watchPages(browser, hub.url);
  const thread = `/forum/${await idOfHostile('/v1/threads', 'threads')}`;
  const order = `/work/${await idOfHostile('/v1/work-orders', 'work_orders')}`;
  const shown = await openSitePages(watched, [thread, `${thread}.atom`, order, '/suites/@agent/hostile']);
  // Nor do texts change the direction of what follows, or hide a part of themselves.
  const turned = [...shown].filter(([, text]) => /[\u202a-\u202e\u2066-\u2069\u200b]/.test(text));
  expect(turned.map(([path]) => path)).toEqual([]);
  const hostile = [...shown].filter(([, text]) => text.includes('window.owned')).map(([path]) => path);
  const lists = ['/agents/agent', '/skills', '/events', '/desk/inbox', '/desk/verification', '/events.atom'];
  expect(hostile).toEqual(expect.arrayContaining([thread, order, '/suites/@agent/hostile', ...lists]));
  await watched.context.close();
  expect(canary.asked.slice(heard)).toEqual([]);
});

test('no response reflects its URL', async () => {
  const heard = canary.asked.length;
  const watched = await watchPages(browser, hub.url);
  const evil = encodeURIComponent(`${canary.url}evil.json`);
  const part = encodeURIComponent(
    `</script>"'><svg onload=window.owned=1><img src=x onerror=window.owned=1>`,
  );
  const paths = [
    `/${part}`,
    `/v1/agents/${part}`,
    `/v1/threads?limit=${part}`,
    `/v1/work-orders?status=${part}`,
    `/v1/agents?cursor=x&q=${part}&${part}=1`,
    `/v1/calendar/${part}`,
    `/checkout?products=${part}`,
    `/docs/${part}`,
    `/docs?url=${part}#${part}`,
    `/admin/queues/queue/${part}?status=${part}`,
    `/admin/queues/${part}`,
  ];
  // Swagger UI once read the document URL and its settings from the query string.
  for (const path of [
    ...paths,
    `/docs?url=${evil}&configUrl=${evil}&urls.primaryName=${evil}&oauth2RedirectUrl=${evil}`,
  ]) {
    await openPage(watched, hub.url + path, everythingConfigured.operatorKey);
    expect([path, watched.seen]).toEqual([path, []]);
  }
  await Bun.sleep(200);
  await watched.context.close();
  expect(canary.asked.slice(heard)).toEqual([]);
});
