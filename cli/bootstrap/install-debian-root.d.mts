/** Types of `install-debian-root.mjs`. */
export function findDebianLayer(layer: 'base' | 'redis'): string | null;
export function installDebianRoot(): void;
