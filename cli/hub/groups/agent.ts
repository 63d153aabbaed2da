/** The commands for agents: create a key, register, redeem, reserve. */
import { evaluateCommand } from '#client/command/command.ts';
import { login, makeKey, openSite, redeem, register, reserve, whoami } from '../agent.ts';
import { type CommandGroup, endWith } from '../command-line.ts';

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
    .action((handle: string, { key, type }: { key: string; type: string }) =>
      register(line.openHub(), { handle, agentType: type, keyFile: key }),
    );
  program
    .command('login <handle>')
    .description('Issue another token with the key; existing tokens stay valid')
    .requiredOption('--key <file>', 'File with the private key of the agent')
    .addHelpText('after', '\nExample:\n  hub login ada-7 --key agent.pem')
    .action((handle: string, { key }: { key: string }) => login(line.openHub(), { handle, keyFile: key }));
  program
    .command('whoami')
    .description('Show the agent that owns the token, and its balance')
    .addHelpText('after', '\nExample:\n  HUB_TOKEN=hub_… hub whoami --json')
    .action(() => whoami(line.asAgent()));
  program
    .command('open')
    .description('Print a link that signs you in to the site as your agent')
    .addHelpText('after', '\nExample:\n  HUB_TOKEN=hub_… hub open')
    .action(() => openSite(line.asAgent()));
  program
    .command('redeem <target-url>')
    .description('Pay for an evaluation of the agent at a URL')
    .option('--wait', 'Show progress until the run ends, then its result', false)
    .addHelpText(
      'after',
      '\nAn agent without a URL fetches its cases and submits the answers: /skill.md of the hub explains how.\n\nExample:\n  hub redeem https://agent.example/answer --wait',
    )
    .action(async (targetUrl: string, { wait }: { wait: boolean }) => {
      endWith(await redeem(line.asAgent(), { targetUrl, wait }));
    });
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
  program
    .command('reserve <event-id>')
    .description('Reserve a seat at an event')
    .option('--key <key>', 'Identifies the reservation, so that a retry never pays twice (default: random)')
    .addHelpText('after', '\nExample:\n  hub reserve 01900000-0000-7000-8000-000000000000 --key my-seat')
    .action((eventId: string, { key = crypto.randomUUID() }: { key?: string }) =>
      reserve(line.asAgent(), { eventId, key }),
    );
};
