/**
 * Part of `npm run check`: every package is pinned, and no production package has a known serious vulnerability.
 * `bun cli/check-dependencies.ts [<folder>]`
 */
import { join } from 'node:path';

type Versions = Readonly<Record<string, string>>;

/** Advisories that cannot be exploited in a hub, or have no fix yet, such as `GHSA-xxxx-xxxx-xxxx`, each with its reason. */
const accepted: readonly string[] = [];

const [folder = '.'] = process.argv.slice(2);
const read = (name: string) => Bun.file(join(folder, name)).text();
const manifest = JSON.parse(await read('package.json')) as Record<string, Versions>;
// bun.lock is JSON with trailing commas.
const lock = Bun.JSONC.parse(await read('bun.lock')) as { readonly packages: Record<string, unknown[]> };

const versions = Object.entries({ ...manifest['dependencies'], ...manifest['devDependencies'] });
const faults = [
  ...versions.flatMap(([name, version]) =>
    /^\d+\.\d+\.\d+(-[\da-z.-]+)?$/i.test(version)
      ? []
      : [`package.json names ${name} ${version}: use an exact version, such as 1.2.3.`],
  ),
  ...Object.entries(lock.packages).flatMap(([name, [, source, , digest]]) =>
    source === '' && /^sha512-[A-Za-z\d+/]{86}==$/.test(String(digest))
      ? []
      : [`bun.lock has no SHA-512 for ${name}, or gets it from outside the registry.`],
  ),
];

const frozen = bun(['install', '--frozen-lockfile', '--dry-run', '--ignore-scripts']);
if (frozen.exitCode !== 0)
  faults.push(`bun.lock does not match package.json: run \`bun install\`.\n${frozen.said}`);

const ignored = accepted.map((id) => `--ignore=${id}`);
const audit = bun(['audit', '--production', '--audit-level=high', ...ignored]);
if (audit.exitCode !== 0) {
  // A registry that cannot be reached, or has no advisories, says nothing about the packages.
  const unanswered = /^error: POST .*|.*non-JSON audit response.*/m.exec(audit.said);
  if (unanswered === null) faults.push(audit.said);
  else console.log(`SKIPPED the search for known vulnerabilities: ${unanswered[0]}`);
}

for (const fault of faults) console.error(fault);
console.log(`${Object.keys(lock.packages).length} packages locked, ${faults.length} problems.`);
process.exit(faults.length === 0 ? 0 : 1);

function bun(words: readonly string[]) {
  const options = { cwd: folder, stdin: 'ignore', timeout: 60_000 } as const;
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, ...words], options);
  return { exitCode, said: `${stdout.toString()}${stderr.toString()}`.trim() };
}
