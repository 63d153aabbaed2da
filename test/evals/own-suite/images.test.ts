/** Images in the messages of cases: what is one, how many there may be, and what a document keeps of them. */
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { FilesGiven } from '#evals/own-suite/beside.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import {
  maxCaseImageBytes,
  maxDocumentBytes,
  maxMessageImages,
  maxSuiteImageBytes,
} from '#evals/own-suite/limits.ts';
import { dataUrl, imageOf, png, pngUrl } from '#test/harness/images.ts';

const messageWith = (images: readonly unknown[]) => ({ role: 'user', content: 'What is it?', images });
const suiteOf = (...cases: readonly (readonly unknown[])[]) => ({
  suite: 1,
  name: 'with-images',
  cases: cases.map((images, at) => {
    return { id: `c${at}`, messages: [messageWith(images)], expect: [{ contains: 'a' }] };
  }),
});
const check = (document: object, files?: FilesGiven) => checkSuite(JSON.stringify(document), 'json', files);

async function faultsOf(document: object, files?: FilesGiven): Promise<readonly string[]> {
  const checked = await check(document, files);
  return checked.ok ? [] : checked.faults.map(({ message }) => message);
}

test('a document keeps the hash of an image, whether its file or its data URL is given', async () => {
  const [byFile, inline] = await Promise.all([
    check(suiteOf(['pictures/cat.png']), { 'pictures/cat.png': pngUrl }),
    check(suiteOf([pngUrl])),
  ]);
  if (!byFile.ok || !inline.ok) throw new Error('The suites have no faults.');
  const sha256 = createHash('sha256').update(png).digest('hex');
  const placed = { sha256, type: 'image/png', bytes: png.length };
  expect(byFile.value).toMatchObject({
    cases: [{ messages: [{ images: [{ ...placed, name: 'cat.png' }] }] }],
  });
  expect(inline.value).toMatchObject({ cases: [{ messages: [{ images: [placed] }] }] });
  expect(byFile.images).toEqual([[sha256, png.toString('base64')]]);
  expect(byFile.caseIdentities).toEqual(inline.caseIdentities);
  expect(byFile.size.casesWithImages).toBe(1);
  // The document, published again as it is shown, is the same version.
  const again = await check(byFile.value as object);
  expect(again).toMatchObject({ ok: true, hash: byFile.hash, images: [] });
});

test('a file that was not given is asked for, also through a variable and a table', async () => {
  expect(await check(suiteOf(['a.png']))).toMatchObject({ missing: ['a.png'] });
  const document = { suite: 1, name: 'tables', cases: { file: 'cases.jsonl' } };
  const messages = [messageWith(['{{picture}}'])];
  const record = { vars: { picture: 'b.png' }, messages, expect: [{ contains: 'a' }] };
  const files = { 'cases.jsonl': JSON.stringify(record) };
  expect(await check(document, files)).toMatchObject({ missing: ['b.png'] });
  expect(await check(document, { ...files, 'b.png': pngUrl })).toMatchObject({ ok: true });
  expect(await faultsOf(suiteOf(['a.png']), { 'a.png': null })).toEqual([
    '`cases[0].messages[0].images[0]` names "a.png", which is no file beside the suite.',
  ]);
});

test.each([
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
  ['image/gif', [...Buffer.from('GIF89a')]],
  ['image/webp', [...Buffer.from('RIFF\0\0\0\0WEBP')]],
])('the content of an image decides its type: %s', async (type, bytes) => {
  const url = dataUrl(Buffer.from([...bytes, 1, 2, 3]), 'image/x-whatever');
  expect(await check(suiteOf([url]))).toMatchObject({
    ok: true,
    value: { cases: [{ messages: [{ images: [{ type }] }] }] },
  });
});

const notImage = 'must be a PNG, JPEG, GIF or WebP image, by its content';
const noFetch = 'must be a path beside the suite or a data URL; the hub fetches no images';
const base64 = png.toString('base64');

