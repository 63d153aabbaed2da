/** The programs that a hub is made of, and what asks them how they are. In the compiled binary they are all there is. */
import { type RunnableProgram, runHubProgram } from '../../run-hub-program.ts';
import { wholeNumber } from '../arguments.ts';
import { type CommandGroup, endWith } from '../command-line.ts';
import { health } from '../health.ts';

const portMax = 65_535;

/** Those that read no command line. Their settings are in the environment. */
const plainPrograms = [
  {
    name: 'start',
    description: 'run and watch a whole hub, with a Redis of its own unless REDIS_URL is set',
    example: 'DATA_DIR=/var/lib/agent-hub PORT=8080 hub start',
  },
  {
    name: 'demo',
    description: 'take the tour, on a hub of its own that is gone afterwards',
    example: 'hub demo',
  },
  {
    name: 'migrate',
    description: 'bring the database to this version, and ask the Redis at REDIS_URL what it can do',
    example: 'DATABASE_URL=postgres://hub@db/hub hub migrate',
  },
  {
    name: 'api',
    description: 'run one API process',
    example: 'DATABASE_URL=postgres://hub@db/hub REDIS_URL=redis://redis hub api',
  },
] as const satisfies readonly { readonly name: RunnableProgram; description: string; example: string }[];

export const addProgramCommands: CommandGroup = (program, line) => {
  for (const { name, description, example } of plainPrograms) {
    program
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  ${example}`)
      .action(() => runHubProgram(name));
  }
  program
    .command('worker')
    .argument('[words...]', 'such as --pool mail; `hub worker --help` has them all')
    .description('run pools of workers')
    // It reads its own command line.
    .helpOption(false)
    .allowUnknownOption()
    .action((words: readonly string[]) => runHubProgram('worker', words));
  program
    .command('health')
    .description('ask a process of the hub on this machine whether it can serve (PORT, HOST, OPERATOR_KEY)')
    .option('--live', 'whether it is alive, rather than whether it can serve', false)
    .option('--port <port>', 'the metrics port of a process instead of PORT', wholeNumber(1, portMax))
    .addHelpText('after', '\nExample:\n  hub health --port 9464')
    .action(async (question: { live: boolean; port?: number }) =>
      endWith(await health(line.output(), { live: question.live, port: question.port })),
    );
};
