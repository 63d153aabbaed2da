/** The programs that make up a hub, and the health check. The compiled binary contains all of them. */
import { type RunnableProgram, runHubProgram } from '../../run-hub-program.ts';
import { wholeNumber } from '../arguments.ts';
import { type CommandGroup, endWith } from '../command-line.ts';
import { health } from '../health.ts';
import { showOperatorLink } from '../operator-link.ts';

const portMax = 65_535;

/** Programs without arguments; their settings are in the environment. */
const plainPrograms = [
  {
    name: 'start',
    description: 'Run a whole hub, with a private Redis unless REDIS_URL is set',
    example: 'DATA_DIR=/var/lib/agent-hub PORT=8080 hub start',
  },
  {
    name: 'migrate',
    description: 'Migrate the database to this version, and check the Redis at REDIS_URL',
    example: 'DATABASE_URL=postgres://hub@db/hub hub migrate',
  },
  {
    name: 'api',
    description: 'Run one API process',
    example: 'DATABASE_URL=postgres://hub@db/hub REDIS_URL=redis://redis hub api',
  },
] as const satisfies readonly { readonly name: RunnableProgram; description: string; example: string }[];

export const addCommands: CommandGroup = (program, line) => {
  for (const { name, description, example } of plainPrograms) {
    program
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  ${example}`)
      .action(() => runHubProgram(name));
  }
  program
    .command('demo')
    .description('Run the guided demo on a temporary hub')
    .option('--keep', 'Keep the hub running until Ctrl-C', false)
    .addHelpText('after', '\nExample:\n  hub demo --keep')
    .action(({ keep }: { keep: boolean }) => runHubProgram('demo', keep ? ['--keep'] : []));
  program
    .command('worker')
    .argument('[arguments...]', 'Arguments such as --pool mail; see `hub worker --help`')
    .description('Run one or more pools of workers')
    // The worker program parses its own arguments.
    .helpOption(false)
    .allowUnknownOption()
    .action((words: readonly string[]) => runHubProgram('worker', words));
  program
    .command('health')
    .description('Check whether a process on this machine is ready')
    .option('--live', 'Check only that it is alive', false)
    .option('--port <port>', 'Metrics port of the process (default: PORT)', wholeNumber(1, portMax))
    .addHelpText('after', '\nExample:\n  hub health --port 9464')
    .action(async (question: { live: boolean; port?: number }) =>
      endWith(await health(line.output(), { live: question.live, port: question.port })),
    );
  program
    .command('operator-link')
    .description('Print a link that signs a browser in to the operator pages of the running hub')
    .addHelpText('after', '\nExample:\n  hub operator-link')
    .action(() => showOperatorLink(line.output()));
};
