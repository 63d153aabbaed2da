/** Installs programs of others from the package registry, each in a folder of its own, at exactly one version. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { runProgram } from '#test/harness/run-program.ts';

/** Only `npm run long -- doors` installs them. */
export const isAsked = process.env['DOORS'] === 'all';

// oxlint-disable-next-line typescript/no-explicit-any -- packages are imported without their types
export type Untyped = any;

const cache = join(projectFolder, 'node_modules', '.cache', 'doors');
/** Newer than the Node that the project itself needs. */
const nodeVersion = '24.21.0';

/**
 * @param beside packages that it needs but does not install, each with its version
 * @returns the folder of the package
 */
export async function installed(
  name: string,
  version: string,
  ...beside: readonly string[]
): Promise<string> {
  const folder = join(cache, [`${name}@${version}`, ...beside].join('+').replaceAll('/', '+'));
  const own = join(folder, 'node_modules', name);
  if (existsSync(own)) return own;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const words = [
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `${name}@${version}`,
    ...beside,
  ];
  const { exitCode, complaints } = await runProgram(words, { cwd: folder });
  if (exitCode !== 0) throw new Error(`${words.join(' ')} failed: ${complaints}`);
  return own;
}

/** Installs the Node that the programs need. @returns its path */
export async function installNode(): Promise<string> {
  const folder = await installed(`node-${process.platform}-${process.arch}`, nodeVersion);
  return join(folder, 'bin', 'node');
}

/** The path of a program of an installed package. */
export function programOf(folder: string, name: string): string {
  return join(folder.slice(0, folder.lastIndexOf('node_modules')), 'node_modules', '.bin', name);
}

interface Ran {
  readonly exitCode: number;
  readonly printed: string;
  readonly complaints: string;
}

/** Runs a program in a folder that is also its home, without reporting to anybody. */
export async function run(
  words: readonly string[],
  folder: string,
  given: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const quiet = { CI: '1', DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1' };
  const env = { PATH: process.env['PATH'], HOME: folder, ...quiet, ...given };
  return runProgram(words, { cwd: folder, env });
}

/** Serves an application of Express on a free port. */
export async function listen(app: Untyped) {
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, stop };
}
