/**
 * A transcript of a run: one JSON value a line. The first line says what was run and what it scored; then follow, for each
 * item, its prompts as hashes, what the agent replied or called, and the verdict. Prompts and results follow from the
 * seed, so a transcript is graded again by making it again.
 */
import { createHash } from 'node:crypto';
import { suiteName, suiteVersion } from '../suite/index.ts';
import { estimatePlayed, type PlayedRun, replayRun } from '../suite/played-run.ts';
import { roundToTenth } from '../suite/round-to-tenth.ts';
import type { OfficeSize, WeekLevel } from '../week/dials.ts';
import { makeWeek, promptOf, type Week, type WeekCall, weekName, weekVersion } from '../week/week.ts';

const transcriptFormat = 'agent-hub/transcript/1';

/** What cannot be derived from the run. */
export interface TranscriptNote {
  /** Who replied, such as "a large language model without code, cold". */
  readonly player: string;
  /** True for a model that had seen neither source nor docs; false for a script. */
  readonly measured: boolean;
  /** YYYY-MM-DD. */
  readonly recorded_on: string;
}

interface Head extends TranscriptNote {
  readonly format: typeof transcriptFormat;
  readonly product: 'eval-run' | 'agent-run';
  readonly suite: string;
  readonly suite_version: string;
  readonly seed: string;
  readonly options: SuiteOptions | WeekPlayed;
  /** 0 to 100. */
  readonly score: number;
  readonly passed: { readonly n: number; readonly of: number };
}

type SuiteOptions = Pick<PlayedRun, 'cases' | 'max_prompt_tokens' | 'levels'>;

interface WeekPlayed {
  readonly size: OfficeSize;
  readonly tasks: number;
  /** Null if they were chosen from the verdicts. */
  readonly levels: readonly WeekLevel[] | null;
}

type Line =
  | { readonly item: number; readonly turn: number; readonly level: number; readonly prompt_sha256: string }
  | { readonly item: number; readonly reply: string }
  | ({ readonly item: number; readonly result_sha256: string } & WeekCall)
  | { readonly item: number; readonly grade: { readonly passed: boolean; readonly score: number } };

/** @returns the text of the file */
export function writeSuiteTranscript(run: PlayedRun, note: TranscriptNote): string {
  const played = replayRun(run);
  const done = played.flatMap(({ grade, ...one }) => (grade === null ? [] : [{ ...one, grade }]));
  const lines = done.flatMap(({ planned, task, replies, grade }): Line[] => [
    ...task.turns.flatMap((turn, index): Line[] => [
      { item: planned.index + 1, turn: index + 1, level: planned.level, prompt_sha256: hashOf(turn) },
      { item: planned.index + 1, reply: replies[index] ?? '' },
    ]),
    { item: planned.index + 1, grade: { passed: grade.passed, score: grade.score } },
  ]);
  const { seed, cases, max_prompt_tokens, levels } = run;
  return textOf(
    {
      format: transcriptFormat,
      product: 'eval-run',
      suite: suiteName,
      suite_version: suiteVersion,
      seed,
      options: { cases, max_prompt_tokens, levels },
      ...note,
      score: roundToTenth(estimatePlayed(played)?.score ?? 0),
      passed: { n: done.filter(({ grade }) => grade.passed).length, of: done.length },
    },
    lines,
  );
}

export interface PlayedWeek extends WeekPlayed {
  readonly seed: string;
  /** Those of all tasks, in order, with the number of their task. Tasks before it end without a call. */
  readonly calls: readonly (WeekCall & { readonly item: number })[];
  /** Whether the task of the last call ended too. */
  readonly isOver: boolean;
}

