/**
 * Paths of the files that the hub reads at run time: in the project folder, or, in the compiled binary, in an
 * embedded folder with the same layout (see cli/build.ts).
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command that starts a whole hub, for messages. The compiled binary has no npm beside it. */
export const startCommand = Bun.isStandaloneExecutable ? 'hub start' : 'npm start';

/** What operators' commands begin with, likewise. */
export const hubCommand = Bun.isStandaloneExecutable ? 'hub' : 'npm run hub --';

/** The embedded folder of the compiled binary. */
export const embeddedFolderName = 'project';

/** Where the compiled binary sees its own files. */
const binaryFolder = '/$bunfs/root';

/** The folder with `db/`, `cli/` and the others. */
export const projectFolder = Bun.isStandaloneExecutable
  ? join(binaryFolder, embeddedFolderName)
  : dirname(import.meta.dir);

/** The folder of an installed package. */
export function packageFolder(name: string): string {
  if (Bun.isStandaloneExecutable) return join(projectFolder, 'node_modules', name);
  return dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
}
