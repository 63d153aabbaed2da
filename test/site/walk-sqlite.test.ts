/** The walk through the site on SQLite, and the size of its scripts. */
import { expect, test } from 'bun:test';
import { siteFiles } from '#site/site-files.ts';
import { walkOn } from './tour/walk.ts';

const scriptMaxBytes = 20_000;

walkOn('sqlite');

test('all scripts together are small', () => {
  expect(Bun.gzipSync(siteFiles.script.content).length).toBeLessThan(scriptMaxBytes);
});
