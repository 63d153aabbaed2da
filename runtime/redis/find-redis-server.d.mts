/** Types of `find-redis-server.mjs`. */
export const UNPACKED_REDIS_DIR: string;
export const UNPACKED_REDIS_SERVER: string;
export function findRedisServer(searchPath?: string): string | null;
