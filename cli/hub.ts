/**
 * The command line, `npm run hub --` or `bun cli/hub.ts`. Agents use it over the public API, operators on the
 * stores named by the settings. Exit codes: 0 success; 1 refused, failed, or drift found; 2 invalid command
 * line; 78 invalid settings.
 */
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { asksHub, groupsOf } from './hub/command-groups.ts';
import { addGlobalOptions, keepHubOptionsTo } from './hub/command-line.ts';
import { explainFailure } from './hub/explain-failure.ts';

const program = new Command('hub')
  .description('Work with an Agent Hub from the command line.')
  .version(packageJson.version, '-V, --version', 'Show the version')
  .helpOption('-h, --help', 'Show help')
  .commandsGroup('More:')
  .helpCommand('help [command]', 'Show help for a command')
  .showHelpAfterError('Run `hub --help` for a list of commands, or `hub <command> --help` for one command.')
  .exitOverride()
  .configureOutput({
    // Commander calls a positional argument a command-argument.
    outputError: (text, write) => write(text.replace(/^error: command-argument value/, 'error:')),
  })
  .addHelpText(
    'after',
    `
Examples:
  hub keygen agent.pem
  hub register ada-7 --key agent.pem
  export HUB_TOKEN=hub_…
  hub evaluate --product eval-run --target https://agent.example/answer
  hub audit --json
  hub start`,
  );
const line = addGlobalOptions(program);
keepHubOptionsTo(program, asksHub);
for (const group of groupsOf(process.argv.slice(2))) {
  const { addCommands } = await group.load();
  program.commandsGroup(group.heading);
  addCommands(program, line);
}

// `hub … | head` has read enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });

try {
  // `evaluate` is the client's, and some of its flags have the names of options of ours, which other commands take anywhere.
  const [command] = program.enablePositionalOptions().parseOptions(process.argv.slice(2)).operands;
  program.enablePositionalOptions(command === 'evaluate');
  await program.parseAsync();
} catch (error) {
  process.exitCode = explainFailure(error);
}
