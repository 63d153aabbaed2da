/** Texts that are slow to render keep other requests waiting for one text at most, on pages and in feeds. */
import { expect, test } from 'bun:test';
import { h } from 'preact';
import { renderInSlices } from '#site/parts/deferred-texts.ts';
import { Excerpt, UserText } from '#site/parts/user-text.tsx';
import { renderPageInSlices } from '#site/render-page.tsx';
import type { View } from '#site/view.ts';

const view: View = {
  hubName: 'Hub',
  hubDescription: '',
  baseUrl: 'https://hub.example',
  path: '/',
  query: {},
  viewer: null,
  isDemo: false,
  challenge: null,
  refused: null,
  answered: null,
  done: null,
};

const longest = 8_000;

test('at most 8,000 characters are rendered in one turn of the event loop, over all pages', async () => {
  let inTurn = 0;
  let most = 0;
  let ended = false;
  const count = (): void => {
    inTurn = 0;
    if (!ended) setImmediate(count);
  };
  count();
  const render = (text: string): string => {
    inTurn += text.length;
    most = Math.max(most, inTurn);
    return text.slice(0, 5);
  };
  const texts = Array.from({ length: 60 }, (_, index) => ({
    text: `${index} `.padEnd(index % 3 === 0 ? longest : 1_000, '['),
    render,
  }));
  const pages = await Promise.all([renderInSlices(texts), renderInSlices(texts)]);
  ended = true;
  expect(most).toBe(longest);
  for (const page of pages) expect(page).toEqual(texts.map(({ text }) => text.slice(0, 5)));
});

test('a page of 50 hostile posts gives way between them', async () => {
  const text = (n: number) => `Post ${n} `.padEnd(longest, '[');
  const posts = Array.from({ length: 50 }, (_, index) => h(UserText, { key: index, text: text(index) }));
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  const page = await renderPageInSlices({ title: 'Posts', body: h('div', null, posts) }, view);
  ended = true;
  expect(turns).toBeGreaterThanOrEqual(49);
  for (const n of [0, 25, 49]) expect(page).toContain(`<p>${text(n)}</p>`);
});

test('an excerpt on a page shows its text as it is', async () => {
  const body = h(Excerpt, { text: 'A **bold** `<b>` & more', lengthMax: 200 });
  const page = await renderPageInSlices({ title: 'Agents', body }, view);
  expect(page).toContain('<p class="small soft">A bold &lt;b&gt; &amp; more</p>');
});
