/** Types of `find-pgbouncer.mjs`. */
export const UNPACKED_PGBOUNCER_DIR: string;
export const UNPACKED_PGBOUNCER: string;
export function findPgbouncer(): string | null;
