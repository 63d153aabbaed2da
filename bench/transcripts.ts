/**
 * Keeps transcripts of runs in `bench/transcripts/`, and grades those that are kept.
 *
 *   npx bun bench/transcripts.ts keep run.json --player "a large language model without code, cold"
 *   npx bun bench/transcripts.ts keep run.json --player "a program of somebody" --program
 *   npx bun bench/transcripts.ts run <id of an agent run> --player "a large language model without code, cold"
 *   npx bun bench/transcripts.ts script
 *   npx bun bench/transcripts.ts check
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { asc, eq } from 'drizzle-orm';
import { withOperator } from '#cli/hub/operator/open-operator.ts';
import { asLevels } from '#domain/runs/products/agent-run/weeks.ts';
import { suiteVersion } from '#evals/suite/index.ts';
import { type Message, templateBot } from '#evals/suite/norms/template-bot/template-bot.ts';
import { type PlayedRun, replayRun } from '#evals/suite/played-run.ts';
import {
  gradeTranscript,
  type PlayedWeek,
  type TranscriptNote,
  writeSuiteTranscript,
  writeWeekTranscript,
} from '#evals/transcripts/transcript.ts';
import {
  makeWeek,
  playTask,
  type WeekCall,
  weekName,
  type WeekOptions,
  weekVersion,
} from '#evals/week/week.ts';
import { projectFolder } from '#runtime/project-files.ts';

const folder = join(projectFolder, 'bench', 'transcripts');

interface Options {
  readonly player: string;
  readonly program?: boolean;
}

function keep(product: 'eval-run' | 'agent-run', text: string, note: TranscriptNote): void {
  const { player, measured, recorded_on } = note;
  const slug = player
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const file = join(folder, `${product}-${slug}${measured ? `-${recorded_on}` : ''}.jsonl`);
  // A measured run never replaces another one of the same day; a script plays again what it played before.
  writeFileSync(file, text, { flag: measured ? 'wx' : 'w' });
  const { score } = gradeTranscript(text);
  console.log(`${file}: score ${score.toFixed(1)}`);
}

function noteOf(player: string, measured: boolean): TranscriptNote {
  return { player, measured, recorded_on: new Date().toISOString().slice(0, 10) };
}

/** Without a hub, each task ends with a call, so the tasks of the calls follow from the week. */
function asPlayed(seed: string, options: WeekOptions, calls: readonly WeekCall[]): PlayedWeek {
  const week = makeWeek(seed, options);
  const numbered = calls.map((call) => {
    const { n: item = 0 } = week.present() ?? {};
    week.call(call.tool, call.args);
    return { item, ...call };
  });
  const { size, tasks, levels = null } = options;
  return { seed, size, tasks, levels, calls: numbered, isOver: week.calls === 0 };
}

const program = new Command('transcripts').description('Keeps transcripts of runs, and grades them again.');

program
  .command('keep <file>')
  .description('Keeps a run that was played with cli/play-suite.ts or cli/play-week.ts.')
  .requiredOption('--player <name>', 'what replied, such as "a large language model without code, cold"')
  .option('--program', 'a program replied, so nobody was measured')
  .action((file: string, { player, program: isProgram = false }: Options) => {
    // One of the two programs has written the file.
    const state = JSON.parse(readFileSync(file, 'utf8')) as
      | PlayedRun
      | { readonly seed: string; readonly options: WeekOptions; readonly calls: readonly WeekCall[] };
    const note = noteOf(player, !isProgram);
    if ('replies' in state) return keep('eval-run', writeSuiteTranscript(state, note), note);
    const { seed, calls, options } = state;
    keep('agent-run', writeWeekTranscript(asPlayed(seed, options, calls), note), note);
  });

program
  .command('run <id>')
  .description('Keeps an agent run that has ended on the hub of this machine.')
  .requiredOption('--player <name>', 'what replied, such as "a large language model without code, cold"')
  .action((id: string, { player }: Options) =>
    withOperator(async ({ ctx: { db } }) => {
      const { runs, agentRunCalls } = db.tables;
      const [run] = await db.query.select().from(runs).where(eq(runs.id, id));
      const isKept = run?.suiteName === weekName && run.suiteVersion === weekVersion && run.score !== null;
      if (run === undefined || !isKept || run.repeat > 1 || run.suitePack !== null)
        throw new Error(
          `${id} is no agent run of this version that has completed once, without a private pack.`,
        );
      const calls = await db.query
        .select({ item: agentRunCalls.n, tool: agentRunCalls.tool, args: agentRunCalls.args })
        .from(agentRunCalls)
        .where(eq(agentRunCalls.runId, id))
        .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
      const levels = run.levels === null ? null : asLevels(run.levels);
      const played = { seed: run.suiteSeed, size: 'small', tasks: run.runSize, levels, calls } as const;
      const note = noteOf(player, true);
      const text = writeWeekTranscript({ ...played, isOver: true }, note);
      const { score } = gradeTranscript(text);
      if (score !== run.score) throw new Error(`The run scored ${run.score}, its transcript ${score}.`);
      keep('agent-run', text, note);
    }),
  );

/** Scripts, for transcripts of runs that nobody was measured in. */
const scripts: Readonly<Record<string, (seed: string) => void>> = {
  'template-bot': (seed) => {
    let run: PlayedRun = {
      suite_version: suiteVersion,
      player: 'template-bot',
      seed,
      cases: 40,
      max_prompt_tokens: 8_000,
      levels: null,
      replies: [],
    };
    for (let open = replayRun(run).at(-1); open?.grade === null; open = replayRun(run).at(-1)) {
      const messages: Message[] = [];
      const replies = open.task.turns.map((content) => {
        messages.push({ role: 'user', content });
        const reply = templateBot(messages);
        messages.push({ role: 'assistant', content: reply });
        return reply;
      });
      run = { ...run, replies: [...run.replies, replies] };
    }
    const note = noteOf('template-bot', false);
    keep('eval-run', writeSuiteTranscript(run, note), note);
  },
  'reader-without-memos': (seed) => {
    const options = { size: 'small', tasks: 12 } as const;
    const week = makeWeek(seed, options);
    const calls: WeekCall[] = [];
    while (week.present() !== null) {
      const own = playTask(week, ({ law }) => ({ ...law, amendments: [] }));
      calls.push(...own.calls.map(({ tool, args }) => ({ tool, args })));
    }
    const note = noteOf('reader-without-memos', false);
    keep('agent-run', writeWeekTranscript(asPlayed(seed, options, calls), note), note);
  },
};

program
  .command('script')
  .description(`Records the runs of the scripts again: ${Object.keys(scripts).join(' and ')}.`)
  .option('--seed <seed>', '32 hexadecimal digits', `${'0'.repeat(31)}1`)
  .action(({ seed }: { seed: string }) => {
    for (const play of Object.values(scripts)) play(seed);
  });

program
  .command('check')
  .description('Grades every kept transcript again.')
  .action(() => {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
      const { score, isOld, faults } = gradeTranscript(readFileSync(join(folder, file), 'utf8'));
      const state = isOld ? 'of an earlier version' : faults.length === 0 ? 'graded the same' : 'DIFFERS';
      console.log(`${file}: ${score.toFixed(1)}, ${state}`);
      for (const fault of faults) console.log(`  ${fault}`);
      if (faults.length > 0) process.exitCode = 1;
    }
  });

await program.parseAsync();
