/** What the commands of every group share: how they speak, whom they ask, how they end. */
import type { Command } from 'commander';
import { failedStartExitCode } from '#runtime/process/exit-codes.ts';
import { createHubClient, HubRefusal } from '../client/hub-client.ts';
import type { AgentCommand } from './agent.ts';
import { createOutput, type Output } from './output.ts';
import { WrongCommandLine } from './wrong-command-line.ts';

/** Adds the commands of one group to the program. A group is a file in `groups/` and a line in `command-groups.ts`. */
export type CommandGroup = (program: Command, line: CommandLine) => void;

/** To be called by the action of a command, when the options have been read. */
export interface CommandLine {
  output(): Output;
  /** For commands that anybody may send. */
  openHub(): AgentCommand;
  /** For commands of an agent, which need its token. */
  asAgent(): AgentCommand;
}

interface GlobalOptions {
  readonly hub: string;
  readonly token?: string;
  readonly json: boolean;
}

/** Adds the options that all commands take, and gives what the commands make of them. */
export function addGlobalOptions(program: Command): CommandLine {
  program
    .option('--hub <url>', 'where the hub is; or HUB_URL', process.env['HUB_URL'] ?? 'http://127.0.0.1:3000')
    .option(
      '--token <token>',
      'bearer token of the agent; better kept in HUB_TOKEN, as others see command lines',
    )
    .option('--json', 'print the result as JSON', false);
  const options = (): GlobalOptions => program.opts<GlobalOptions>();
  const output = (): Output => createOutput(options().json);
  const openHub = (): AgentCommand => ({
    hub: createHubClient(options().hub.replace(/\/+$/, '')),
    output: output(),
  });
  return {
    output,
    openHub,
    asAgent: () => {
      const token = options().token ?? process.env['HUB_TOKEN'];
      if (token === undefined || token === '') {
        throw new HubRefusal(
          'No token: set HUB_TOKEN to the one that `hub register` or `hub login` has shown.',
        );
      }
      const { hub, output: own } = openHub();
      return { hub: hub.withToken(token), output: own };
    },
  };
}

/** The options that only commands heed that ask a hub over its public interface. */
const hubOptionNames: readonly string[] = ['hub', 'token'];

/**
 * Shows `--hub` and `--token` in the help of those commands alone that heed them, and refuses them elsewhere: whoever names
 * another hub must not be shown the stores of this one.
 */
export function keepHubOptionsTo(program: Command, asksHub: (word: string) => boolean): void {
  const words = (command: Command): readonly string[] =>
    command.parent === null ? [] : [...words(command.parent), command.name()];
  const heeds = (command: Command): boolean => asksHub(words(command)[0] ?? '');
  program.configureHelp({
    showGlobalOptions: true,
    visibleGlobalOptions: (command) =>
      command === program
        ? []
        : program.options.filter(
            (option) =>
              option.attributeName() !== 'version' &&
              (heeds(command) || !hubOptionNames.includes(option.attributeName())),
          ),
  });
  program.hook('preAction', (_program, command) => {
    if (heeds(command)) return;
    const given = hubOptionNames.find((name) => program.getOptionValueSource(name) === 'cli');
    if (given === undefined) return;
    throw new WrongCommandLine(
      `\`hub ${words(command).join(' ')}\` asks no hub over its public interface: leave out --${given}. What it works on is named by the settings, such as DATA_DIR and DATABASE_URL.`,
    );
  });
}

/** Ends with 1 once the command is through, which has told why; with 0 if it went well. */
export function endWith(wentWell: boolean): void {
  if (!wentWell) process.exitCode = failedStartExitCode;
}
