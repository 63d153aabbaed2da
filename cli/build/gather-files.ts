/** Gathers the files that the hub reads as it runs, for the binary to hold; see runtime/project-files.ts. */
import { cpSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { packageFolder, projectFolder } from '#runtime/project-files.ts';

/** Files, and folders with all that is in them. */
function neededFiles(): readonly string[] {
  const swaggerUi = packageFolder('swagger-ui-dist');
  return [
    join(projectFolder, 'db', 'migrations'),
    join(swaggerUi, 'swagger-ui.css'),
    join(swaggerUi, 'swagger-ui-bundle.js'),
    join(swaggerUi, 'favicon-32x32.png'),
    join(packageFolder('@bull-board/ui'), 'dist'),
  ];
}

/** What drizzle-kit compares the schema with when it writes a migration. */
const isForDevelopment = (file: string): boolean => basename(file).endsWith('_snapshot.json');

/** Copies them into the folder under the paths that they have in the project. */
export function gatherFiles(folder: string): void {
  for (const file of neededFiles()) {
    cpSync(file, join(folder, relative(projectFolder, file)), {
      recursive: true,
      filter: (from) => !isForDevelopment(from),
    });
  }
}
