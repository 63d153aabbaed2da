/** Shared by the commands of every group: output, connections and exit codes. */
import { type Command, Help, type Option } from 'commander';
import { failedStartExitCode } from '#runtime/process/start-error.ts';
import { Hub } from '#client/hub.ts';
import { HubRefusal, requireHub } from '../client/hub-refusal.ts';
import { resolve } from 'node:path';
import { parseSettings } from '#runtime/settings/settings.ts';
import { hubOfCommand } from '../running-hub.ts';
import { createOutput, type Output } from './output.ts';
import { WrongCommandLine } from './arguments.ts';

/**
 * Adds the commands of one group to the program. A group is a file in `groups/` and an entry in
 * `command-groups.ts`.
 */
export type CommandGroup = (program: Command, line: CommandLine) => void;

/** The hub that a command of an agent calls. */
export interface AgentCommand {
  readonly hub: Hub;
  readonly output: Output;
}

/** Used by the actions of commands, after the options have been parsed. */
export interface CommandLine {
  output(): Output;
  /** For commands that need no token. */
  openHub(): Promise<AgentCommand>;
  /** For the command of the client package: the environment, with the address of the hub if one is found. */
  environment(): Readonly<Record<string, string | undefined>>;
  /** For commands that need the agent's token. */
  asAgent(): Promise<AgentCommand>;
}

interface GlobalOptions {
  readonly hub?: string;
  readonly token?: string;
  readonly json: boolean;
  readonly data?: string;
}

/** Adds the options of all commands and returns what the commands do with them. */
export function addGlobalOptions(program: Command): CommandLine {
  program
    .option(
      '--hub <url>',
      'Address of the hub; HUB_URL sets it too (default: the hub that `hub health` asks; http://127.0.0.1:3000 if nothing names one)',
    )
    .option(
      '--token <token>',
      'Token of the agent; prefer HUB_TOKEN, since other users can see command lines',
    )
    .option(
      '--data <folder>',
      'Data folder of the hub, with its hub.env; DATA_DIR sets it too (default: that of the hub.env in this folder, in data, or of the system)',
    )
    .option('--json', 'Print the result as JSON', false)
    .hook('preAction', () => {
      const { data } = options();
      if (data !== undefined) process.env['DATA_DIR'] = resolve(data);
    });
  const options = (): GlobalOptions => program.opts<GlobalOptions>();
  const output = (): Output => createOutput(options().json);
  const hubUrl = (): string => options().hub ?? (process.env['HUB_URL'] || localHubUrl());
  const foundHubUrl = (): string | undefined => {
    try {
      return hubUrl();
    } catch (error) {
      if (error instanceof HubRefusal) return undefined;
      throw error;
    }
  };
  const token = (): string => options().token ?? process.env['HUB_TOKEN'] ?? '';
  const open = async (ownToken: string | null): Promise<AgentCommand> => {
    const hub = new Hub(hubUrl(), { token: ownToken });
    await requireHub(hub.url);
    return { hub, output: output() };
  };
  return {
    output,
    openHub: () => open(null),
    environment: () => ({ ...process.env, HUB_URL: foundHubUrl() }),
    asAgent: async () => {
      if (token() === '') {
        throw new HubRefusal('No token. Set HUB_TOKEN to the token shown by `hub register` or `hub login`.');
      }
      return open(token());
    },
  };
}

/**
 * The hub that `hub health` asks. A hub with a Redis of its own runs only under its supervisor, which notes it in the data
 * folder; parts that run one by one share the Redis at REDIS_URL, and nothing notes them.
 */
function localHubUrl(): string {
  const { environment, runningSince, namedDataFolder } = hubOfCommand(true);
  const { HOST, PORT, BASE_URL, REDIS_URL } = environment;
  const isStopped = runningSince === null && !REDIS_URL?.trim();
  // Another hub may listen on the port, and a key that was meant for the hub on DATA_DIR must not sign up there.
  if (isStopped && namedDataFolder !== null) {
    throw new HubRefusal(
      `No hub is running on DATA_DIR=${namedDataFolder}. Start it with \`hub start\`, or name another hub with --hub or HUB_URL.`,
    );
  }
  // Nothing else decides it, and an agent may have variables such as DATABASE_URL of another program.
  return parseSettings({ HOST, PORT, BASE_URL }).baseUrl;
}

/** Options for commands that call a hub over the public API. */
const hubOptionNames: readonly string[] = ['hub', 'token'];

/**
 * Shows `--hub` and `--token` only in the help of commands that use them, and rejects them elsewhere: someone
 * who names another hub must not be shown this one's stores.
 */
export function keepHubOptionsTo(program: Command, asksHub: (word: string) => boolean): void {
  const words = (command: Command): readonly string[] =>
    command.parent === null ? [] : [...words(command.parent), command.name()];
  const usesHub = (command: Command): boolean => asksHub(words(command)[0] ?? '');
  program.configureHelp({
    optionDescription: describeOption,
    // Descriptions wrap even beside long command names.
    minWidthToWrap: 20,
    showGlobalOptions: true,
    visibleGlobalOptions: (command) =>
      command === program
        ? []
        : program.options.filter(
            (option) =>
              option.attributeName() !== 'version' &&
              (usesHub(command) || !hubOptionNames.includes(option.attributeName())),
          ),
  });
  program.hook('preAction', (_program, command) => {
    if (usesHub(command)) return;
    const given = hubOptionNames.find((name) => program.getOptionValueSource(name) === 'cli');
    if (given === undefined) return;
    throw new WrongCommandLine(
      `\`hub ${words(command).join(' ')}\` does not call a hub, so it takes no --${given}. Choose the hub with --data, or with settings such as DATA_DIR and DATABASE_URL.`,
    );
  });
}

/** Sets the exit code: 0 on success, else 1. The command has printed the reason by then. */
export function endWith(wentWell: boolean): void {
  if (!wentWell) process.exitCode = failedStartExitCode;
}

/** Leaves out `(default: false)`, which says nothing about a flag. */
function describeOption(option: Option): string {
  return option.defaultValue === false ? option.description : new Help().optionDescription(option);
}
