/**
 * Counts the files of the project in which a line runs for one more request, as a reader would have to open them:
 * `bun bench/files-per-request.ts`. Coverage is compared between processes that send two, three and four requests of a
 * kind, so that nothing counts that only loading or the first request runs, or a timer.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kinds = {
  thread: 'POST /v1/threads',
  redemption: 'POST /v1/redemptions',
  mcp: 'a thread over MCP',
  answer: 'an answer in pull mode',
};

/** How often each line ran, by file and line. */
type Hits = ReadonlyMap<string, ReadonlyMap<number, number>>;

async function hitsOf(kind: string, times: number): Promise<Hits> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-coverage-'));
  try {
    const args = ['test', '--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`];
    const run = Bun.spawn([process.execPath, ...args, './bench/children/one-request.ts'], {
      env: { ...process.env, REQUEST_KIND: kind, REQUEST_TIMES: String(times) },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [output] = await Promise.all([new Response(run.stderr).text(), new Response(run.stdout).text()]);
    if ((await run.exited) !== 0) throw new Error(output);
    return parse(await Bun.file(join(folder, 'lcov.info')).text());
  } finally {
    await rm(folder, { recursive: true });
  }
}

function parse(lcov: string): Hits {
  const files = new Map<string, Map<number, number>>();
  let lines = new Map<number, number>();
  for (const row of lcov.split('\n')) {
    const [, file] = /^SF:(.*)/.exec(row) ?? [];
    if (file !== undefined) files.set(file, (lines = new Map()));
    const [, line, count] = /^DA:(\d+),(\d+)/.exec(row) ?? [];
    if (line !== undefined) lines.set(Number(line), Number(count));
  }
  return files;
}

/** The harness, and the Redis that it keeps beside the hub, are no part of what a request runs. */
const ofHarness =
  /^(test|bench|node_modules)\/|^runtime\/(process\/tethered-process|redis\/private-redis)\.ts$/;
const isOwn = (file: string): boolean => !ofHarness.test(file);

function grownIn(before: Hits, after: Hits): string[] {
  return [...after]
    .filter(([file, lines]) => {
      const known = before.get(file);
      return isOwn(file) && [...lines].some(([line, count]) => count > (known?.get(line) ?? 0));
    })
    .map(([file]) => file)
    .toSorted();
}

const showsFiles = process.argv.includes('--files');
for (const [kind, name] of Object.entries(kinds)) {
  const [two, three, four] = [await hitsOf(kind, 2), await hitsOf(kind, 3), await hitsOf(kind, 4)];
  const again = new Set(grownIn(three, four));
  const files = grownIn(two, three).filter((file) => again.has(file));
  const inEdge = files.filter((file) => file.startsWith('api/')).length;
  console.log(`${name}: ${files.length} files, ${inEdge} of them in api/`);
  if (showsFiles) console.log(files.map((file) => `  ${file}`).join('\n'));
}
