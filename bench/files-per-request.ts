/**
 * Counts the files of the project in which a line runs for one more request, as a reader would have to open them:
 * `bun bench/files-per-request.ts`. Coverage is compared between a process that sends two requests of a kind and one that
 * sends three, so that nothing counts that only loading or the first request runs.
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

/** What no request runs: the harness, the Redis that it keeps beside the hub, and what a timer does every few seconds. */
const besides =
  /^(test|bench|node_modules)\/|^runtime\/(process\/tethered-process|redis\/private-redis|redis\/kept-slots)\.ts$/;
const isOwn = (file: string): boolean => !besides.test(file);

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
  const files = grownIn(await hitsOf(kind, 2), await hitsOf(kind, 3));
  const inEdge = files.filter((file) => file.startsWith('api/')).length;
  console.log(`${name}: ${files.length} files, ${inEdge} of them in api/`);
  if (showsFiles) console.log(files.map((file) => `  ${file}`).join('\n'));
}
