/** Types of `find-chromium.mjs`. */
export const UNPACKED_CHROMIUM_DIR: string;
export const UNPACKED_CHROMIUM: string;
export function findChromium(searchPath?: string): string | null;
