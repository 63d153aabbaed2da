/** What the binary holds: the files that the hub reads, and no native code. */
import type { BunPlugin } from 'bun';
import { cpSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { clientPackages, packedFileOf } from '#api/discovery/client-packages.ts';
import { packageFolder, projectFolder } from '#runtime/project-files.ts';
import { clientFiles, guideFile, siteFilesFolder } from '#site/site-files.ts';

/** Files, and folders with their contents. */
function neededFiles(): readonly string[] {
  const swaggerUi = packageFolder('swagger-ui-dist');
  return [
    join(projectFolder, 'db', 'migrations'),
    siteFilesFolder,
    ...clientFiles,
    guideFile,
    join(swaggerUi, 'swagger-ui.css'),
    join(swaggerUi, 'swagger-ui-bundle.js'),
    join(swaggerUi, 'favicon-32x32.png'),
    join(packageFolder('@bull-board/ui'), 'dist'),
  ];
}

/** drizzle-kit compares the schema with these when it generates a migration. */
const isForDevelopment = (file: string): boolean => basename(file).endsWith('_snapshot.json');

/**
 * Collects the files that the hub reads at run time, to be embedded in the binary; see
 * runtime/project-files.ts.
 * Copies the files into the folder under their paths in the project, and packs the clients.
 */
export async function gatherFiles(folder: string): Promise<void> {
  for (const file of neededFiles()) {
    cpSync(file, join(folder, relative(projectFolder, file)), {
      recursive: true,
      filter: (from) => !isForDevelopment(from),
    });
  }
  for (const client of clientPackages)
    await Bun.write(join(folder, packedFileOf(client)), await client.pack());
}

/**
 * Leaves `msgpackr-extract`, an optional dependency of msgpackr, out of the compiled binary. It loads a
 * native library from the path it had on the build machine, so on another machine it would load whatever is
 * at that path.
 */
export const leaveOutNativeCode: BunPlugin = {
  name: 'leave-out-native-code',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]msgpackr-extract[\\/]index\.js$/ }, () => ({
      contents: 'module.exports = null;',
      loader: 'js',
    }));
  },
};
