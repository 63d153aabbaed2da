/** Builds the hub of an earlier commit. */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

export interface PreviousHub {
  /** The path of its binary. */
  readonly binary: string;
  remove(): Promise<void>;
}

/** Of two commits, only those with the same baseline can share a store. */
const baseline = 'db/migrations/sqlite/0000_baseline.sql';

export function findBaselineCommit(): Promise<string> {
  return run(projectFolder, ['git', 'log', '-1', '--format=%H', '--', baseline]);
}

/** @param commit a commit or tag in this clone */
export async function buildPreviousHub(commit: string): Promise<PreviousHub> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-previous-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await unpack(commit, folder);
    await assertSameBaseline(commit, folder);
    await addPackages(folder);
    const binary = join(folder, 'dist', 'hub');
    await run(folder, [process.execPath, join('cli', 'build.ts'), '--outfile', binary]);
    return { binary, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function unpack(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'sources.tar');
  await run(projectFolder, ['git', 'archive', `--output=${archive}`, commit]).catch((cause: unknown) => {
    throw new Error(
      `This clone does not have ${commit}. Run \`git fetch --unshallow\`, or name another commit: PREVIOUS=COMMIT.`,
      { cause },
    );
  });
  await run(folder, ['tar', '--extract', '--file', archive]);
}

async function assertSameBaseline(commit: string, folder: string): Promise<void> {
  const [before, now] = await Promise.all(
    [folder, projectFolder].map((place) => Bun.file(join(place, baseline)).text()),
  );
  if (before === now) return;
  throw new Error(
    `${commit} has another ${baseline}, so its stores cannot be upgraded. Name a commit since ${await findBaselineCommit()}.`,
  );
}

/** Reuses the packages of this version if both need the same ones. */
async function addPackages(folder: string): Promise<void> {
  const [before, now] = await Promise.all(
    [folder, projectFolder].map((place) => Bun.file(join(place, 'bun.lock')).text()),
  );
  if (before === now) {
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  } else {
    await run(folder, [process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts']);
  }
}

/** Returns what the command prints. */
async function run(cwd: string, command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [printed = '', complaints = ''] = await Promise.all(
    [child.stdout, child.stderr].map((each) => Bun.readableStreamToText(each)),
  );
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${complaints}`);
  return printed.trim();
}
