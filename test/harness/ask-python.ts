/** Runs the Python client from its sources. */
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { projectFolder } from '#runtime/project-files.ts';
import { runProgram } from './run-program.ts';

const env = {
  PATH: process.env['PATH'],
  PYTHONPATH: join(projectFolder, 'client', 'python'),
  PYTHONDONTWRITEBYTECODE: '1',
};

/** @returns what a program prints as JSON; it has `given`, and the modules `json` and `sys` */
export function askPython(program: string, given: unknown): unknown {
  const head = 'import json, sys\ngiven = json.load(sys.stdin)\n';
  const stdin = Buffer.from(JSON.stringify(given));
  const words = [requireTool('python3'), '-c', head + program];
  const { stdout, stderr, success } = Bun.spawnSync(words, { stdin, env });
  if (!success) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

/** Runs a program beside the test, for which a server of the test can respond. @param words its arguments */
export const runPython = (program: string, ...words: readonly string[]) =>
  runProgram([requireTool('python3'), '-c', `import json, sys\n${program}`, ...words], { env });
