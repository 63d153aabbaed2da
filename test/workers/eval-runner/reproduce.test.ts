/** A run can be reproduced from its seed on the command line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { startOracle, startTarget, type TestTarget } from '#test/harness/target.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'workers', 'eval-runner', 'reproduce.ts');
const seed = '00112233445566778899aabbccddeeff';

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([process.execPath, program, ...words], {
    stdout: 'pipe',
    stderr: 'pipe',
    stdin: 'ignore',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}

describe('workers/eval-runner/reproduce.ts', () => {
  let oracle: TestTarget;
  beforeAll(() => {
    oracle = startOracle(() => [seed]);
  });
  afterAll(() => oracle.stop());

  test('puts the cases of the seed to the target and prints the scorecard', async () => {
    const json = await run('--seed', seed, '--target', oracle.url, '--format', 'json');
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({ suite: { seed }, score: 100 });
    expect(json.err).toContain('40/40');
    const markdown = await run('--seed', seed, '--target', oracle.url);
    expect(markdown.out).toStartWith('# Eval run: 100');
  });

  test('exits with 1 and the reason when the target is broken', async () => {
    const broken = startTarget(() => new Response('no', { status: 500 }));
    const { code, err } = await run('--seed', seed, '--target', broken.url);
    expect(code).toBe(1);
    expect(err).toContain('target_bad_status');
    expect(err).toContain(seed);
    await broken.stop();
  });

  test.each([
    [[], '--target'],
    [['--target', 'nowhere'], '--target'],
    [['--target', 'http://127.0.0.1/', '--seed', 'abc'], '--seed'],
    [['--target', 'http://127.0.0.1/', '--format', 'pdf'], '--format'],
    [['--target', 'http://127.0.0.1/', '--timeout', '0'], '--timeout'],
    [['--sped', '1'], '--sped'],
  ])('exits with 2 and says what is wrong with %j', async (words, reason) => {
    const { code, err } = await run(...words);
    expect(code).toBe(2);
    expect(err).toContain(reason);
  });

  test('--help says how it is used', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out).toContain('--seed SEED');
  });
});
