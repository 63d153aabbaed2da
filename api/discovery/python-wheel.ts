/** The wheel of the Python client (https://packaging.python.org/specifications/binary-distribution-format). */
import { join } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import { projectFolder } from '#runtime/project-files.ts';
import packageJson from '../../package.json' with { type: 'json' };

const { version } = packageJson;
const information = `agent_hub_client-${version}.dist-info`;

/** Archives need a time, and lock files contain the hash of the wheel. */
const archivedAt = new Date(1980, 0, 1);

/** @returns always the same bytes for the same sources */
export async function packWheel(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = join(projectFolder, 'client', 'python');
  const names = [...new Bun.Glob('agent_hub_client/**/*.{py,typed}').scanSync({ cwd: folder })].toSorted();
  const sources = names.map(async (name) => [name, await Bun.file(join(folder, name)).text()] as const);
  const files: [name: string, text: string][] = [
    ...(await Promise.all(sources)).map(([name, text]): [string, string] => [name, withVersion(name, text)]),
    [`${information}/licenses/LICENSE`, await Bun.file(join(projectFolder, 'LICENSE')).text()],
    [`${information}/METADATA`, metadata(await Bun.file(join(folder, 'README.md')).text())],
    [`${information}/WHEEL`, wheelText],
  ];
  const encoded = files.map(([name, text]) => [name, new TextEncoder().encode(text)] as const);
  const record = `${information}/RECORD`;
  const rows = encoded.map(
    ([name, bytes]) => `${name},sha256=${Bun.SHA256.hash(bytes, 'base64url')},${bytes.length}`,
  );
  const archive: Zippable = Object.fromEntries(encoded);
  archive[record] = new TextEncoder().encode(`${[...rows, `${record},,`].join('\n')}\n`);
  return Uint8Array.from(zipSync(archive, { mtime: archivedAt }));
}

function withVersion(name: string, text: string): string {
  if (name !== 'agent_hub_client/_version.py') return text;
  return `__version__ = ${JSON.stringify(version)}\n`;
}

const wheelText = `Wheel-Version: 1.0
Generator: agent-hub ${version}
Root-Is-Purelib: true
Tag: py3-none-any
`;

function metadata(readme: string): string {
  return `Metadata-Version: 2.4
Name: agent-hub-client
Version: ${version}
Summary: Client of an Agent Hub: sign up with a key, get evaluated, serve an agent, verify webhooks.
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.9
Requires-Dist: cryptography>=3.4
Description-Content-Type: text/markdown

${readme}`;
}
