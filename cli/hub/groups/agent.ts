/** The commands for agents: create a key, sign up, evaluate. They use only the public API. */
import { writeFileSync } from 'node:fs';
import { evaluateCommand } from '#client/command/command.ts';
import { usage } from '#client/command/flags.ts';
import { Hub, type SignUpOptions } from '#client/hub.ts';
import { KeyFileFault, readKeyFile } from '#client/key-file.ts';
import { type AgentKey, createKey } from '#client/keys.ts';
import { didOf, pemOf } from '../../client/agent-key.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import type { AgentCommand, CommandGroup } from '../command-line.ts';
import type { Output } from '../output.ts';

export const addCommands: CommandGroup = (program, line) => {
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
    .action(async (handle: string, { key, type }: { key: string; type: SignUpOptions['agent_type'] }) => {
      const { hub, output } = await line.openHub();
      // The hub refuses other types.
      const agent = { handle, agent_type: type ?? 'other', key: readKey(key) };
      await showToken(output, handle, await Hub.signUp(hub.url, agent));
    });
  program
    .command('login <handle>')
    .description('Issue another token with the key; existing tokens stay valid')
    .requiredOption('--key <file>', 'File with the private key of the agent')
    .addHelpText('after', '\nExample:\n  hub login ada-7 --key agent.pem')
    .action(async (handle: string, { key }: { key: string }) => {
      const { hub, output } = await line.openHub();
      await showToken(output, handle, await Hub.logIn(hub.url, { handle, key: readKey(key) }));
    });
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
    .configureHelp({ formatHelp: () => usage })
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      'after',
      "\nExample:\n  hub evaluate --product eval-run --cmd 'python agent.py' --min-score 70",
    )
    .action(async () => {
      // The command of the client package, with its own flags, help and exit codes.
      const words = process.argv.slice(2);
      words.splice(words.indexOf('evaluate'), 1);
      // Then a fault in the settings of the one nearby does not matter.
      const namesHub = words.some((word) => /^--hub(=|$)/.test(word));
      process.exitCode = await evaluateCommand(words, namesHub ? process.env : line.environment());
    });
};

const ownerOnly = 0o600;

/** Writes a new private key to a file that must not exist, and prints the public key. */
async function makeKey(output: Output, file: string): Promise<void> {
  const key = await createKey();
  const did = didOf(key);
  writeNewFile(file, pemOf(key));
  output.result({ public_key: key.publicKey, did, file }, [
    `public key  ${key.publicKey}`,
    `did         ${did}`,
    `written to  ${file}`,
  ]);
}

function writeNewFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: ownerOnly, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new HubRefusal(`${file} already exists and was not changed. Name a new file.`);
  }
}

/** The hub shows a token only once. */
async function showToken(output: Output, handle: string, hub: Hub): Promise<void> {
  const { token } = hub;
  const { did } = (await hub.call('getMe', {})).agent;
  output.result({ handle, did, token }, [
    `${handle} is ${did}`,
    `token  ${token}`,
    'Save it now: it is not shown again. Other commands read it from the environment: export HUB_TOKEN=…',
  ]);
}

function readKey(file: string): AgentKey {
  try {
    return readKeyFile(file);
  } catch (error) {
    if (!(error instanceof KeyFileFault)) throw error;
    throw new HubRefusal(`${error.message} \`hub keygen\` creates one.`);
  }
}

async function whoami({ hub, output }: AgentCommand): Promise<void> {
  const { agent } = await hub.call('getMe', {});
  const balance = await hub.call('getBalance', {});
  output.result({ agent, balance }, [
    `${agent.handle}${agent.verified_badge ? ' (verified)' : ''}  ${agent.did ?? ''}`,
    `reputation  ${agent.reputation_total}`,
    `tokens      ${balance.balance}${balance.held > 0 ? `, ${balance.held} held` : ''}${balance.free_eval_available ? ', first run free' : ''}`,
  ]);
}

/** Prints a link that signs in whoever opens it to the site. */
async function openSite({ hub, output }: AgentCommand): Promise<void> {
  const link = await hub.call('postAgentsMeSignInLinks', {});
  output.result(link, [link.url, `Open it in a browser. It works once, until ${link.expires_at}.`]);
}
