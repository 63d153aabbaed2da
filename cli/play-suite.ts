/**
 * Plays an eval run from the command line, one reply at a time. The file is the transcript: it keeps the seed and the
 * replies, and everything else follows from them.
 *
 *   bun cli/play-suite.ts start run.json --player "some model" [--seed <32 hex digits>] [--levels 1,2,3,4,5,6,7,8]
 *   bun cli/play-suite.ts show run.json
 *   bun cli/play-suite.ts reply run.json reply.txt      (or: reply run.json < reply.txt)
 *   bun cli/play-suite.ts grade run.json
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { isSeed, newSeed, suiteVersion } from '#evals/suite/index.ts';
import { describeLevel } from '#evals/suite/ladder/ability.ts';
import { levelNamed } from '#evals/suite/ladder/ladder.ts';
import { estimatePlayed, type PlayedCase, type PlayedRun, replayRun } from '#evals/suite/played-run.ts';

const load = (file: string): PlayedRun =>
  // The file was written by this program.
  JSON.parse(readFileSync(file, 'utf8')) as PlayedRun;
const save = (file: string, run: PlayedRun) => writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);

function show(run: PlayedRun): void {
  const played = replayRun(run);
  const open = played.at(-1);
  if (open === undefined || open.grade !== null) return console.log('The run is over.');
  const turn = open.replies.length;
  console.log(
    `CASE ${played.length} of ${run.cases}, turn ${turn + 1} of ${open.task.turns.length}. Reply to this message:\n`,
  );
  console.log(open.task.turns[turn]);
}

function describeCase({ planned, grade }: PlayedCase): string {
  const failed = (grade?.checks ?? []).filter(({ passed }) => !passed).map(({ message }) => message);
  const share = grade === null ? 'open' : grade.passed ? 'passed' : `failed, ${grade.score.toFixed(2)}`;
  return `${planned.index + 1}. ${planned.category}/${planned.kind}, level ${planned.level}: ${share}\n${failed.map((message) => `     ${message}\n`).join('')}`.trimEnd();
}

const program = new Command('play-suite').description('Plays an eval run, one reply at a time.');

program
  .command('start <file>')
  .description('Draws a run and shows its first case.')
  .option('--player <name>', 'who replies', 'unnamed')
  .option('--seed <seed>', '32 hexadecimal digits; random by default')
  .addOption(new Option('--cases <count>', 'number of cases').choices(['40', '120']).default('40'))
  .addOption(
    new Option('--max-prompt-tokens <count>', 'limit of a prompt')
      .choices(['8000', '32000', '128000'])
      .default('32000'),
  )
  .option('--levels <list>', 'levels of the cases, in turn; chosen from the verdicts by default')
  .action(
    (file: string, options: Record<'player' | 'seed' | 'cases' | 'maxPromptTokens' | 'levels', string>) => {
      if (existsSync(file)) throw new Error(`${file} exists.`);
      const seed = options.seed ?? newSeed();
      if (!isSeed(seed)) throw new Error('A seed has 32 hexadecimal digits.');
      const run: PlayedRun = {
        suite_version: suiteVersion,
        player: options.player,
        seed,
        cases: options.cases === '120' ? 120 : 40,
        max_prompt_tokens:
          options.maxPromptTokens === '8000'
            ? 8_000
            : options.maxPromptTokens === '128000'
              ? 128_000
              : 32_000,
        levels: options.levels?.split(',').map((level) => levelNamed(Number(level))) ?? null,
        replies: [],
      };
      save(file, run);
      show(run);
    },
  );

program
  .command('show <file>')
  .description('Shows the message that waits for a reply.')
  .action((file: string) => show(load(file)));

program
  .command('reply <file> [text-file]')
  .description('Takes a reply from a file or from standard input, and shows the next message.')
  .action((file: string, textFile?: string) => {
    const run = load(file);
    const played = replayRun(run);
    const open = played.at(-1);
    if (open === undefined || open.grade !== null) return console.log('The run is over.');
    const reply = readFileSync(textFile ?? '/dev/stdin', 'utf8');
    const replies = [...run.replies.slice(0, played.length - 1), [...open.replies, reply]];
    const next = { ...run, replies };
    save(file, next);
    show(next);
  });

program
  .command('grade <file>')
  .description('Grades the cases that are over, with what was wrong.')
  .action((file: string) => {
    const played = replayRun(load(file));
    const done = played.filter(({ grade }) => grade !== null);
    for (const one of done) console.log(describeCase(one));
    const estimate = estimatePlayed(played);
    if (estimate === null) return console.log('No case is over yet.');
    const { score, interval, level } = estimate;
    const passed = done.filter(({ grade }) => grade?.passed).length;
    console.log(
      `Score ${score.toFixed(1)} (${interval.low.toFixed(1)} to ${interval.high.toFixed(1)}), ${describeLevel(level)}, ${passed} of ${done.length} cases passed`,
    );
  });

program.parse();
