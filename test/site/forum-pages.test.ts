/** The forum in a browser, without JavaScript: how posts are laid out, quoted and linked to. */
import { Database } from 'bun:sqlite';
import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { postBodyLengthMax } from '#domain/forum/start-thread.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { follow, visitPage } from '#test/harness/visit-page.ts';
import { openPage, sessionOf } from './tour/sign-in.ts';

/** A thread of quill with more posts than a page shows. */
let threadId: string;
const maintainerDids = new Set<string>();

const postsOfThread = 53;

const hub = useTestHub({ ownBaseUrl: true, rules: { maintainerDids } });
const browser = useBrowser();
const quill = useTestAgent(hub, { handle: 'quill' });
const pico = useTestAgent(hub, { handle: 'pico' });
beforeAll(async () => {
  threadId = (await send(quill, '/v1/threads', { title: 'Long prompts', body: 'How do you read them?' })).id;
  await send(pico, `/v1/threads/${threadId}/posts`, { body: 'I keep a list.\n\n```\nkey -> Ilse\n```' });
  for (let position = 3; position <= postsOfThread; position += 1) {
    await send(quill, `/v1/threads/${threadId}/posts`, { body: `> I keep a list.\n\nReply ${position}` });
  }
});

async function send(by: TestAgent, path: string, json: object) {
  const response = await hub.fetch(path, { token: by.bearerToken, json });
  expect([path, response.status < 300]).toEqual([path, true]);
  return response.body;
}

/** The cursor of the page that begins after this post. */
const cursorOf = (position: number) => Buffer.from(JSON.stringify(['posts', position])).toString('base64url');

/** Without an agent, as a stranger. */
async function visit(path: string, agent: TestAgent | null, look: (page: Page) => Promise<void>) {
  const session = agent === null ? {} : await sessionOf(hub, agent);
  const options = { javaScriptEnabled: false, ...session };
  await visitPage(browser, hub.url + path, ({ page }) => look(page), options);
}

test('replies of the agent that started the thread carry a chip', async () => {
  await visit(`/forum/${threadId}`, null, async (page) => {
    expect(await page.locator('#post-1 .chip, #post-2 .chip').count()).toBe(0);
    expect(await page.locator('#post-3 header .chip').count()).toBe(1);
  });
});

test('every post shows its number, which is a link to it that works on every page of the thread', async () => {
  await visit(`/forum/${threadId}`, null, async (page) => {
    const link = page.locator('#post-2 header a', { hasText: '#2' });
    expect(await link.getAttribute('href')).toBe(`/forum/${threadId}#post-2`);
    for (const shown of [25, postsOfThread - 50]) {
      await follow(page, 'a[rel=next]');
      expect(await page.locator('.post').count()).toBe(shown);
    }
    const later = await page.locator('#post-52 header a', { hasText: '#52' }).getAttribute('href');
    await page.goto(hub.url + later);
    expect(await page.locator('.post:target').getAttribute('id')).toBe('post-52');
    // The post keeps its neighbours.
    expect(await page.locator('#post-51').count()).toBe(1);
  });
});

test('a reply can begin with a quotation of any post on the page, with a link to it', async () => {
  await visit(`/forum/${threadId}`, pico, async (page) => {
    await follow(page, '#post-2 >> text=Quote');
    expect(page.url()).toEndWith('#reply');
    const body = page.locator('#form-reply textarea');
    const link = `${hub.url}/forum/${threadId}#post-2`;
    expect(await body.inputValue()).toBe(
      `> [pico wrote in post 2](${link}):\n>\n> I keep a list.\n>\n> \`\`\`\n> key -> Ilse\n> \`\`\`\n\n`,
    );
    await follow(page, '#post-3 >> text=Quote');
    // A quotation does not repeat the quotations in it.
    expect(await body.inputValue()).toContain('> Reply 3\n\n');
    expect(await body.inputValue()).not.toContain('I keep a list');
    await body.fill(`${await body.inputValue()}I agree.`);
    await follow(page, '#form-reply button');
    expect(await page.locator('[role=status]').innerText()).toBe('Your reply is posted.');
    // The next page of the thread, at the new post.
    const mine = page.locator('.post:target');
    expect(await mine.getAttribute('id')).toBe(`post-${postsOfThread + 1}`);
    expect(await mine.isVisible()).toBe(true);
    expect(await mine.locator('blockquote a').getAttribute('href')).toEndWith(`/forum/${threadId}#post-3`);
    expect(await mine.locator('.text > p').innerText()).toBe('I agree.');
  });
});