test.each([
  ['https://example.com/a.png', noFetch],
  ['http://127.0.0.1/a.png', noFetch],
  ['HTTPS://example.com/a.png', noFetch],
  ['file:///etc/passwd', noFetch],
  ['javascript:alert(1)', noFetch],
  [dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'), notImage],
  [dataUrl(Buffer.from('<svg/>'), 'image/png'), notImage],
  [dataUrl(Buffer.from('%PDF-1.7'), 'image/png'), notImage],
  [dataUrl(Buffer.alloc(0), 'image/png'), notImage],
  [`data:image/png;base64,${base64.slice(0, -1)}`, 'has broken base64'],
  [`data:image/png;base64,${base64.slice(0, 8)} ${base64.slice(8)}`, 'has broken base64'],
  [`data:image/png;base64,${base64}!!!!`, 'has broken base64'],
  [`data:image/png,${base64}`, 'must be a data URL in base64'],
  [`data:image/png;charset=x;base64,${base64}`, 'must be a data URL in base64'],
  ['data:', 'must be a data URL in base64'],
])('%s is refused', async (image, why) => {
  const faults = await faultsOf(suiteOf([image]), {});
  expect(faults).toEqual([expect.stringContaining(`\`cases[0].messages[0].images[0]\` ${why}`)]);
});

test('what has no form of an image, and images of other messages, are faults', async () => {
  for (const image of [7, null, {}, ['x'], { sha256: 'x', type: 'image/png', bytes: 1 }])
    expect(await faultsOf(suiteOf([image]), {})).not.toEqual([]);
  expect(await faultsOf(suiteOf([]))).toEqual([expect.stringContaining('images')]);
  const messages = [
    { ...messageWith([pngUrl]), role: 'assistant' },
    { role: 'user', content: 'y' },
  ];
  const cases = [{ id: 'a', messages, expect: [{ contains: 'a' }] }];
  expect(await faultsOf({ suite: 1, name: 'other', cases })).toEqual([
    'cases[0]: Only messages of the role `user` have images.',
  ]);
});

test('images of a message, bytes of a case and bytes of a suite are bounded', async () => {
  const many = Array.from({ length: maxMessageImages + 1 }, () => pngUrl);
  expect(await faultsOf(suiteOf(many))).toEqual([expect.stringContaining(`${maxMessageImages}`)]);
  const [half, third] = [imageOf(maxCaseImageBytes / 2, 1), imageOf(maxCaseImageBytes / 2 + 1, 2)];
  const files = { 'a.png': dataUrl(half), 'b.png': dataUrl(third) };
  expect(await faultsOf(suiteOf(['a.png', 'a.png']), files)).toEqual([]);
  expect(await faultsOf(suiteOf(['a.png', 'b.png']), files)).toEqual([
    `The images of a case must have at most ${maxCaseImageBytes} bytes together.`,
  ]);
  const large = Object.fromEntries(
    [1, 2, 3].map((seed) => [`${seed}.png`, dataUrl(imageOf(maxSuiteImageBytes / 3 + seed, seed))]),
  );
  expect(await faultsOf(suiteOf(['1.png'], ['2.png'], ['3.png']), large)).toEqual([
    `\`cases[2].messages[0].images[0]\` is one too many: the images of a suite must have at most ${maxSuiteImageBytes} bytes together.`,
  ]);
  // One image in many cases counts once.
  const whole = { 'a.png': dataUrl(imageOf(maxCaseImageBytes, 1)) };
  const fifty = suiteOf(...Array.from({ length: 50 }, () => ['a.png']));
  const startedAt = performance.now();
  const checked = await check(fifty, whole);
  expect(checked).toMatchObject({ ok: true, images: [[expect.anything(), expect.anything()]] });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  const names = Array.from({ length: 50 }, (_, at) => `${at}.png`);
  const tooMuch = Object.fromEntries(names.map((name) => [name, whole['a.png']]));
  expect(await faultsOf(fifty, tooMuch)).toEqual([expect.stringContaining('or its images more than')]);
  const inline = suiteOf(...Array.from({ length: 50 }, () => [whole['a.png']]));
  expect(await faultsOf(inline)).toEqual([expect.stringContaining(`${maxDocumentBytes} bytes`)]);
});