/** @returns the text of the file */
export function writeWeekTranscript(
  { seed, calls, isOver, size, tasks, levels }: PlayedWeek,
  note: TranscriptNote,
): string {
  const week = makeWeek(seed, { size, tasks, ...(levels === null ? {} : { levels }) });
  const lines: Line[] = [];
  for (const { item, tool, args } of calls) {
    while (openTask(week) < item) end(week, lines);
    present(week, lines);
    const n = openTask(week);
    const result = week.call(tool, args);
    lines.push({ item: n, tool, args, result_sha256: hashOf(JSON.stringify(result)) });
    if (week.verdicts.length >= n) noteGrade(week, lines, n);
  }
  const last = calls.at(-1)?.item ?? 0;
  if (isOver && week.verdicts.length < last) end(week, lines);
  const { score, passed } = week.figures();
  const product = { product: 'agent-run', suite: weekName, suite_version: weekVersion } as const;
  const options = { size, tasks, levels };
  return textOf({ format: transcriptFormat, ...product, seed, options, ...note, score, passed }, lines);
}

/** @throws RangeError after the last task */
function openTask(week: Week): number {
  const task = week.present();
  if (task === null) throw new RangeError('The transcript has calls after the last task.');
  return task.n;
}

function present(week: Week, lines: Line[]): void {
  const task = week.present();
  if (task === null || week.calls > 0) return;
  lines.push({ item: task.n, turn: 1, level: task.level, prompt_sha256: hashOf(promptOf(task)) });
}

/** Ends a task as one whose agent makes no more calls. */
function end(week: Week, lines: Line[]): void {
  present(week, lines);
  const n = openTask(week);
  week.end();
  noteGrade(week, lines, n);
}

function noteGrade({ verdicts }: Week, lines: Line[], n: number): void {
  const verdict = verdicts[n - 1];
  if (verdict !== undefined)
    lines.push({ item: n, grade: { passed: verdict.passed, score: verdict.partial } });
}

function textOf(head: Head, lines: readonly Line[]): string {
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

interface GradedTranscript {
  readonly product: Head['product'];
  readonly score: number;
  /** Of an earlier version of the suite, whose prompts cannot be made any more. */
  readonly isOld: boolean;
  /** The lines that are not as the suite makes them now; empty if all are. */
  readonly faults: readonly string[];
}

const faultsMax = 5;

/**
 * Makes a transcript again from its seed and its replies, and compares the two.
 * @throws RangeError if it is no transcript
 */
export function gradeTranscript(text: string): GradedTranscript {
  const [first = '', ...rest] = text.trimEnd().split('\n');
  // The format is checked here; everything else by the comparison.
  const head = JSON.parse(first) as Head & { readonly format: string };
  if (!isOfFormat(head)) throw new RangeError(`The first line is not of ${transcriptFormat}.`);
  const { product, score, suite_version: version } = head;
  const lines = rest.map((line) => JSON.parse(line) as Line);
  const isOld = version !== (product === 'eval-run' ? suiteVersion : weekVersion);
  const faults = isOld ? [] : compare(text, again(head, lines));
  return { product, score, isOld, faults };
}

function isOfFormat({ format }: { readonly format: string }): boolean {
  return format === transcriptFormat;
}

function again(head: Head, lines: readonly Line[]): string {
  const { seed, player, measured, recorded_on, options } = head;
  const note = { player, measured, recorded_on };
  if ('tasks' in options) {
    const calls = lines.flatMap((line) => {
      return 'tool' in line ? [{ item: line.item, tool: line.tool, args: line.args }] : [];
    });
    const last = lines.at(-1);
    const isOver = last !== undefined && 'grade' in last;
    return writeWeekTranscript({ seed, ...options, calls, isOver }, note);
  }
  const replies = lines.flatMap((line) => ('reply' in line ? [line] : []));
  const byItem = Map.groupBy(replies, ({ item }) => item);
  const ordered = Array.from({ length: Math.max(0, ...byItem.keys()) }, (_, index) =>
    (byItem.get(index + 1) ?? []).map(({ reply }) => reply),
  );
  return writeSuiteTranscript(
    { suite_version: head.suite_version, player, seed, ...options, replies: ordered },
    note,
  );
}

function compare(kept: string, made: string): string[] {
  const [before, after] = [kept.split('\n'), made.split('\n')];
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index)
    .filter((index) => before[index] !== after[index])
    .slice(0, faultsMax)
    .map(
      (index) =>
        `Line ${index + 1} is ${(before[index] ?? 'missing').slice(0, 200)}, but the suite gives ${(after[index] ?? 'none').slice(0, 200)}.`,
    );
}
