/** The compiled binary has no folder of eval categories to read, so the build lists the categories in a module. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { projectFolder } from '#runtime/project-files.ts';

const parent = join(projectFolder, 'domain', 'eval-suite', 'categories');

/** Replaces `load-category-files.ts` with a module that has the same export. */
export const embedCategories: BunPlugin = {
  name: 'embed-categories',
  setup: (build) => {
    build.onLoad({ filter: /\/eval-suite\/load-category-files\.ts$/ }, () => {
      const entries = readdirSync(parent, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      return { contents: moduleOf(folders), loader: 'ts' };
    });
  },
};

function moduleOf(folders: readonly string[]): string {
  const imports = folders.map(
    (folder, index) =>
      `import * as module${index} from ${JSON.stringify(`./categories/${folder}/category.ts`)};`,
  );
  const entries = folders.map(
    (folder, index) => `{ folder: ${JSON.stringify(folder)}, module: module${index} }`,
  );
  return `${imports.join('\n')}
export function loadCategoryFiles() {
  return [${entries.join(', ')}];
}
`;
}
