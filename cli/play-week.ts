/**
 * Plays a working week of an agent run from the command line, one call for each command. The state file keeps the seed
 * and the calls; the transcript beside it keeps the results.
 *
 *   bun cli/play-week.ts start week.json --seed 7 --size small --tasks 12 --levels 1,2,3
 *   bun cli/play-week.ts tools
 *   bun cli/play-week.ts task week.json
 *   bun cli/play-week.ts call week.json mail_search '{"words": "amendment"}'
 *   bun cli/play-week.ts grade week.json
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { weekLevels } from '#evals/week/dials.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { makeWeek, promptOf, type Week, type WeekCall, type WeekOptions } from '#evals/week/week.ts';

interface State {
  readonly seed: string;
  readonly options: WeekOptions;
  readonly calls: readonly WeekCall[];
}

function load(file: string): { state: State; week: Week } {
  // The file was written by this program.
  const state = JSON.parse(readFileSync(file, 'utf8')) as State;
  const week = makeWeek(state.seed, state.options);
  for (const { tool, args } of state.calls) week.call(tool, args);
  return { state, week };
}

function show(week: Week): void {
  const task = week.present();
  if (task === null) return console.log('The week is over.');
  console.log(`${promptOf(task)}\n\n${task.calls_left} calls left`);
}

const program = new Command('play-week').description(
  'Plays a working week of an agent run, one call at a time.',
);

program
  .command('start <file>')
  .requiredOption('--seed <seed>')
  .option('--size <size>', 'small or large', 'small')
  .option('--tasks <count>', 'number of tasks', '12')
  .option('--levels <list>', 'levels of the tasks, such as 1,2,3; chosen from the results by default')
  .action((file: string, { seed, size, tasks, levels }: Record<string, string | undefined>) => {
    if (existsSync(file)) throw new Error(`${file} exists.`);
    const wanted = levels?.split(',').map(Number);
    const fixed = wanted?.flatMap((level) => weekLevels.filter((known) => known === level));
    const options: WeekOptions = {
      size: size === 'large' ? 'large' : 'small',
      tasks: Number(tasks),
      ...(fixed === undefined ? {} : { levels: fixed }),
    };
    const state: State = { seed: seed ?? '', options, calls: [] };
    writeFileSync(file, JSON.stringify(state));
    const { week } = load(file);
    console.log(`${week.brief}\n`);
    show(week);
  });

program
  .command('task <file>')
  .description('Shows the open task.')
  .action((file: string) => show(load(file).week));

program
  .command('tools')
  .description('Lists the tools with their arguments.')
  .action(() => {
    for (const { name, description, parameters } of weekTools) {
      console.log(
        `${name}: ${description}\n  ${JSON.stringify(parameters.properties)} required: ${JSON.stringify(parameters.required ?? [])}`,
      );
    }
  });

program
  .command('call <file> <tool> [args]')
  .description('Makes one call; the arguments are JSON.')
  .action((file: string, tool: string, text = '{}') => {
    const { state, week } = load(file);
    if (week.present() === null) return console.log('The week is over.');
    let args: unknown;
    try {
      args = JSON.parse(text);
    } catch {
      return console.log('The arguments are not JSON. Nothing was called.');
    }
    const result = week.call(tool, args);
    writeFileSync(file, JSON.stringify({ ...state, calls: [...state.calls, { tool, args }] }));
    appendFileSync(`${file}.transcript.jsonl`, `${JSON.stringify({ tool, args, result })}\n`);
    console.log(JSON.stringify(result));
    if (result['task_ended'] === true) show(week);
  });

program
  .command('grade <file>')
  .description('Grades the tasks that have ended, with what was missed.')
  .action((file: string) => {
    const { week } = load(file);
    console.log(JSON.stringify({ verdicts: week.verdicts, figures: week.figures() }, null, 2));
  });

program.parse();
