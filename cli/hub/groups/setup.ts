/** `hub setup`: makes a hub on this machine, ready to start. */
import { Option } from 'commander';
import { type CommandGroup, type CommandLine, endWith } from '../command-line.ts';
import { askAll } from '../setup/ask.ts';
import { diagnose } from '../setup/doctor/diagnose.ts';
import { describeSetup, nextStepsFor, type ProxyName } from '../setup/next-steps.ts';
import { type Answers, questions } from '../setup/questions.ts';
import { refuseSecondSetup, setUpHub } from '../setup/set-up-hub.ts';

/** With the answers that were given as flags. */
interface SetupOptions {
  readonly check: boolean;
  readonly yes: boolean;
  readonly proxy: ProxyName;
  readonly [answer: string]: string | boolean | undefined;
}

export const addCommands: CommandGroup = (program, line) => {
  const setup = program
    .command('setup')
    .description('Set up a hub: its settings, its first maintainer, and what this machine needs to run it')
    .option('--check', 'Check an existing hub, and say how to fix each fault', false)
    .option('--yes', 'Use the proposed value for whatever is not given, without asking', false)
    .addOption(
      new Option('--proxy <name>', 'The proxy to print a configuration for')
        .choices(['caddy', 'nginx'])
        .default('caddy'),
    );
  for (const { name, value, about } of questions)
    if (name !== 'data') setup.option(`--${name} ${value}`, about);
  setup
    .addHelpText(
      'after',
      '\nEvery answer is checked as it is given. Secrets are made, not asked for.\n\nExamples:\n  hub setup\n  hub setup --yes --data /var/lib/agent-hub --address https://hub.example.org --maintainer ada-7\n  hub setup --check',
    )
    .action(async (options: SetupOptions) => {
      if (options.check) endWith(await diagnose(line.output()));
      else await setUp(line, options);
    });
};

async function setUp(line: CommandLine, options: SetupOptions): Promise<void> {
  const given: Answers = Object.fromEntries(
    questions.flatMap(({ name }) => {
      // Commander writes `--run-cost` as `runCost`. `--data`, which every command has, sets DATA_DIR.
      const value =
        name === 'data'
          ? process.env['DATA_DIR']?.trim() || undefined
          : options[name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const answers = await askAll({ given, yes: options.yes, onFolder: refuseSecondSetup });
  const finished = await setUpHub(answers);
  const steps = nextStepsFor(finished.settings, options.proxy);
  const { settings, settingsFile, keyFile, handle, token } = finished;
  line.output().result(
    {
      data_dir: settings.dataDir,
      base_url: settings.baseUrl,
      settings_file: settingsFile,
      maintainer: { handle, key_file: keyFile, token },
      systemd_unit: steps.systemdUnit,
      proxy: steps.proxyBlock,
    },
    describeSetup(finished, steps, options.proxy),
  );
}
