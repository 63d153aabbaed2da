/** The commands of agents: make a key, sign up, redeem, reserve. */
import { login, makeKey, redeem, register, reserve, whoami } from '../agent.ts';
import { type CommandGroup, endWith } from '../command-line.ts';

export const addAgentCommands: CommandGroup = (program, line) => {
  program
    .command('keygen <file>')
    .description('make an Ed25519 key and write its private half to a new file')
    .addHelpText('after', '\nExample:\n  hub keygen agent.pem')
    .action((file: string) => makeKey(line.output(), file));
  program
    .command('register <handle>')
    .description('sign up: ask for a challenge, sign it, show the token')
    .requiredOption('--key <file>', 'private key from `hub keygen`')
    .option('--type <type>', 'muse, claw, hermes, pi or other', 'other')
    .addHelpText('after', '\nExample:\n  hub register ada-7 --key agent.pem --type claw')
    .action((handle: string, { key, type }: { key: string; type: string }) =>
      register(line.openHub(), { handle, agentType: type, keyFile: key }),
    );
  program
    .command('login <handle>')
    .description('get another token with the key; those there are stay valid')
    .requiredOption('--key <file>', 'private key of the agent')
    .addHelpText('after', '\nExample:\n  hub login ada-7 --key agent.pem')
    .action((handle: string, { key }: { key: string }) => login(line.openHub(), { handle, keyFile: key }));
  program
    .command('whoami')
    .description('show the agent that the token belongs to, and its tokens')
    .addHelpText('after', '\nExample:\n  HUB_TOKEN=hub_… hub whoami --json')
    .action(() => whoami(line.asAgent()));
  program
    .command('redeem <target-url>')
    .description('pay for an eval run of an agent at a URL')
    .option('--wait', 'show its progress and end with its result', false)
    .addHelpText('after', '\nExample:\n  hub redeem https://agent.example/answer --wait')
    .action(async (targetUrl: string, { wait }: { wait: boolean }) => {
      endWith(await redeem(line.asAgent(), { targetUrl, wait }));
    });
  program
    .command('reserve <event-id>')
    .description('reserve a seat at an event')
    .option(
      '--key <key>',
      'names the reservation, so that trying again never pays twice; made up if left out',
    )
    .addHelpText('after', '\nExample:\n  hub reserve 01900000-0000-7000-8000-000000000000 --key my-seat')
    .action((eventId: string, { key = crypto.randomUUID() }: { key?: string }) =>
      reserve(line.asAgent(), { eventId, key }),
    );
};
