/** Types of `find-proxies.mjs`. */
export type Proxy = 'nginx' | 'caddy';
export function unpackedProxyFolder(proxy: Proxy): string;
export function findProxy(proxy: Proxy): string | null;
