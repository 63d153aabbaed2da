/**
 * Unpacks Debian packages into a folder of the project. That needs no root, starts no service and does not
 * change the system. Works on Debian and its derivatives, with the system's package sources and keys.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const STEP_TIMEOUT_MS = 10 * 60_000;
const CHECK_TIMEOUT_MS = 60_000;

export function canUnpackDebianPackages() {
  return has('apt-get') && has('dpkg-deb');
}

/**
 * Downloads the packages and those of their libraries that the system lacks, unpacks them side by side into
 * `root`, and writes a script that runs one of their programs.
 * @param {object} wanted
 * @param {readonly string[]} wanted.packages
 * @param {string} wanted.folder the target; afterwards it is complete or does not exist
 * @param {string} wanted.starter the name of the script in it
 * @param {string} wanted.program the path of the program, such as `usr/bin/redis-server`
 * @param {Readonly<Record<string, string>>} [wanted.files] more files to write, by name; `%ROOT%` in them
 * becomes the folder of the packages
 * @param {readonly string[]} [wanted.settings] lines of the script before it runs the program; `$here` is the
 * folder
 * @param {{ arguments: readonly string[], output: string }} [wanted.check] how to run the program to see that it works,
 * and what it must print
 * @param {readonly string[]} [wanted.only] files to keep, such as `usr/bin/promtool`, of programs that need no other
 * package; by default all files, and those of the packages they depend on
 */
export function unpackDebianPackages({
  packages,
  folder,
  starter,
  program,
  files = {},
  settings = [],
  check = { arguments: ['--version'], output: '' },
  only,
}) {
  const draft = `${folder}.${process.pid}`;
  const downloads = join(draft, 'downloads');
  const root = join(draft, 'root');
  for (const part of ['downloads', 'root']) mkdirSync(join(draft, part), { recursive: true });
  try {
    const apt = openApt(draft);
    const asked = ['-s', '--reinstall', '--no-install-recommends', 'install', ...packages];
    apt(['download', ...(only ? packages : packagesToUnpack(packages, apt(asked)))], downloads);
    const unpacked = only ? join(draft, 'unpacked') : root;
    for (const file of readdirSync(downloads)) run('dpkg-deb', ['-x', join(downloads, file), unpacked]);
    for (const file of only ?? []) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      renameSync(join(unpacked, file), join(root, file));
    }
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(draft, name), text.replaceAll('%ROOT%', join(folder, 'root')));
    }
    writeStarter(join(draft, starter), root, program, settings);
    checkProgram(join(draft, starter), check);
    for (const part of ['lists', 'cache', 'downloads', 'unpacked'])
      rmSync(join(draft, part), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Updates lists of its own in `draft`, and returns a function that runs apt-get with them. With its own lists and cache
 * apt needs no root, and minimal images have no lists anyway.
 * @param {string} draft
 * @param {readonly string[]} [settings] more of apt's settings
 */
export function openApt(draft, settings = []) {
  for (const part of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(draft, part), { recursive: true });
  const own = [`Dir::State::Lists=${draft}/lists`, `Dir::Cache=${draft}/cache`, 'APT::Sandbox::User=root'];
  const options = ['-q', ...[...own, ...settings].flatMap((setting) => ['-o', setting])];
  run('apt-get', [...options, 'update']);
  /**
   * @param {readonly string[]} words
   * @param {string} [cwd]
   */
  return (words, cwd) => run('apt-get', [...options, ...words], cwd === undefined ? {} : { cwd });
}

/**
 * Reads the names from apt's plan, whose lines are `Inst name [installed version] (new version …)`. Installed
 * packages are left out: a C library newer than the system's would not even load.
 * @param {readonly string[]} packages
 * @param {string} plan
 */
function packagesToUnpack(packages, plan) {
  const planned = [...plan.matchAll(/^Inst (\S+)( \[)?/gm)];
  const missing = planned
    .filter(([, name, installed]) => !installed || packages.includes(name))
    .map(([, name]) => name);
  return [...new Set([...packages, ...missing])];
}

/**
 * Writes the script that runs the unpacked program with the libraries beside it.
 * @param {string} file
 * @param {string} root
 * @param {string} program
 * @param {readonly string[]} settings
 */
function writeStarter(file, root, program, settings) {
  const libraries = ['usr/lib', 'lib'].flatMap((folder) => foldersWithLibraries(root, folder, 2));
  const searchPath = libraries.map((folder) => `$here/root/${folder}`).join(':');
  const lines = [
    '#!/bin/sh',
    'here=${0%/*}',
    `export LD_LIBRARY_PATH="${searchPath}"`,
    ...settings,
    `exec "$here/root/${program}" "$@"`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
}

/**
 * Lists the folders that hold shared libraries, down to a depth, relative to `root`.
 * @param {string} root
 * @param {string} folder
 * @param {number} depth
 * @returns {string[]}
 */
function foldersWithLibraries(root, folder, depth) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  const inner = entries.filter((entry) => entry.isDirectory() && depth > 0);
  return [
    ...(entries.some(({ name }) => /^lib.*\.so(\.|$)/.test(name)) ? [folder] : []),
    ...inner.flatMap(({ name }) => foldersWithLibraries(root, `${folder}/${name}`, depth - 1)),
  ];
}

/**
 * @param {string} program
 * @param {{ arguments: readonly string[], output: string }} check
 */
function checkProgram(program, { arguments: programArguments, output }) {
  const printed = run(program, programArguments, { timeoutMs: CHECK_TIMEOUT_MS });
  if (!printed.includes(output)) throw new Error(`\`${program}\` was unpacked but does not work.`);
}

/** @param {string} program */
export function has(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Runs a program and returns what it printed.
 * @param {string} program
 * @param {readonly string[]} programArguments
 * @param {{ cwd?: string, timeoutMs?: number }} [options]
 */
export function run(program, programArguments, { cwd, timeoutMs = STEP_TIMEOUT_MS } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, programArguments, {
    ...(cwd === undefined ? {} : { cwd }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) {
    const words = (error?.message ?? stderr).trim().split('\n').slice(-5).join('\n');
    throw new Error(`\`${program} ${programArguments.at(-1)}\` failed: ${words}`);
  }
  return stdout;
}
