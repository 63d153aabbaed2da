/** Reads the files in `deploy/`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

export function readDeployFile(name: string): string {
  return readFileSync(join(projectFolder, 'deploy', name), 'utf8');
}

/** Every document of a YAML file. */
export function readDocuments(name: string): readonly unknown[] {
  return [Bun.YAML.parse(readDeployFile(name))].flat();
}

/** A file of `NAME=value` lines, as compose reads it. */
export function readEnvironment(name: string): ReadonlyMap<string, string> {
  const lines = readDeployFile(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** As operators fill in an example: the hub refuses its placeholders. */
export function fillPlaceholders(text: string): string {
  return text.replaceAll('change-me', 'a-secret');
}

export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Of a Dockerfile. */
export function readInstructions(text: string): readonly Instruction[] {
  return text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = line, rest = ''] = /^(\w+) +(.*)$/.exec(line) ?? [];
      return { name, rest };
    });
}

export function lastStage(instructions: readonly Instruction[]): readonly Instruction[] {
  return instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
}
