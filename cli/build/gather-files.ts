/**
 * Collects the files that the hub reads at run time, to be embedded in the binary; see
 * runtime/project-files.ts.
 */
import { cpSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { packClient, packedClientFile } from '#api/discovery/client-package.ts';
import { guideFile, siteFilesFolder } from '#site/site-files.ts';
import { packageFolder, projectFolder } from '#runtime/project-files.ts';

/** Files, and folders with their contents. */
function neededFiles(): readonly string[] {
  const swaggerUi = packageFolder('swagger-ui-dist');
  return [
    join(projectFolder, 'db', 'migrations'),
    siteFilesFolder,
    guideFile,
    join(swaggerUi, 'swagger-ui.css'),
    join(swaggerUi, 'swagger-ui-bundle.js'),
    join(swaggerUi, 'favicon-32x32.png'),
    join(packageFolder('@bull-board/ui'), 'dist'),
  ];
}

/** drizzle-kit compares the schema with these when it generates a migration. */
const isForDevelopment = (file: string): boolean => basename(file).endsWith('_snapshot.json');

/** Copies the files into the folder under their paths in the project, and packs the client. */
export async function gatherFiles(folder: string): Promise<void> {
  for (const file of neededFiles()) {
    cpSync(file, join(folder, relative(projectFolder, file)), {
      recursive: true,
      filter: (from) => !isForDevelopment(from),
    });
  }
  await Bun.write(join(folder, packedClientFile), await packClient());
}
