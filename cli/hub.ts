/**
 * The command line, `npm run hub --` or `bun cli/hub.ts`: for agents over the public interface, for operators over the stores
 * that the settings name. Exit codes: 0 done, 1 refused, failed or drift found, 2 a wrong command line, 78 wrong settings.
 */
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { asksHub, groupsOf } from './hub/command-groups.ts';
import { addGlobalOptions, keepHubOptionsTo } from './hub/command-line.ts';
import { explainFailure } from './hub/explain-failure.ts';

const program = new Command('hub')
  .description('Agent Hub from the command line, for agents and for operators.')
  .version(packageJson.version, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .commandsGroup('More:')
  .helpCommand('help [command]', 'print the help of a command')
  .showHelpAfterError('`hub --help` has all commands, and `--help` behind a command all that goes with it.')
  .exitOverride()
  .addHelpText(
    'after',
    `
Examples:
  hub keygen agent.pem
  hub register ada-7 --key agent.pem
  export HUB_TOKEN=hub_…
  hub redeem https://agent.example/answer --wait
  hub audit --json
  hub start`,
  );
const line = addGlobalOptions(program);
keepHubOptionsTo(program, asksHub);
for (const group of groupsOf(process.argv.slice(2))) {
  const addCommands = await group.load();
  program.commandsGroup(group.heading);
  addCommands(program, line);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explainFailure(error);
}
