/** Reads the instructions of a Dockerfile. */

export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

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
