/** Every seat command has all that it needs. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { DomainError } from '#domain/errors.ts';
import { readSeatCommand } from '#domain/events/seat-commands.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { seatCommands, seatReplies } from './seat-samples.ts';

test('every seat command is in the registry, and has a sample of itself and of its reply', async () => {
  const folder = join(projectFolder, 'domain', 'events', 'commands');
  const names: string[] = [];
  for (const file of new Bun.Glob('*.ts').scanSync(folder)) {
    const exported: Readonly<Record<string, unknown>> = await import(join(folder, file));
    for (const value of Object.values(exported))
      if (typeof value === 'object' && value !== null && 'apply' in value && 'name' in value)
        names.push(String(value.name));
  }
  expect(names.length).toBeGreaterThan(5);
  const isUnknown = (kind: string): boolean => {
    try {
      readSeatCommand({ kind });
      return false;
    } catch (error) {
      return error instanceof DomainError;
    }
  };
  expect(names.filter(isUnknown)).toEqual([]);
  expect([...new Set(seatCommands.map(({ kind }) => kind))].toSorted()).toEqual(names.toSorted() as never[]);
  expect([...new Set(seatReplies.map(([kind]) => kind))].toSorted()).toEqual(names.toSorted() as never[]);
});
