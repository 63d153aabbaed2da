/** The list of groups, which decides what a command loads, names exactly the commands of each group. */
import { expect, test } from 'bun:test';
import { Command } from 'commander';
import { commandGroups, groupsOf } from '#cli/hub/command-groups.ts';
import type { CommandLine } from '#cli/hub/command-line.ts';

/** No command runs here. */
const line: CommandLine = {
  output: () => {
    throw new Error('Nothing is printed.');
  },
  openHub: () => {
    throw new Error('Nobody is asked.');
  },
  environment: () => ({}),
  asAgent: () => {
    throw new Error('Nobody acts.');
  },
};

test.each(commandGroups.map((group) => [group.commands.join(', '), group] as const))(
  '%s: every command belongs to its group and has a description and an example',
  async (_names, group) => {
    const program = new Command('hub');
    const { addCommands } = await group.load();
    addCommands(program, line);
    expect(program.commands.map((command) => command.name())).toEqual([...group.commands]);
    for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
      expect(command.description()).not.toBe('');
      if (command.commands.length > 0 || command.name() === 'worker') continue;
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help).toMatch(/Examples?:\n {2}.*hub /);
    }
  },
);

test('a command line loads only the group of its command, or all groups if it names none', () => {
  expect(groupsOf(['--json', 'queues', 'status']).map(({ commands }) => commands)).toEqual([['queues']]);
  expect(groupsOf(['--help'])).toBe(commandGroups);
  expect(groupsOf(['no-such-command'])).toBe(commandGroups);
  expect(groupsOf(['help', 'queues'])).toBe(commandGroups);
});
