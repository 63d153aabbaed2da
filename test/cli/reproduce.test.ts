/** A run can be reproduced from its seed on the command line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOracle, startTarget, type TestTarget } from '#test/harness/target.ts';

const program = join(import.meta.dirname, '..', '..', 'cli', 'reproduce.ts');
const seed = '00112233445566778899aabbccddeeff';

/** A kind whose prompt has its answer. */
const packFile = (category: string): string => `import { exactTask } from 'agent-hub/eval-suite';
export const category = { name: '${category}', description: 'Test.', kinds: [{ name: 'test-${category}', make: (random) => {
  const value = String(random.int(1000, 9999));
  return exactTask({ prompt: 'Say ' + value + '.', type: 'number', value, skill: 'test', mistakes: ['0'] });
} }] };`;

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

describe('cli/reproduce.ts', () => {
  let oracle: TestTarget;
  beforeAll(() => {
    oracle = startOracle(() => [seed], 0, { maxPromptTokens: 32_000 });
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

  test('runs the cases of a private pack from its files, and shows their prompts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-hub-pack-'));
    for (const category of ['context', 'text'])
      await Bun.write(join(folder, `autumn.${category}.ts`), packFile(category));
    const guesser = startTarget(
      ({ prompts }) => `Answer: ${/\d{4}/.exec(prompts.join(' '))?.[0] ?? 'unknown'}`,
    );
    const asked = ['--seed', seed, '--target', guesser.url, '--max-prompt', '8000', '--format', 'json'];
    const { code, out, err } = await run(...asked, '--pack', folder);
    expect([code, err.includes('Pack autumn, hash ')]).toEqual([0, true]);
    const card = JSON.parse(out);
    expect(card.suite.pack).toEqual({ name: 'autumn', hash: /hash (\w+)/.exec(err)?.[1] });
    expect(card.kinds).toMatchObject({ unseen: { score: 100, cases: 8 }, known: { cases: 32 } });
    await guesser.stop();
    await rm(folder, { recursive: true });
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
    [['--target', 'http://127.0.0.1/', '--cases', '41'], '--cases'],
    [['--target', 'http://127.0.0.1/', '--max-prompt', '1'], '--max-prompt'],
    [['--target', 'http://127.0.0.1/', '--pack', '/nowhere'], '--pack'],
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
