/** Types of `install-python.mjs`. */
export function findPython(): string | null;
export function installPython(): void;
