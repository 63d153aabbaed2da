/**
 * `npm run build`: the whole hub as one file, `dist/hub`, with the API, the workers, the supervisor, the command line and all
 * files that they read. It needs neither Bun nor packages where it runs.
 *
 * Usage: bun cli/build.ts [--target bun-linux-arm64] [--outfile dist/hub]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddedFolderName, projectFolder } from '#runtime/project-files.ts';
import packageJson from '../package.json' with { type: 'json' };
import { embedCategories } from './build/embed-categories.ts';
import { gatherFiles } from './build/gather-files.ts';
import { leaveOutNativeCode } from './build/leave-out-native-code.ts';

const { values } = parseArgs({
  options: { target: { type: 'string' }, outfile: { type: 'string', default: 'dist/hub' } },
});

// The binary holds the Bun that has built it.
const wantedBun = packageJson.devDependencies.bun;
if (Bun.version !== wantedBun) {
  console.error(`This is Bun ${Bun.version}; the hub is built with ${wantedBun}, as \`npm run build\` does.`);
  process.exit(1);
}

/** Only what the binary holds itself is below it. */
const noFolder = JSON.stringify('/$bunfs/root');

const startedAt = performance.now();
const outfile = resolve(projectFolder, values.outfile);
const shownOutfile = relative(process.cwd(), outfile);
// Bun names the sources by their way from here, which would lead over the folders of this machine.
process.chdir(projectFolder);
const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-build-'));
try {
  process.exitCode = (await build(join(scratch, embeddedFolderName))) ? 0 : 1;
} catch (error) {
  // So Bun refuses a target that it does not know.
  if (!(error instanceof TypeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** @returns whether it is built; why not is said on standard error */
async function build(files: string): Promise<boolean> {
  gatherFiles(files);
  const built = await Bun.build({
    entrypoints: [join(projectFolder, 'cli', 'binary.ts')],
    root: projectFolder,
    target: 'bun',
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    // Held in the binary, so that a stack trace names files and lines of the sources.
    sourcemap: 'linked',
    bytecode: true,
    plugins: [embedCategories, leaveOutNativeCode],
    // Packages that ask for their own folder would be told the one on this machine.
    define: { __dirname: noFolder, __filename: noFolder },
    compile: {
      outfile,
      assets: [files],
      // Settings come from the environment alone, and not from what lies in the folder where somebody runs it.
      autoloadDotenv: false,
      autoloadBunfig: false,
      // Bun refuses what is none, and names those there are.
      ...(values.target === undefined ? {} : { target: values.target as Bun.Build.CompileTarget }),
    },
    throw: false,
  });
  for (const message of built.logs) console.error(message);
  // The copy of what it has inside.
  rmSync(`${outfile}.map`, { force: true });
  if (!built.success) return false;
  const megabytes = (Bun.file(outfile).size / 1e6).toFixed(0);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${shownOutfile}: ${megabytes} MB, built in ${seconds} s`);
  return true;
}
