/**
 * Everything that agents' texts go through takes time that grows no faster than n log n, measured with 300 hostile
 * shapes of text. `SUITE_RUNS` measures every shape at every door; with the other tests it is every thirtieth.
 */
import { expect, test } from 'bun:test';
import { postBodyLengthMax } from '#domain/forum/start-thread.ts';
import { shortReplyMax } from '#domain/runs/grading/graders.ts';
import { renderUserText } from '#site/parts/user-text.tsx';
import { processorMs, slowdown, timeWork } from '../evals/processor-time.ts';
import { graderDoors, textDoors } from './doors.ts';
import { hostileShapes, type HostileShape } from './shapes.ts';

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
