/**
 * The commands and endpoints that the moderation guide names exist, with the options that it uses, and it names every page
 * of the desk.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { hubEndpoints } from '#api/routes.ts';
import { groupsOf } from '#cli/hub/command-groups.ts';
import { projectFolder } from '#runtime/project-files.ts';

const guide = readFileSync(join(projectFolder, 'docs', 'moderation.md'), 'utf8');
const lines = [...guide.matchAll(/^npm run hub -- (.*)$/gm)].map(([, words = '']) => words);

/** Splits a line like a shell; the guide only uses double quotes. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test.each(lines)('hub %s is a valid command line', async (text) => {
  const words = wordsOf(text);
  let ran = '';
  const program = new Command('hub').exitOverride();
  for (const group of groupsOf(words)) {
    (await group.load())(program, {
      output: () => ({ result: () => undefined, progress: () => undefined }),
      openHub: () => Promise.reject(new Error('Not called.')),
      asAgent: () => Promise.reject(new Error('Not called.')),
    } as never);
  }
  for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    // Arguments and options are parsed as usual, but nothing is done.
    if (command.commands.length === 0) command.action(() => void (ran = command.name()));
  }
  await program.parseAsync(words, { from: 'user' });
  expect(words.slice(0, 2)).toContain(ran);
});

test('every endpoint that the guide names exists', () => {
  const named = [...guide.matchAll(/`(GET|POST|PATCH|DELETE) (\/v1\/[^`? ]*)/g)];
  const known = hubEndpoints.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(named.length).toBeGreaterThan(10);
  for (const [, method, path] of named) expect(known).toContain(`${method} ${path}`);
});
