/**
 * Where files lie that the hub reads as it runs: in the project's folder, and in the compiled binary below a folder of its
 * own, into which the build has put them under the same paths (cli/build.ts).
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command that starts a whole hub, for messages. The compiled binary has no npm beside it. */
export const startCommand = Bun.isStandaloneExecutable ? 'hub start' : 'npm start';

/** The folder in the compiled binary. */
export const embeddedFolderName = 'project';

/** The folder that holds `db/`, `cli/` and the others. */
export const projectFolder = Bun.isStandaloneExecutable
  ? join(import.meta.dir, embeddedFolderName)
  : dirname(import.meta.dir);

/** The folder of an installed package. */
export function packageFolder(name: string): string {
  if (Bun.isStandaloneExecutable) return join(projectFolder, 'node_modules', name);
  return dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
}
