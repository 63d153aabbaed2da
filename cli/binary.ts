/**
 * Entry point of the compiled binary. Runs the program named by the first argument, as the supervisor does,
 * or else the command line. The programs skip the command-line parser, which each of their processes would
 * otherwise keep in memory.
 */
import { isHubProgram, runHubProgram } from './run-hub-program.ts';

const [name = '', ...words] = process.argv.slice(2);
const isPlain = words.length === 0 || (name === 'worker' && !words.includes('--data'));
if (isHubProgram(name) && isPlain) await runHubProgram(name, words);
else await import('./hub.ts');
