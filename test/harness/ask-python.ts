/** Runs the Python client from its sources. */
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { projectFolder } from '#runtime/project-files.ts';

/** @returns what a program prints as JSON; it has `given`, and the modules `json` and `sys` */
export function askPython(program: string, given: unknown): unknown {
  const head = 'import json, sys\ngiven = json.load(sys.stdin)\n';
  const { stdout, stderr, success } = Bun.spawnSync([requireTool('python3'), '-c', head + program], {
    stdin: Buffer.from(JSON.stringify(given)),
    env: {
      PATH: process.env['PATH'],
      PYTHONPATH: join(projectFolder, 'client', 'python'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  if (!success) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}
