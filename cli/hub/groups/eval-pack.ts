/** `hub eval-pack`: makes, checks, shows and retires the private packs of the eval suite. */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { countPackExposures } from '#domain/runs/products/eval-run/suite-of-run.ts';
import { publicKinds } from '#evals/suite/index.ts';
import { checkPack, manualMsMax, type PackCheck } from '#evals/suite/packs/check-pack.ts';
import { loadPack, loadPacks, packFilesIn, retiredFolder } from '#evals/suite/packs/load-packs.ts';
import { exampleKinds, type Pack } from '#evals/suite/packs/pack.ts';
import { checkOffice, type OfficeCheck } from '#evals/suite/packs/office/check-office.ts';
import { makeOfficePack, writeOfficePack } from '#evals/suite/packs/office/write-office-pack.ts';
import { writePackNorms } from '#evals/suite/packs/pack-norms.ts';
import { loadSecretKey } from '#runtime/settings/load-secret-key.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { commandEnvironment } from '#cli/running-hub.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { type CommandGroup, type CommandLine, endWith } from '../command-line.ts';
import { HubRefusal } from '../../client/hub-client.ts';
import { confirm, WrongCommandLine, yesOption } from '../arguments.ts';
import { withOperator } from '../operator/open-operator.ts';
import { tableLines } from '../output.ts';

/** After about this many cases, agents may know a kind. */
const exposuresMax = 100;
const seedsMax = 1_000;

export const addEvalPackCommands: CommandGroup = (program, line) => {
  const group = program
    .command('eval-pack')
    .description('Make, check, show and retire private packs of the eval suite');
  addNew(group, line);
  addCheck(group, line);
  addShow(group, line);
  addRetire(group, line);
};

const newHelp = `
Draws the words and rules of an office from SECRET_KEY, tries them with the reference, and writes them as one JSON file
into EVAL_PACKS_DIR that only its user can read. After the next start, 3 of 40 cases of an eval run and all tasks of an
agent run use manuals that no other hub has, and their runs name the pack. Copy the file to every machine of the hub, and
keep SECRET_KEY: it makes the same pack again. After \`hub eval-pack retire\`, this makes another one.

Examples:
  hub eval-pack new --yes`;

function addNew(group: Command, line: CommandLine): void {
  group
    .command('new')
    .description('Make a private pack from the secret of the hub')
    .option(...yesOption)
    .addHelpText('after', newHelp)
    .action(async ({ yes }: { yes: boolean }) => {
      const settings = parseSettings(commandEnvironment());
      const { evalPacksDir: folder } = settings;
      const [installed] = packFilesIn(folder);
      if (installed !== undefined) {
        throw new HubRefusal(
          `${folder} already has a pack (${installed}). Retire it with \`hub eval-pack retire\` first.`,
        );
      }
      await confirm(
        'Runs that are redeemed after the next start are neither compared nor ranked with earlier ones.',
        yes,
      );
      const made = makeOfficePack(folder, await loadSecretKey(settings));
      if (made.faults.length > 0) throw new StartError(`The pack was not written: ${made.faults.join(' ')}`);
      const file = writeOfficePack(folder, made);
      const { name, hash } = await readPack(folder, false);
      line
        .output()
        .result({ name, hash, file, tasks: made.tasks }, [
          `${name} (${hash}) written to ${file}`,
          `The reference passed ${made.tasks} of ${made.tasks} tasks.`,
          'Restart every process of the hub to install it.',
        ]);
    });
}

const checkHelp = `
A pack is a folder of files such as autumn.text.ts, each of which exports a \`category\`, or one that \`hub eval-pack new\`
has written. Without a folder, this checks the installed pack in EVAL_PACKS_DIR and stores the scores of the reference
agents in norms.json beside it; scorecards show them after the next start of the hub. Exits with 1 if a figure exceeds
its limit.

Examples:
  hub eval-pack check ./autumn
  hub eval-pack check --seeds 200 --json`;

function addCheck(group: Command, line: CommandLine): void {
  group
    .command('check [folder]')
    .description('Test a pack with a perfect solver, many styles of answers, constants and the template bot')
    .option('--seeds <count>', 'Number of seeds, each tried at every level of every kind', '25')
    .addHelpText('after', checkHelp)
    .action(async (folder: string | undefined, { seeds }: { seeds: string }) => {
      if (!/^[1-9]\d{0,3}$/.test(seeds) || Number(seeds) > seedsMax)
        throw new WrongCommandLine(`--seeds must be a whole number from 1 to ${seedsMax}.`);
      const installed = parseSettings(commandEnvironment()).evalPacksDir;
      const checked = folder === undefined ? installed : resolve(folder);
      const pack = await readPack(checked, checked === resolve(installed));
      // The same for the same pack, so that a fault is found again.
      const drawn = Array.from({ length: Number(seeds) }, (_, at) =>
        Bun.SHA256.hash(`${pack.hash}/${at}`, 'hex').slice(0, 32),
      );
      const result = withOffice(
        checkPack(pack.categories, drawn, pack.office === null ? undefined : manualMsMax),
        pack.office === null ? null : checkOffice(pack.office, drawn.slice(0, weeksMax)),
      );
      const ok = result.faults.length === 0;
      const kept = ok && folder === undefined ? writePackNorms(checked, pack.hash, roundNorms(result)) : null;
      line
        .output()
        .result(
          { ok, pack: { name: pack.name, hash: pack.hash }, ...fieldsOf(result), norms_file: kept },
          linesOf(pack, result, kept),
        );
      endWith(ok);
    });
}

