/** The HTML of agents' texts is bounded by the length of their sources, for each text and for a page or feed. */
import { expect, test } from 'bun:test';
import { writeHtml } from '#evals/report/html.ts';
import { reportStyle } from '#evals/report/html-style.ts';
import { summarize } from '#evals/report/summary.ts';
import { postBodyLengthMax } from '#domain/forum/start-thread.ts';
import { renderInSlices } from '#site/parts/deferred-texts.ts';
import { renderMarkdown } from '#site/parts/markdown.ts';
import { excerptOf, renderUserText } from '#site/parts/user-text.tsx';
import { shortReplyMax } from '#domain/place/place-graders.ts';
import { hostileShapes, multiplyingShapes, type HostileShape } from './shapes.ts';
import { failed, item, runOf, trial } from '../evals/export/exported-runs.ts';
import { processorMs, slowdown, timeWork } from '../evals/processor-time.ts';
import { graderDoors, textDoors } from './doors.ts';

/** Short texts may exceed the factor. */
const boundOf = (text: string) => 16 * Math.max(text.length, 100);

const isSource = (html: string) => html.startsWith('<p class="soft small">Formatted, this text would be too');

/** Everything the parser knows, each in a form that can stand beside the others. */
const constructs: readonly string[] = [
  ...'> [a] [a](<http://a.b/>) ![a](http://a.b/) <http://a.b/> <a@b.c> *a* **a** _a ~~a~~'.split(' '),
  ...'`a` \\* &amp; &#1; <b> " & \u0001'.split(' '),
  ...'a |\n|\n\n|    a\n|```\n|~~~a\n|> |- |1. |* * *\n|# |a\n=\n|a\n---\n'.split('|'),
  ...'[a]: http://a.b/c "d"\n|[a](http://a.b/ "c")|http://a.b/ü |\\\n|  \n'.split('|'),
  '|',
  '|a|b|\n|-|-|\n',
  '|:-:|\n',
];

test.each([200, 2_000, postBodyLengthMax])(
  'a text of %p characters of any shape stays in bounds',
  (length) => {
    for (const { name, text } of hostileShapes) {
      const source = text(length);
      const size = renderMarkdown(source).length;
      expect({ name, length, bounded: size <= boundOf(source), size }).toMatchObject({ bounded: true });
    }
  },
);

test('any two constructs stay in bounds, alternating and one after the other', () => {
  for (const first of constructs) {
    for (const second of constructs) {
      const mixed = (first + second).repeat(Math.floor(1_000 / (first.length + second.length)));
      const halves = first.repeat(500 / first.length) + second.repeat(500 / second.length);
      for (const source of [mixed, halves]) {
        const size = renderMarkdown(source).length;
        const bounded = size <= boundOf(source);
        expect({ first, second, bounded, size }).toMatchObject({ bounded: true });
      }
    }
  }
});

test('a text that would become too large is shown as its source, after a sentence', () => {
  const source = multiplyingShapes[0]?.text(postBodyLengthMax) ?? '';
  const html = renderMarkdown(`${source}\n<b>"&`);
  expect(isSource(html)).toBe(true);
  expect(html).toContain('This is its source:</p>');
  expect(html).toContain('a|a|a');
  expect(html).toEndWith('&lt;b&gt;"&amp;</code></pre>\n');
  expect(excerptOf(source, 20)).toStartWith('a|a|a');
});

test('a text that nests deeply is shown as its source, without losing any of it', () => {
  const list = (depth: number) =>
    Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}- level ${level}`).join('\n');
  expect(isSource(renderMarkdown(list(8)))).toBe(false);
  for (const depth of [8, 12, 60])
    expect([depth, renderMarkdown(list(depth)).includes(`level ${depth - 1}`)]).toEqual([depth, true]);
});

test.each([
  ['a table of single digits', `|a|b|c|\n|:-:|:-:|:-:|\n${'|1|2|3|\n'.repeat(900)}`],
  ['a table of empty cells', `|day|early|late|night|\n|-|-|-|-|\n${'|monday||||\n'.repeat(600)}`],
  ['a table with most of its cells left out', `|a|b|c|d|e|\n|-|-|-|-|-|\n${'|total\n'.repeat(1_000)}`],
  ['a list of references', `${'[report][r] '.repeat(600)}\n\n[r]: https://agent.example/reports/7 "Report"`],
  ['nested lists', '- a\n  - b\n    - c\n'.repeat(400)],
  ['a quotation of quotations', '> a\n> > b\n> > > c\n\n'.repeat(400)],
  ['headings', '# a\n'.repeat(1_900)],
  ['addresses', 'http://a.b/ '.repeat(650)],
])('%s is formatted', (_, source) => {
  expect(isSource(renderMarkdown(source))).toBe(false);
});

const htmlMax = 2_000_000;
const sizeOf = (text: string) => renderUserText(text).length;

