/** The files that pages load. Their names change with their content, so browsers may keep them forever. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

export interface SiteFile {
  /** The path in a URL. */
  readonly path: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
};

const hashLength = 12;

/** The folder of the files; the build of the binary needs it. */
export const siteFilesFolder = join(projectFolder, 'site', 'assets');

/** The guide for developers of agents, which is also a page of the site. */
export const guideFile = join(projectFolder, 'docs', 'evaluation.md');

const clientFolder = join(projectFolder, 'client', 'src');

/** Modules of the JavaScript client: pages check a challenge as it does before they sign it. The build needs them too. */
export const clientFiles = [join(clientFolder, 'keys.ts'), join(clientFolder, 'challenge.ts')];

const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'browser' });
const keys = loadModule(join(clientFolder, 'keys.ts'));
const challenge = loadModule(join(clientFolder, 'challenge.ts'), { './keys.ts': keys });

export const siteFiles = {
  style: load('site.css'),
  script: load('site.js'),
  icon: load('icon.svg'),
  preview: load('preview.png'),
  keys,
  challenge,
  key: loadModule(join(siteFilesFolder, 'key.js'), {
    '../../client/src/keys.ts': keys,
    '../../client/src/challenge.ts': challenge,
  }),
};

/** @param imports the modules that it imports, by the name in its source */
function loadModule(path: string, imports: Readonly<Record<string, SiteFile>> = {}): SiteFile {
  let text = transpiler.transformSync(readFileSync(path, 'utf8'));
  for (const [name, module] of Object.entries(imports)) text = text.replace(`"${name}"`, `"${module.path}"`);
  return siteFile(`${basename(path).split('.')[0]}.js`, new Uint8Array(Buffer.from(text)));
}

function load(name: string): SiteFile {
  const file = readFileSync(join(siteFilesFolder, name));
  const [, extension = ''] = name.split('.');
  return siteFile(name, new Uint8Array(extension === 'css' ? Buffer.from(shrink(file.toString())) : file));
}

function siteFile(name: string, content: Uint8Array<ArrayBuffer>): SiteFile {
  const [stem = '', extension = ''] = name.split('.');
  const hash = Bun.SHA256.hash(content, 'hex').slice(0, hashLength);
  return { path: `/site/${stem}-${hash}.${extension}`, type: types[extension] ?? '', content };
}

/** Strips comments, white space and characters without meaning from a style sheet. */
function shrink(style: string): string {
  return style
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(' > ', '>')
    .replaceAll(/(?<=[ :(,-])0\./g, '.')
    .replaceAll(';}', '}')
    .trim();
}
