/**
 * The entry of the compiled binary: the program of the hub that the first word names, as the supervisor starts them, else the
 * command line. The programs do without what reads command lines, which each of their processes would keep in memory.
 */
import { isHubProgram, runHubProgram } from './run-hub-program.ts';

const [name = '', ...words] = process.argv.slice(2);
const isPlain = words.length === 0 || name === 'worker';
if (isHubProgram(name) && isPlain) await runHubProgram(name, words);
else await import('./hub.ts');
