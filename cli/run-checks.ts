/**
 * `npm run check`: format, lint, types, dead code, generated files, rules of the house and dependencies. Runs every
 * tool even after a failure, so that one run shows all problems.
 */

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const allChecks: readonly Check[] = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'lint and types', command: ['oxlint', '--type-check'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'types of the client', command: ['bun', 'cli/client-types.ts', '--check'] },
  { name: 'rules of the sources and documents', command: ['bun', 'cli/run-tests.ts', 'test/rules'] },
  { name: 'commits', command: ['bun', 'cli/check-commits.ts'] },
  { name: 'dependencies', command: ['bun', 'cli/check-dependencies.ts'] },
];

// All at once: the linter takes most of the time, and waits for files and for its slowest thread.
const running = allChecks.map(({ name, command }) => {
  const child = Bun.spawn(['bun', 'x', '--no-install', ...command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
  });
  const printed = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { name, command, child, printed };
});

async function report(): Promise<number> {
  const failed: string[] = [];
  for (const { name, command, child, printed } of running) {
    const texts = await printed;
    console.log(`── ${name}: ${command.join(' ')}`);
    for (const text of texts) process.stdout.write(text);
    if ((await child.exited) !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'All checks pass.' : `Failed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
}

void report().then((exitCode) => process.exit(exitCode));
