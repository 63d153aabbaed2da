/** Runs after the whole suite: some test must have produced every response in the OpenAPI document. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { hubEndpoints } from '#api/routes.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';

const file = process.env['TEST_SEEN_ANSWERS'];
if (file === undefined) throw new Error('TEST_SEEN_ANSWERS is not set. Run this file through `npm test`.');
const seen = new Set(readFileSync(file, 'utf8').split('\n'));

test('this run produced every documented response', () => {
  const missing = listDocumentedAnswers(documentOf(hubEndpoints)).filter((name) => !seen.has(name));
  expect(missing).toEqual([]);
});
