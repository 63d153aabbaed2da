/**
 * Checks that the installed packages are the chosen ones: package.json names exact versions, the lock file
 * agrees with it, and each locked package has a digest, so that every machine installs the same code.
 */

type Versions = Readonly<Record<string, string>>;

export interface Manifest {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly trustedDependencies: readonly string[];
}

/** The parts of bun.lock that are checked. */
export interface Lock {
  readonly workspaces: Readonly<Record<string, Partial<Manifest>>>;
  readonly trustedDependencies: readonly string[];
  /** For each package: name and version, source if it is not the registry, dependencies, digest. */
  readonly packages: Readonly<Record<string, readonly unknown[]>>;
}

const exactVersion = /^\d+\.\d+\.\d+(-[\da-z.-]+)?$/i;
const integrityForm = /^sha512-[A-Za-z\d+/]{86}==$/;
const groups = ['dependencies', 'devDependencies'] as const;

/** Returns one sentence per problem, or none if everything is pinned. */
export function findUnpinned(manifest: Manifest, lock: Lock): string[] {
  const root = lock.workspaces[''] ?? {};
  return [
    ...groups.flatMap((group) => [
      ...faultsOfVersions(manifest[group], lock),
      ...faultsBetween(group, manifest[group], root[group] ?? {}),
    ]),
    ...Object.entries(lock.packages).flatMap(([name, entry]) => faultsOfLocked(name, entry)),
    ...faultsOfTrust(manifest.trustedDependencies, lock.trustedDependencies),
  ];
}

function faultsOfVersions(versions: Versions, { packages }: Lock): string[] {
  return Object.entries(versions).flatMap(([name, version]) => {
    if (!exactVersion.test(version))
      return [`package.json names ${name} ${version}: use an exact version, such as 1.2.3.`];
    const locked = packages[name]?.[0];
    if (locked === `${name}@${version}`) return [];
    return [
      `package.json names ${name} ${version}, but bun.lock has ${String(locked)}: run \`bun install\`.`,
    ];
  });
}

function faultsBetween(group: string, asked: Versions, locked: Versions): string[] {
  const names = new Set([...Object.keys(asked), ...Object.keys(locked)]);
  return [...names]
    .filter((name) => asked[name] !== locked[name])
    .map((name) => `bun.lock was created with different ${group}: ${name} differs; run \`bun install\`.`);
}

function faultsOfLocked(name: string, entry: readonly unknown[]): string[] {
  const [, source, , digest] = entry;
  if (source === '' && typeof digest === 'string' && integrityForm.test(digest)) return [];
  return [`bun.lock has no SHA-512 for ${name}, or gets it from outside the registry.`];
}

function faultsOfTrust(asked: readonly string[], locked: readonly string[]): string[] {
  const differing = new Set(asked).symmetricDifference(new Set(locked));
  return [...differing].map(
    (name) =>
      `package.json and bun.lock disagree on whether ${name} may run install scripts: run \`bun install\`.`,
  );
}
