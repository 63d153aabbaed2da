/** For the compiled binary, which has no folder of categories to read: puts a list of the files of today in its place. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { projectFolder } from '#runtime/project-files.ts';

const folder = join(projectFolder, 'domain', 'eval-suite');

/** Replaces `load-category-files.ts` by a module with the same export. */
export const embedCategories: BunPlugin = {
  name: 'embed-categories',
  setup: (build) => {
    build.onLoad({ filter: /\/eval-suite\/load-category-files\.ts$/ }, () => ({
      contents: listOf(readdirSync(join(folder, 'categories')).filter((file) => file.endsWith('.ts'))),
      loader: 'ts',
    }));
  },
};

function listOf(files: readonly string[]): string {
  const imports = files.map(
    (file, index) => `import * as module${index} from ${JSON.stringify(`./categories/${file}`)};`,
  );
  const entries = files.map((file, index) => `{ file: ${JSON.stringify(file)}, module: module${index} }`);
  return `${imports.join('\n')}
export function loadCategoryFiles() {
  return Promise.resolve([${entries.join(', ')}]);
}
`;
}
