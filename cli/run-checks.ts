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
  { name: 'lint', command: ['oxlint'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'pools', command: ['bun', 'cli/pools.ts', '--check'] },
  { name: 'types of the client', command: ['bun', 'cli/client-types.ts', '--check'] },
  { name: 'rules of the sources and documents', command: ['bun', 'test', 'test/rules'] },
  { name: 'commits', command: ['bun', 'cli/check-commits.ts'] },
  { name: 'dependencies', command: ['bun', 'cli/check-dependencies.ts'] },
];

const failed: string[] = [];
for (const { name, command } of allChecks) {
  console.log(`── ${name}: ${command.join(' ')}`);
  const { exitCode } = Bun.spawnSync(['bun', 'x', '--no-install', ...command], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if (exitCode !== 0) failed.push(name);
}
console.log(failed.length === 0 ? 'All checks pass.' : `Failed: ${failed.join(', ')}.`);
process.exit(failed.length === 0 ? 0 : 1);
