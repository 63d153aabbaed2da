/** The npm package of the JavaScript client. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolder, projectFolder } from '#runtime/project-files.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** @returns a gzipped tar, always the same for the same sources, because lock files contain its hash */
export async function packForNpm(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = join(projectFolder, 'client');
  const manifest = (await Bun.file(join(folder, 'package.json')).json()) as object;
  const compiled = await mkdtemp(join(tmpdir(), 'agent-hub-client-'));
  try {
    await compile(folder, compiled);
    const names = [...new Bun.Glob('**/*').scanSync({ cwd: compiled })].toSorted();
    return Bun.gzipSync(
      tarOf([
        ['package.json', JSON.stringify({ ...manifest, version: packageJson.version }, null, 2)],
        ['README.md', await Bun.file(join(folder, 'README.md')).text()],
        ['LICENSE', await Bun.file(join(projectFolder, 'LICENSE')).text()],
        ...(await Promise.all(
          names.map(async (name) => [`dist/${name}`, await Bun.file(join(compiled, name)).text()] as const),
        )),
      ]),
    );
  } finally {
    await rm(compiled, { recursive: true });
  }
}

/** To JavaScript and type declarations. */
async function compile(folder: string, into: string): Promise<void> {
  const compiler = join(packageFolder('typescript'), 'bin', 'tsc');
  const words = [process.execPath, compiler, '-p', join(folder, 'tsconfig.json'), '--outDir', into];
  const child = Bun.spawn(words, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
  const complaints = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The client package does not compile:\n${complaints}`);
}

const blockBytes = 512;

/** A tar archive in the ustar format (POSIX.1-1988). Every name starts with `package/`, as npm expects. */
function tarOf(files: readonly (readonly [name: string, text: string])[]): Uint8Array<ArrayBuffer> {
  const blocks = files.flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
    return [headerOf(`package/${name}`, content.length), content, padding];
  });
  return Uint8Array.from(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]));
}

/** Numbers in a header are octal. */
function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function headerOf(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  // The checksum is computed with spaces in its place.
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}
