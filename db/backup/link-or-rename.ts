import { existsSync, linkSync, renameSync } from 'node:fs';

/**
 * Gives the file a second name with a hard link, which never replaces another file. Renames it where the file system
 * has no links, as on memory sticks and some network drives.
 * @throws with code EEXIST when `to` exists
 */
export function linkOrRename(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isLinkUnsupported(error) || existsSync(to)) throw error;
    renameSync(from, to);
  }
}

function isLinkUnsupported(error: unknown): boolean {
  const codes: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
  return error instanceof Error && 'code' in error && codes.includes(error.code);
}