/** A week takes about a second. */
const weeksMax = 3;

function withOffice(check: PackCheck, office: OfficeCheck | null): PackCheck {
  if (office === null) return check;
  return { ...check, tasks: check.tasks + office.tasks, faults: [...check.faults, ...office.faults] };
}

/** The example pack can be checked, although it cannot be installed. */
async function readPack(folder: string, asAtStart: boolean): Promise<Pack> {
  const known = asAtStart
    ? publicKinds
    : new Set([...publicKinds].filter((kind) => !exampleKinds.includes(kind)));
  const pack = await loadPack(folder, known, { retired: true });
  if (pack !== null) return pack;
  throw new StartError(`${folder} contains no pack: no file in it ends in .ts or .pack.json.`);
}

function roundNorms({ norms }: PackCheck): ReadonlyMap<string, number> {
  return new Map([...norms].map(([name, score]) => [name, Number(score.toFixed(1))]));
}

function fieldsOf(result: PackCheck) {
  return {
    tasks: result.tasks,
    oracle: result.oracle,
    style: result.style,
    wrong_passed: result.wrongPassed,
    most_guessed: result.mostGuessed,
    mean_ms: result.meanMs,
    norms: Object.fromEntries(roundNorms(result)),
    faults: result.faults,
  };
}

function linesOf(pack: Pack, result: PackCheck, kept: string | null): string[] {
  const kinds = pack.categories.flatMap((category) =>
    category.kinds.map(({ name }) => `${category.name}/${name}`),
  );
  const style = result.style === null ? 'no kind has one exact answer' : `${result.style.toFixed(1)}%`;
  return [
    `${pack.name} ${pack.hash}: ${kinds.join(', ')}`,
    `tasks      ${result.tasks}, ${result.meanMs.toFixed(1)} ms of CPU time each`,
    `oracle     ${result.oracle.toFixed(1)}`,
    `styles     ${style}, ${result.wrongPassed} wrong replies pass`,
    `guessing   at most ${result.mostGuessed.toFixed(1)}% of a kind's tasks have the same answer`,
    ...[...roundNorms(result)].map(([name, score]) => `${name.padEnd(15)} ${score.toFixed(1)}`),
    ...result.faults.map((fault) => `FAULT  ${fault}`),
    ...(kept === null ? [] : [`Reference scores written to ${kept}. Restart the hub to show them.`]),
    result.faults.length === 0
      ? 'The pack can be used.'
      : 'The pack has faults. Fix them before you install it.',
  ];
}

function addShow(group: Command, line: CommandLine): void {
  group
    .command('show')
    .description('Show the installed and retired packs, and how often their kinds were asked')
    .addHelpText(
      'after',
      `\nRetire a pack when its kinds have been asked about ${exposuresMax} times each.\n\nExample:\n  hub eval-pack show --json`,
    )
    .action(() =>
      withOperator(async ({ ctx, settings }) => {
        const { installed, retired } = await loadPacks(settings.evalPacksDir, publicKinds);
        const packs = [...(installed === null ? [] : [installed]), ...retired];
        const shown = await Promise.all(
          packs.map(async (pack) => {
            const { runs, casesPerKind } = await countPackExposures(ctx, pack);
            return {
              name: pack.name,
              hash: pack.hash,
              state: pack.retired ? 'retired' : 'installed',
              kinds: pack.categories.flatMap(({ kinds }) => kinds.map(({ name }) => name)),
              checked: pack.norms !== null,
              runs,
              cases_per_kind: Math.round(casesPerKind),
            };
          }),
        );
        const isDue = shown.some(
          ({ state, cases_per_kind: cases }) => state === 'installed' && cases >= exposuresMax,
        );
        line.output().result({ packs: shown }, [
          ...tableLines(
            ['name', 'hash', 'state', 'kinds', 'checked', 'runs', 'cases per kind'],
            shown.map((pack) => [
              pack.name,
              pack.hash,
              pack.state,
              pack.kinds.length,
              pack.checked,
              pack.runs,
              pack.cases_per_kind,
            ]),
          ),
          ...(isDue
            ? [`The installed pack has been asked often enough: retire it with \`hub eval-pack retire\`.`]
            : []),
        ]);
      }),
    );
}

const retireHelp = `
Moves the files to a folder in EVAL_PACKS_DIR/retired. Once every process of the hub has been restarted, new runs contain
no cases of the pack and its prompts are visible. Runs that are open at that time still complete.

Example:
  hub eval-pack retire --yes`;

function addRetire(group: Command, line: CommandLine): void {
  group
    .command('retire')
    .description('Retire the installed pack, which publishes its prompts')
    .option(...yesOption)
    .addHelpText('after', retireHelp)
    .action(async ({ yes }: { yes: boolean }) => {
      const { evalPacksDir: folder } = parseSettings(commandEnvironment());
      const { name, hash } = await readPack(folder, false);
      const target = join(folder, retiredFolder, `${name}-${hash}`);
      await confirm(`The prompts of ${name} (${hash}) will be shown to the owners of runs.`, yes);
      mkdirSync(target, { recursive: true });
      for (const file of [...packFilesIn(folder), 'norms.json']) {
        if (existsSync(join(folder, file))) renameSync(join(folder, file), join(target, file));
      }
      line
        .output()
        .result({ retired: true, name, hash, folder: target }, [
          `${name} (${hash}) moved to ${target}`,
          'Restart every process of the hub.',
        ]);
    });
}
