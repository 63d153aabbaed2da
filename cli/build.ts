/**
 * `npm run build`: compiles the whole hub into one file, `dist/hub`: the API, the workers, the supervisor,
 * the command line and every file they read. It runs without Bun and without packages.
 *
 * Usage: bun cli/build.ts [--target bun-linux-arm64] [--outfile dist/hub]
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddedFolderName, projectFolder } from '#runtime/project-files.ts';
import packageJson from '../package.json' with { type: 'json' };
import { gatherFiles, leaveOutNativeCode } from './build/contents.ts';

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    outfile: { type: 'string', default: 'dist/hub' },
  },
});

// The binary contains the Bun that builds it.
const wantedBun = packageJson.devDependencies.bun;
if (Bun.version !== wantedBun) {
  console.error(`This is Bun ${Bun.version}, but the hub is built with ${wantedBun}. Run \`npm run build\`.`);
  process.exit(1);
}

/** Only the binary's own files are below this path. */
const noFolder = JSON.stringify('/$bunfs/root');

const startedAt = performance.now();
const outfile = resolve(projectFolder, values.outfile);
const shownOutfile = relative(process.cwd(), outfile);
// Bun names sources relative to the working folder, which would expose folders of this machine.
process.chdir(projectFolder);
mkdirSync(dirname(outfile), { recursive: true });
// Beside the binary, which is renamed in the end. The build leaves source maps with it.
const scratch = mkdtempSync(join(dirname(outfile), '.build-'));
try {
  process.exitCode = (await build(scratch)) ? 0 : 1;
} catch (error) {
  // Bun reports an unknown target as a TypeError.
  if (!(error instanceof TypeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** @returns whether the build succeeded; errors are printed to standard error */
async function build(folder: string): Promise<boolean> {
  const files = join(folder, embeddedFolderName);
  const compiled = join(folder, basename(outfile));
  await gatherFiles(files);
  const built = await Bun.build({
    entrypoints: [join(projectFolder, 'cli', 'binary.ts')],
    root: projectFolder,
    target: 'bun',
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    // Stored in the binary, so that stack traces name source files and lines.
    sourcemap: 'linked',
    bytecode: true,
    // Each program loads its own parts only, which saves memory in every process.
    splitting: true,
    plugins: [leaveOutNativeCode],
    // Otherwise packages that ask for their folder would get the one on the build machine.
    define: { __dirname: noFolder, __filename: noFolder },
    compile: {
      outfile: compiled,
      assets: [files],
      // Settings come only from the environment, not from files in the folder where the binary runs.
      autoloadDotenv: false,
      autoloadBunfig: false,
      // Bun rejects an unknown target and lists the known ones.
      ...(values.target === undefined ? {} : { target: values.target as Bun.Build.CompileTarget }),
    },
    throw: false,
  });
  for (const message of built.logs) console.error(message);
  if (!built.success) return false;
  renameSync(compiled, outfile);
  const megabytes = (Bun.file(outfile).size / 1e6).toFixed(0);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${shownOutfile}: ${megabytes} MB, built in ${seconds} s`);
  return true;
}
