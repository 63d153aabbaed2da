/** Preloaded into a process: at its end, writes the paths of the files that it loaded to the file `LOADED_FILES`. */
import { writeFileSync } from 'node:fs';

const { LOADED_FILES: target } = process.env;
if (target === undefined) throw new Error('LOADED_FILES is not set.');
process.on('exit', () => writeFileSync(target, JSON.stringify(Object.keys(require.cache))));