test('a page of the largest texts has at most their sources and two million characters of HTML', async () => {
  const all = multiplyingShapes.map(({ text }) => text(7_990));
  const [largest = ''] = all.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  expect(50 * sizeOf(largest)).toBeGreaterThan(htmlMax + 500_000);
  const texts = Array.from({ length: 50 }, (_, number) => ({
    text: `${number}\n\n${largest}`,
    render: renderUserText,
  }));
  const size = (await renderInSlices(texts)).reduce((sum, html) => sum + html.length, 0);
  expect(size).toBeLessThan(htmlMax + sizeOf(largest) + 50 * (renderUserText.source?.(largest).length ?? 0));
});

test('the texts for which a page has no room are shown as their source, without being parsed', async () => {
  const parsed: string[] = [];
  const render = Object.assign(
    (text: string) => {
      parsed.push(text);
      return 'x'.repeat(1_500_000);
    },
    { source: (text: string) => `source of ${text}` },
  );
  const texts = ['first', 'second', 'third'].map((text) => ({ text, render }));
  const rendered = await renderInSlices(texts);
  expect(rendered[2]).toBe('source of third');
  expect(parsed).toEqual(['first', 'second']);
});

test('a report shows as much of what many graders found in one reply as of the reply', async () => {
  const found = Array.from({ length: 32 }, () => '"'.repeat(2_000)).join('\n');
  const given = trial({ ...failed, expected: found, found, explanation: null, reply: '"'.repeat(4_000) });
  const run = runOf([item('case', [given])]);
  const report = { run, summary: await summarize(run), change: null, bars: [], outcome: 'held' } as const;
  const html = (await Array.fromAsync(writeHtml(report))).join('');
  // Each sign takes six characters, and three texts are also glimpsed.
  expect(html.length).toBeLessThan(reportStyle.length + 5_000 + 6 * 3 * 2_000);
});

/**
 * Everything that agents' texts go through takes time that grows no faster than n log n, measured with 300 hostile
 * shapes of text. `SUITE_RUNS` measures every shape at every door; with the other tests it is every thirtieth.
 */
const long = 65_536;

const short = long / 4;

/** n log n grows by less than five from the short text to the long one. Quadratic time grows by sixteen. */
const growthMax = 9;

/** Below this time, on a quiet core, no growth can be measured, and none matters. */
const unmeasurableMs = 12;

const attempts = 6;
const step = Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 1 : 30;

/** Runs of combining marks, which made folding quadratic, are measured at every door. */
const hasMarks = ({ text }: HostileShape): boolean => /\p{M}{2}/u.test(text(300));

test.each(textDoors)('%s takes at most n log n time', (name, read) => {
  // Each door gets other shapes.
  const first = name.length % step;
  for (const shape of hostileShapes.filter((one, place) => place % step === first || hasMarks(one))) {
    const texts = { short: shape.text(short), long: shape.text(long) };
    expect({ shape: shape.name, ...growthOf(read, texts) }).toMatchObject({ bounded: true });
  }
});

/** In milliseconds. `npm test` turns the last compiler off, and rendering then takes twice as long. */
const renderingMax = process.env['BUN_JSC_useFTLJIT'] === '0' ? 40 : 20;

test(`a post of any shape is rendered within ${renderingMax} ms`, () => {
  let rendered = 0;
  for (const shape of hostileShapes) {
    const post = shape.text(postBodyLengthMax - 10);
    const timing = timeWork(renderingMax, 10, () => renderUserText(`${post} ${(rendered += 1)}`));
    expect({ shape: shape.name, ...timing }).toMatchObject({ fast: true });
  }
});

test('a reply that a runner grades without the thread takes at most 30 ms, whatever its shape', () => {
  for (const [name, grade] of graderDoors) {
    for (const shape of hostileShapes.filter((one, place) => place % step === 0 || hasMarks(one))) {
      const reply = shape.text(shortReplyMax);
      const timing = timeWork(30, 10, () => grade(reply));
      expect({ name, shape: shape.name, ...timing }).toMatchObject({ fast: true });
    }
  }
});

/** The smallest of several measurements, because compilation, garbage collection and other processes only add time. */
function growthOf(read: (text: string) => unknown, texts: { readonly short: string; readonly long: string }) {
  let longMs = Number.POSITIVE_INFINITY;
  let shortMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    longMs = Math.min(
      longMs,
      processorMs(() => read(texts.long)),
    );
    if (longMs <= unmeasurableMs || longMs <= unmeasurableMs * slowdown()) return { longMs, bounded: true };
    // Four texts take long enough to be measured.
    shortMs = Math.min(shortMs, processorMs(() => [1, 2, 3, 4].map(() => read(texts.short))) / 4);
    if (attempt > 0 && longMs <= growthMax * shortMs) return { longMs, shortMs, bounded: true };
  }
  return { longMs, shortMs, bounded: false };
}
