/** Whether a hard link was refused because the file system has none, as those of memory sticks and some network drives. */
export function knowsNoLinks(error: unknown): boolean {
  const codes: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
  return error instanceof Error && 'code' in error && codes.includes(error.code);
}
