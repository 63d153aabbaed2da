/** The compiled binary cannot read the folders of eval categories, so the build lists the categories in modules. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { projectFolder } from '#runtime/project-files.ts';

interface Embedding {
  /** Matches the file that reads the folder. */
  readonly filter: RegExp;
  readonly folder: string;
  /** The function that the file exports. */
  readonly load: string;
}

const embeddings: readonly Embedding[] = [
  { filter: /\/evals\/suite\/load-task-files\.ts$/, folder: 'tasks', load: 'loadTaskFiles' },
];

/** Replaces the files that read a folder with modules that have the same export. */
export const embedCategories: BunPlugin = {
  name: 'embed-categories',
  setup: (build) => {
    for (const embedding of embeddings) {
      build.onLoad({ filter: embedding.filter }, () => {
        const parent = join(projectFolder, 'evals', 'suite', embedding.folder);
        const entries = readdirSync(parent, { withFileTypes: true });
        const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
        return { contents: moduleOf(embedding, folders), loader: 'ts' };
      });
    }
  },
};

function moduleOf({ folder: parent, load }: Embedding, folders: readonly string[]): string {
  const imports = folders.map(
    (folder, index) =>
      `import * as module${index} from ${JSON.stringify(`./${parent}/${folder}/category.ts`)};`,
  );
  const entries = folders.map(
    (folder, index) => `{ folder: ${JSON.stringify(folder)}, module: module${index} }`,
  );
  return `${imports.join('\n')}
export function ${load}() {
  return [${entries.join(', ')}];
}
`;
}
