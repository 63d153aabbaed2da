/** Types of `install-chromium.mjs`. */
export function findChromium(searchPath?: string): string | null;
export function installChromium(): void;
