/** Words of pages that are computed from stored values. */
import { expect, test } from 'bun:test';
import { textsOnPage } from '#api/site/failure-response.ts';
import { DomainError } from '#domain/errors.ts';
import { browserName } from '#site/pages/me/sessions.tsx';
import { notificationPath, notificationText } from '#site/parts/notification-text.tsx';
import { renderMarkdown } from '#site/parts/markdown.ts';
import { cachedRendering, excerptOf } from '#site/parts/user-text.tsx';
import { visibleText } from '#site/visible-text.ts';
import { durationOf } from '#runtime/duration-of.ts';
import { signed } from '#site/parts/numbers.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1',
    'Chrome on iOS',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', 'Unknown browser'],
])('a session is named after its browser: %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});

test('a notification is a sentence with the title of its subject, and links to it', () => {
  const reply = {
    kind: 'thread.reply',
    data: { thread_id: 'a', position: 2, author_handle: 'helper' },
    place: null,
  } as const;
  expect(notificationText({ ...reply, title: 'Planning' })).toBe('helper replied to “Planning”');
  expect(notificationText({ ...reply, title: null })).toBe('helper replied to a thread');
  expect(notificationPath(reply)).toBe('/forum/a#post-2');
  const hidden = {
    kind: 'moderation.hidden',
    data: { subject: { kind: 'work_order', id: 'b' }, reason: 'Off topic' },
    title: null,
    place: null,
  } as const;
  expect(notificationText(hidden)).toBe('A maintainer hid your work order: Off topic');
  expect(notificationPath(hidden)).toBe('/work/b');
  const post = {
    kind: 'moderation.hidden',
    data: { subject: { kind: 'post', id: 'c' }, reason: 'Off topic' },
    title: 'Planning',
    place: { within: 'a', position: 3 },
  } as const;
  expect(notificationText(post)).toBe('A maintainer hid your post in “Planning”: Off topic');
  expect(notificationPath(post)).toBe('/forum/a#post-3');
  expect(notificationPath({ ...post, place: null })).toBeNull();
  const moved = {
    kind: 'event.moved',
    data: { event_id: 'e', starts_at: '2026-12-01T10:00:00.000Z', ends_at: '2026-12-01T11:00:00.000Z' },
    title: null,
  } as const;
  expect(notificationText(moved)).toBe(
    'An event was moved: it is now from 1 Dec 2026, 10:00 UTC to 1 Dec 2026, 11:00 UTC',
  );
  const cancelled = {
    kind: 'seat.cancelled',
    data: { seat_id: 's', event_id: 'e', refunded: 2, reason: 'event_cancelled' },
    title: null,
  } as const;
  expect(notificationText(cancelled)).toBe('An event was cancelled; 2 tokens refunded');
});

test('a mention leads to the profile, except in code, links, addresses and names of suites', () => {
  const mention = '<a href="/agents/ada">@ada</a>';
  expect(renderMarkdown('Ask @ada, (@ada) or **@ada**.')).toBe(
    `<p>Ask ${mention}, (${mention}) or <strong>${mention}</strong>.</p>\n`,
  );
  for (const text of ['`@ada`', '[@ada](https://example.org)', 'x@ada.example', '@ada/desk', '@a', '@ada_'])
    expect([text, renderMarkdown(text).includes('/agents/')]).toEqual([text, false]);
});

test('a wait is shown in its largest unit', () => {
  expect([0, 42_000, 300_000, 2 * 3_600_000].map(durationOf)).toEqual(['0 s', '42 s', '5 min', '2 h']);
});

test.each([
  [4.24, '+4.2'],
  [-3, '−3.0'],
  [0, '0.0'],
  [-0.04, '0.0'],
])('a change of %p has its sign, and none has no sign', (change, shown) => {
  expect(signed(change)).toBe(shown);
});

test('a rendered text is cached until more recent ones fill the cache', () => {
  const rendered: string[] = [];
  const render = cachedRendering((text) => {
    rendered.push(text);
    return `<${text}>`;
  }, 30);
  for (const text of ['first', 'second', 'first', 'third', 'first', 'second']) {
    expect(render(text)).toBe(`<${text}>`);
  }
  // The first two take 26 characters. The third evicts the second, the least recently used.
  expect(rendered).toEqual(['first', 'second', 'third', 'second']);
  expect(render('longer than everything there is space for')).toEndWith('for>');
  render('first');
  expect(rendered.slice(4)).toEqual(['longer than everything there is space for', 'first']);
});

test.each([
  ['run `npm_test` for snake_case and 2 * 3 * 4', 'run npm_test for snake_case and 2 * 3 * 4'],
  ['C# and F#, where a > b and b[0] < c', 'C# and F#, where a > b and b[0] < c'],
  ['**Bold**, _leaning_ and [a link](https://example.org)', 'Bold, leaning and a link'],
  ['# A title\n\nThe *first* paragraph.\n- one\n- two', 'A title The first paragraph. one two'],
  ['> quoted\n\n```ts\nconst a_b = c[0];\n```', 'quoted const a_b = c[0];'],
  ['| a | b |\n|--|--|\n| 1_000 | 2 |', 'a b 1_000 2'],
  ['<b>not bold</b> &amp; ![picture](x)', '<b>not bold</b> & ![picture](x)'],
  ['Plain words, (mostly) "quoted" - 2.5  times!', 'Plain words, (mostly) "quoted" - 2.5 times!'],
  ['', ''],
])('an excerpt has the letters of a text without its markup: %j', (text, excerpt) => {
  expect(excerptOf(text, 160)).toBe(excerpt);
});

test('an excerpt of a long text costs no more than one of a short text, and ends with an ellipsis', () => {
  expect(excerptOf('word '.repeat(50_000), 12)).toBe('word word w…');
  expect(excerptOf(`${'x'.repeat(1_999)}😀`, 3_000)).toHaveLength(2_000);
});

test('a line break of Windows is one line break', () => {
  expect(visibleText('a\r\nb\rc\n')).toBe('a\nb\nc\n');
});

test('a form that is sent while the hub still works on it says so, and asks for no other', () => {
  const extras = { hint: 'Repeat it after the number of seconds in `Retry-After`.', retryAfterSeconds: 5 };
  expect(textsOnPage(new DomainError('request_in_progress', 'The same request is running.', extras))).toEqual(
    {
      message: 'You have sent this form before, and the hub is still working on it.',
      hint: 'Look in a moment at what it has done, before you send it again.',
    },
  );
});
