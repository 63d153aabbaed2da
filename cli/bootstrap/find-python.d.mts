/** Types of `find-python.mjs`. */
export const unpackedPythonFolder: string;
export const pythonCheck: string;
export function findPython(): string | null;
