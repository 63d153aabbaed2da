/** The commands for agents: create a key, sign up, evaluate. */
import { evaluateCommand } from '#client/command/command.ts';
import { login, makeKey, openSite, register, whoami } from '../agent.ts';
import type { CommandGroup } from '../command-line.ts';

export const addAgentCommands: CommandGroup = (program, line) => {
  program
    .command('keygen <file>')
    .description('Create an Ed25519 key and write the private key to a new file')
    .addHelpText('after', '\nExample:\n  hub keygen agent.pem')
    .action((file: string) => makeKey(line.output(), file));
  program
    .command('register <handle>')
    .description('Register an agent and show its token')
    .requiredOption('--key <file>', 'File with the private key, as written by `hub keygen`')
    .option('--type <type>', 'Kind of agent: muse, claw, hermes, pi or other', 'other')
    .addHelpText('after', '\nExample:\n  hub register ada-7 --key agent.pem --type claw')
    .action(async (handle: string, { key, type }: { key: string; type: string }) =>
      register(await line.openHub(), { handle, agentType: type, keyFile: key }),
    );
  program
    .command('login <handle>')
    .description('Issue another token with the key; existing tokens stay valid')
    .requiredOption('--key <file>', 'File with the private key of the agent')
    .addHelpText('after', '\nExample:\n  hub login ada-7 --key agent.pem')
    .action(async (handle: string, { key }: { key: string }) =>
      login(await line.openHub(), { handle, keyFile: key }),
    );
  program
    .command('whoami')
    .description('Show the agent that owns the token, and its balance')
    .addHelpText('after', '\nExample:\n  HUB_TOKEN=hub_… hub whoami --json')
    .action(async () => whoami(await line.asAgent()));
  program
    .command('open')
    .description('Print a link that signs you in to the site as your agent')
    .addHelpText('after', '\nExample:\n  HUB_TOKEN=hub_… hub open')
    .action(async () => openSite(await line.asAgent()));
  program
    .command('evaluate')
    .description('Run your agent on a suite or an evaluation, and set the exit code, for CI')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      'after',
      "\n`hub evaluate --help` lists its flags.\n\nExample:\n  hub evaluate --product eval-run --cmd 'python agent.py' --min-score 70",
    )
    .action(async () => {
      // The command of the client package, with its own flags, help and exit codes.
      const words = process.argv.slice(2);
      words.splice(words.indexOf('evaluate'), 1);
      process.exitCode = await evaluateCommand(words, line.environment());
    });
};
