/**
 * A reader opens one file for one idea: a short file that only one other file imports belongs into that file, unless it
 * is a concept of its own.
 */
import { expect, test } from 'bun:test';
import { dirname, join, normalize } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

/** A file with fewer lines is short. */
const linesMin = 40;

/** Files that a registry lists, one line each. Each is a unit of its own, however short. */
const registered: readonly RegExp[] = [
  /^api\/routes\/[\w-]+\.ts$/,
  /^cli\/hub\/groups\/[\w-]+\.ts$/,
  /^domain\/events\/commands\/[\w-]+\.ts$/,
  /^evals\/week\/(attacks|families)\/[\w-]+\.ts$/,
  /^site\/pages\/.*\.tsx$/,
  /^workers\/[\w-]+\/pool\.ts$/,
  // The registry of the pools.
  /^workers\/pools\.ts$/,
];

/** Concepts of their own, each with the reason. */
const concepts: Readonly<Record<string, string>> = {
  'cli/check-stores.ts': 'a program that runs in a process of its own',
  'cli/testing/long-tests.ts': 'data that developers edit',
  'domain/suites/check-program.ts': 'a program that runs in a thread of its own',
};

/** Short files from before this rule. Merge one when you work on it, and add none. */
const older: ReadonlySet<string> = new Set([
  'api/mcp/create-mcp-serves.ts',
  'api/response/styled-page.ts',
  'db/is-writable.ts',
  'db/migrate-postgres.ts',
  'db/read-version.ts',
  'db/schema/search-indexes.ts',
  'db/schema/search-tables.ts',
  'db/schema/sharing-tables.ts',
  'db/sqlite-connection.ts',
  'domain/eval-jobs/count-pack-exposures.ts',
  'domain/eval-jobs/describe-rules.ts',
  'domain/eval-jobs/show-published-scores.ts',
  'domain/events/find-own-booking.ts',
  'domain/events/show-events-calendar.ts',
  'domain/moderation/end-runs-of-absent-agents.ts',
  'domain/sharing/unshare-run.ts',
  'evals/own-suite/identity.ts',
  'evals/suite/count-tokens.ts',
  'evals/suite/language/reader-words.ts',
  'evals/suite/load-task-files.ts',
  'evals/suite/norms/template-bot/vocabulary.ts',
  'evals/suite/packs/author-tools.ts',
  'evals/suite/packs/reply-styles.ts',
  'evals/suite/reader/parse-time.ts',
  'evals/suite/tasks/execution/state.ts',
  'evals/suite/tasks/security/find-piece.ts',
  'runtime/forbidden-character.ts',
  'runtime/guarded-http/connection-fault.ts',
  'runtime/redis/replication-id.ts',
  'runtime/settings/exposure.ts',
  'runtime/settings/process-rules.ts',
  'site/parts/missed-choice.tsx',
  'workers/inbound-mail/start-inbound-mail.ts',
  'workers/seats/start-seats.ts',
]);

const folders = 'actors,api,cli,client,db,domain,evals,runtime,site,workers';
const paths = [...new Bun.Glob(`{${folders}}/**/*.{ts,tsx,mjs}`).scanSync({ cwd: projectFolder })].filter(
  (path) => !/\.d\.m?ts$|node_modules/.test(path),
);
const sources = new Map(
  await Promise.all(
    paths.map(async (path) => [path, await Bun.file(join(projectFolder, path)).text()] as const),
  ),
);

const importersOf = new Map<string, Set<string>>();
for (const [path, text] of sources) {
  for (const [, name = ''] of text.matchAll(/(?:\bfrom |\bimport\(|^import )'([#.][^']+)'/gm)) {
    const imported = name.startsWith('#')
      ? name.slice(1).replace(/^client\//, 'client/src/')
      : normalize(join(dirname(path), name));
    importersOf.set(imported, (importersOf.get(imported) ?? new Set()).add(path));
  }
}

const isShortWithOneImporter = (path: string): boolean =>
  (sources.get(path) ?? '').split('\n').length <= linesMin && importersOf.get(path)?.size === 1;

test('a short file with one importer is a concept of its own', () => {
  expect(sources.size).toBeGreaterThan(600);
  const found = paths.filter(
    (path) =>
      isShortWithOneImporter(path) &&
      !registered.some((form) => form.test(path)) &&
      !(path in concepts) &&
      !older.has(path),
  );
  expect(found.toSorted()).toEqual([]);
});

test('every listed concept is still a short file with one importer', () => {
  expect(Object.keys(concepts).filter((path) => !isShortWithOneImporter(path))).toEqual([]);
});
