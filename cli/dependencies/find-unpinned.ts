/**
 * Whether what is installed is what was chosen: each version of package.json is exact, the lock agrees with it, and each
 * locked package has a digest of what the registry gave, so that the same packages are installed everywhere.
 */

type Versions = Readonly<Record<string, string>>;

export interface Manifest {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly trustedDependencies: readonly string[];
}

/** The parts of bun.lock that are looked at. */
export interface Lock {
  readonly workspaces: Readonly<Record<string, Partial<Manifest>>>;
  readonly trustedDependencies: readonly string[];
  /** What each package is, from where if not from the registry, what it needs, and its digest. */
  readonly packages: Readonly<Record<string, readonly unknown[]>>;
}

const exactVersion = /^\d+\.\d+\.\d+(-[\da-z.-]+)?$/i;
const integrityForm = /^sha512-[A-Za-z\d+/]{86}==$/;
const groups = ['dependencies', 'devDependencies'] as const;

/** A sentence for each fault; none when all is pinned. */
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
      return [`package.json asks for ${name} ${version}: write one exact version, such as 1.2.3.`];
    const locked = packages[name]?.[0];
    if (locked === `${name}@${version}`) return [];
    return [
      `package.json asks for ${name} ${version}, and bun.lock has ${String(locked)}: run \`bun install\`.`,
    ];
  });
}

function faultsBetween(group: string, asked: Versions, locked: Versions): string[] {
  const names = new Set([...Object.keys(asked), ...Object.keys(locked)]);
  return [...names]
    .filter((name) => asked[name] !== locked[name])
    .map((name) => `bun.lock was made for other ${group}: ${name} differs; run \`bun install\`.`);
}

function faultsOfLocked(name: string, entry: readonly unknown[]): string[] {
  const [, source, , digest] = entry;
  if (source === '' && typeof digest === 'string' && integrityForm.test(digest)) return [];
  return [`bun.lock has no SHA-512 of ${name}, or takes it from elsewhere than the registry.`];
}

function faultsOfTrust(asked: readonly string[], locked: readonly string[]): string[] {
  const differing = new Set(asked).symmetricDifference(new Set(locked));
  return [...differing].map(
    (name) => `package.json and bun.lock differ on whether ${name} may run a script: run \`bun install\`.`,
  );
}