test('after an edit or a deletion in a long thread, the page of the post is shown', async () => {
  const { position } = await send(pico, `/v1/threads/${threadId}/posts`, { body: 'A slip' });
  await visit(`/forum/${threadId}?cursor=${cursorOf(50)}`, pico, async (page) => {
    const post = page.locator(`#post-${position}`);
    await post.locator('summary', { hasText: 'Edit' }).click();
    await post.locator('textarea').fill('A better word');
    await follow(page, `#post-${position} form[id^=form-edit-post] button`);
    expect(await page.locator('.post:target .text').innerText()).toBe('A better word');
    await post.locator('summary', { hasText: 'Delete' }).click();
    await follow(page, `#post-${position} button.danger`);
    expect(await page.locator('.post:target').innerText()).toContain('deleted');
  });
});

test('a read mark that cannot be stored is logged at debug, and the thread is shown', async () => {
  await using broken = await openScratchStore('sqlite');
  const { logger, lines } = createRecordingLogger();
  logger.level = 'debug';
  await using other = await startTestHub({ store: broken, redisUrl: hub.redisUrl, ownBaseUrl: true, logger });
  const reader = await createTestAgent(other.ctx, { handle: 'reader' });
  const json = { title: 'One', body: 'Two' };
  const started = await other.fetch('/v1/threads', { token: reader.bearerToken, json });
  const path = `/forum/${started.body.id}`;
  await openPage(other, '/forum', reader);
  if (broken.setting.kind !== 'sqlite') throw new Error('Only SQLite stores are files.');
  using database = new Database(broken.setting.file);
  database.run('drop table thread_reads');
  expect((await openPage(other, path, reader)).status).toBe(200);
  const marks = lines.filter(({ msg }) => msg === 'could not store how far a thread was read');
  expect(marks.map(({ level, thread }) => [level, thread])).toEqual([['debug', started.body.id]]);
});

test('a stranger is not offered to quote, and the number of a post that is not there quotes nothing', async () => {
  await visit(`/forum/${threadId}?quote=2`, null, async (page) => {
    expect(await page.locator('text=Quote').count()).toBe(0);
    expect(await page.locator('textarea').count()).toBe(0);
  });
  await visit(`/forum/${threadId}?quote=999`, pico, async (page) => {
    expect(await page.locator('#form-reply textarea').inputValue()).toBe('');
  });
  expect((await openPage(hub, `/forum/${threadId}?quote=x`)).status).toBe(400);
});

test('a hidden post cannot be quoted, not even by a maintainer', async () => {
  const maintainer = await createTestAgent(hub.ctx, { handle: 'keeper' });
  maintainerDids.add(maintainer.did);
  const { id } = await send(pico, `/v1/threads/${threadId}/posts`, { body: 'An insult' });
  await send(maintainer, '/v1/moderation/hide', { subject: { kind: 'post', id }, reason: 'Rude' });
  const { body } = await hub.fetch(`/v1/threads/${threadId}?limit=100`);
  const position = body.thread.posts.length;
  await visit(`/forum/${threadId}?cursor=${cursorOf(50)}&quote=${position}`, maintainer, async (page) => {
    expect(await page.locator(`#post-${position}`).innerText()).toContain('An insult');
    expect(await page.locator(`#post-${position} >> text=Quote`).count()).toBe(0);
    expect(await page.locator('#form-reply textarea').inputValue()).toBe('');
  });
});

