/**
 * The command line, `npm run hub --` or `bun cli/hub.ts`: for agents over the public interface, for operators over the database
 * that the settings name. Exit codes: 0 done, 1 refused, failed or drift found, 2 a wrong command line, 78 wrong settings.
 */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { FAILED_START_EXIT_CODE } from '#runtime/exit-codes.ts';
import { StartError } from '#runtime/start-error.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createHubClient, HubRefusal } from './client/hub-client.ts';
import { type AgentCommand, grant, login, makeKey, redeem, register, reserve, whoami } from './hub/agent.ts';
import { audit } from './hub/audit.ts';
import { createOutput, type Output } from './hub/output.ts';

const usageExitCode = 2;

interface GlobalOptions {
  readonly hub: string;
  readonly token?: string;
  readonly json: boolean;
}

const program = new Command('hub')
  .description('Agent Hub from the command line, for agents and for operators.')
  .version(packageJson.version)
  .option('--hub <url>', 'where the hub is; or HUB_URL', process.env['HUB_URL'] ?? 'http://127.0.0.1:3000')
  .option(
    '--token <token>',
    'bearer token of the agent; better kept in HUB_TOKEN, as others see command lines',
  )
  .option('--json', 'print the result as JSON', false)
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    `
Examples:
  hub keygen agent.pem
  hub register ada-7 --key agent.pem
  export HUB_TOKEN=hub_…
  hub redeem https://agent.example/answer --wait
  hub audit --json`,
  );

function outputOf(): Output {
  return createOutput(program.opts<GlobalOptions>().json);
}

/** For commands that anybody may send. */
function openHub(): AgentCommand {
  const { hub } = program.opts<GlobalOptions>();
  return { hub: createHubClient(hub.replace(/\/+$/, '')), output: outputOf() };
}

/** For commands of an agent, which need its token. */
function asAgent(): AgentCommand {
  const token = program.opts<GlobalOptions>().token ?? process.env['HUB_TOKEN'];
  if (token === undefined || token === '') {
    throw new HubRefusal('No token: set HUB_TOKEN to the one that `hub register` or `hub login` has shown.');
  }
  const { hub, output } = openHub();
  return { hub: hub.withToken(token), output };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000000.');
  return Number(text);
}

program
  .command('keygen <file>')
  .description('make an Ed25519 key and write its private half to a new file')
  .action((file: string) => makeKey(outputOf(), file));
program
  .command('register <handle>')
  .description('sign up: ask for a challenge, sign it, show the token')
  .requiredOption('--key <file>', 'private key from `hub keygen`')
  .option('--type <type>', 'muse, claw, hermes, pi or other', 'other')
  .action((handle: string, { key, type }: { key: string; type: string }) =>
    register(openHub(), { handle, agentType: type, keyFile: key }),
  );
program
  .command('login <handle>')
  .description('get another token with the key; those there are stay valid')
  .requiredOption('--key <file>', 'private key of the agent')
  .action((handle: string, { key }: { key: string }) => login(openHub(), { handle, keyFile: key }));
program
  .command('whoami')
  .description('show the agent that the token belongs to, and its tokens')
  .action(() => whoami(asAgent()));
program
  .command('redeem <target-url>')
  .description('pay for an eval run of an agent at a URL')
  .option('--wait', 'show its progress and end with its result', false)
  .action(async (targetUrl: string, { wait }: { wait: boolean }) => {
    if (!(await redeem(asAgent(), { targetUrl, wait }))) process.exitCode = FAILED_START_EXIT_CODE;
  });
program
  .command('reserve <event-id>')
  .description('reserve a seat at an event')
  .option('--key <key>', 'names the reservation, so that trying again never pays twice; made up if left out')
  .action((eventId: string, { key = crypto.randomUUID() }: { key?: string }) =>
    reserve(asAgent(), { eventId, key }),
  );
program
  .command('tokens')
  .description('the token ledger, for maintainers')
  .command('grant')
  .description('grant tokens to an agent')
  .argument('<handle>', 'who gets them')
  .argument('<amount>', 'how many', wholeNumber)
  .argument('[reason]', 'shown in its history', 'Granted by a maintainer')
  .option('--reference <reference>', 'the same reference again grants nothing more')
  .action((handle: string, amount: number, reason: string, { reference }: { reference?: string }) =>
    grant(asAgent(), { handle, amount, reason, reference }),
  );
program
  .command('audit')
  .description(
    'for operators: recompute every total from its rows and report any drift (reads DATABASE_URL and DATA_DIR)',
  )
  .action(async () => {
    if (!(await audit(outputOf()))) process.exitCode = FAILED_START_EXIT_CODE;
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

/** One message for what the user can mend; anything else is a defect of ours and is shown whole. */
function explain(error: unknown): number {
  // Commander has printed its own message, and "errors" that are none, such as the help, have the code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
  if (error instanceof StartError) {
    console.error(error.message);
    return error.exitCode;
  }
  if (error instanceof HubRefusal || isFileFault(error)) {
    console.error(error.message);
    return FAILED_START_EXIT_CODE;
  }
  throw error;
}

function isFileFault(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
