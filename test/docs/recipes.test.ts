/** A step of a recipe in CONTRIBUTING that is forgotten fails here, if nothing else notices it. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { DomainError } from '#domain/errors.ts';
import { readSeatCommand } from '#domain/events/seat-commands.ts';
import { categories } from '#evals/suite/index.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { seatCommands, seatReplies } from '#test/wire/seat-samples.ts';
import { poolNames } from '#workers/pool-registry.ts';

const read = (path: string): Promise<string> => Bun.file(join(projectFolder, path)).text();

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

test('README and ARCHITECTURE draw every pool', async () => {
  for (const page of ['README.md', 'ARCHITECTURE.md']) {
    const [, drawn = ''] = /──▶ workers: (.*)/.exec(await read(page)) ?? [];
    expect([page, ...drawn.trim().split(' · ').toSorted()]).toEqual([page, ...poolNames.toSorted()]);
  }
});

test('README says how many categories the suite has', async () => {
  const words = ['six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
  expect(await read('README.md')).toContain(`in ${words[categories.length - 6]} categories`);
});