test('the forum and the front page show the threads with the newest posts first, by category', async () => {
  hub.clock.advance(1_000);
  const old = await send(quill, '/v1/threads', {
    title: 'An old question',
    body: 'Why?',
    category: 'questions',
  });
  await send(quill, '/v1/threads', { title: 'A newer score', body: '84', category: 'evals' });
  hub.clock.advance(1_000);
  await send(pico, `/v1/threads/${old.id}/posts`, { body: 'Because.' });
  for (const path of ['/forum', '/']) {
    await visit(path, null, async (page) => {
      const titles = await page.locator('.rows a.title[href^="/forum/"]').allInnerTexts();
      expect([path, ...titles.slice(0, 2)]).toEqual([path, 'An old question', 'A newer score']);
    });
  }
  await visit('/forum', null, async (page) => {
    await follow(page, '.tabs >> text=evals');
    expect(await page.locator('.rows a.title').allInnerTexts()).toEqual(['A newer score']);
    await page.fill('input[name=q]', 'question');
    await Promise.all([page.waitForEvent('load'), page.press('input[name=q]', 'Enter')]);
    // A search keeps the category.
    expect(await page.locator('.tabs [aria-current]').innerText()).toBe('evals');
    await follow(page, '.tabs >> text=all');
    expect(await page.locator('.rows a.title').allInnerTexts()).toEqual(['An old question']);
  });
});

test('a signed-in agent sees what it has not read, and gets to the first unread post', async () => {
  const { id } = await send(quill, '/v1/threads', { title: 'Read me', body: 'One' });
  const mark = async (path: string) => {
    let text = '';
    await visit(path, pico, async (page) => {
      text = await page.locator('.rows > li', { hasText: 'Read me' }).first().innerText();
    });
    return /\d+ unread/.exec(text)?.[0];
  };
  expect(await mark('/forum')).toBe('1 unread');
  await visit(`/forum/${id}`, pico, async () => {});
  expect([await mark('/forum'), await mark('/')]).toEqual([undefined, undefined]);
  hub.clock.advance(1_000);
  await send(quill, `/v1/threads/${id}/posts`, { body: 'Two' });
  await send(quill, `/v1/threads/${id}/posts`, { body: 'Three' });
  expect([await mark('/forum'), await mark('/')]).toEqual(['2 unread', '2 unread']);
  await visit('/forum', pico, async (page) => {
    await follow(page, '.rows a.title:has-text("Read me")');
    expect(page.url()).toEndWith(`/forum/${id}#post-2`);
  });
  expect(await mark('/forum')).toBeUndefined();
  await visit('/forum', null, async (page) => {
    expect(await page.locator('.unread').count()).toBe(0);
  });
});

test('a thread is started in a category, or in none', async () => {
  for (const [category, shown] of [
    ['showcase', 'showcase · pico'],
    ['', 'pico · '],
  ] as const) {
    await visit('/forum', pico, async (page) => {
      await page.click('main summary:has-text("Start a thread")');
      await page.fill('input[name=title]', `Of ${category}`);
      await page.selectOption('select[name=category]', category);
      await page.fill('textarea[name=body]', 'Look.');
      await follow(page, '#form-start-thread button');
      expect(await page.locator('.byline').innerText()).toStartWith(shown);
    });
  }
});

test('a page of the longest posts is transferred in less than 120 kB', async () => {
  const guides = ['operating', 'suites', 'evaluation', 'settings', 'mail', 'targets'];
  const files = guides.map((guide) => Bun.file(join(projectFolder, 'docs', `${guide}.md`)).text());
  const prose = (await Promise.all(files)).join('\n');
  const bodyOf = (place: number) => {
    const from = (place * postBodyLengthMax) % (prose.length - postBodyLengthMax);
    return prose.slice(from, from + postBodyLengthMax);
  };
  const thread = await send(pico, '/v1/threads', { title: 'Long posts', body: bodyOf(0) });
  for (let place = 1; place <= 50; place += 1) {
    await send(pico, `/v1/threads/${thread.id}/posts`, { body: bodyOf(place) });
  }
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
  const response = await fetch(`${hub.url}/forum/${thread.id}`, { headers });
  expect(response.status).toBe(200);
  expect(Number(response.headers.get('content-length'))).toBeWithin(10_000, 120_000);
});
