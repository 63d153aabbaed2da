/** Transcripts of runs: those that are kept, and what a changed one is found by. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suiteVersion } from '#evals/suite/index.ts';
import { type PlayedRun, replayRun } from '#evals/suite/played-run.ts';
import { gradeTranscript, writeSuiteTranscript, writeWeekTranscript } from '#evals/transcripts/transcript.ts';
import { makeWeek, playTask } from '#evals/week/week.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { drawSeed } from './suite/draw-seeds.ts';

const folder = join(projectFolder, 'bench', 'transcripts');
const kept = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
const note = { player: 'a script', measured: false, recorded_on: '2026-11-26' };

test('there is a transcript of each product', () => {
  for (const product of ['eval-run', 'agent-run'])
    expect(kept.filter((name) => name.startsWith(`${product}-`)).length).toBeGreaterThan(0);
});

test.each(kept)('%s comes to its score again, line by line', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const { product, score, isOld, faults } = gradeTranscript(text);
  if (isOld) console.log(`${file} is of an earlier version: only its form is tested.`);
  // After a change of a case, raise the version and record the scripts again: `npx bun bench/transcripts.ts script`.
  expect(faults).toEqual([]);
  expect(file.startsWith(`${product}-`)).toBe(true);
  expect(score).toBeGreaterThanOrEqual(0);
  expect(score).toBeLessThanOrEqual(100);
});

/** With its first two cases answered rightly. */
function suiteTranscript(): string {
  let run: PlayedRun = {
    suite_version: suiteVersion,
    player: note.player,
    seed: drawSeed('transcript'),
    cases: 40,
    max_prompt_tokens: 8_000,
    levels: [1, 2],
    replies: [],
  };
  for (let count = 0; count < 2; count += 1) {
    const open = replayRun(run).at(-1);
    run = { ...run, replies: [...run.replies, open?.task.accepted[0] ?? []] };
  }
  return writeSuiteTranscript(run, note);
}

test('a transcript of an eval run has a line for each prompt, reply and grade, and a changed one is found', () => {
  const text = suiteTranscript();
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
    product: 'eval-run',
    passed: { n: 2, of: 2 },
    measured: false,
  });
  expect(gradeTranscript(text)).toMatchObject({ product: 'eval-run', isOld: false, faults: [] });
  const lines = text.split('\n');
  const reply = lines.findIndex((line) => line.includes('"reply"'));
  const changed = lines.with(reply, lines[reply]!.replace(/"reply":".*"/, '"reply":"nothing"')).join('\n');
  expect(gradeTranscript(changed).faults.join(' ')).toMatch(/"passed":false/);
  const boasting = text.replace(/"score":[\d.]+,"passed"/, `"score":1,"passed"`);
  expect(gradeTranscript(boasting).faults).toHaveLength(1);
  const cut = `${lines.slice(0, -2).join('\n')}\n`;
  expect(gradeTranscript(cut).faults.length).toBeGreaterThan(0);
});

test('a transcript of an agent run also keeps tasks that ended without a call, and one that is open', () => {
  const seed = drawSeed('transcript of a week');
  const options = { size: 'small', tasks: 12 } as const;
  const week = makeWeek(seed, options);
  const first = playTask(week).calls.map(({ tool, args }) => ({ item: 1, tool, args }));
  week.end();
  week.call('notes_read', {});
  const played = {
    seed,
    ...options,
    levels: null,
    calls: [...first, { item: 3, tool: 'notes_read', args: {} }],
  };
  const open = writeWeekTranscript({ ...played, isOver: false }, note);
  const ended = writeWeekTranscript({ ...played, isOver: true }, note);
  for (const [text, grades] of [
    [open, 2],
    [ended, 3],
  ] as const) {
    expect(gradeTranscript(text)).toMatchObject({ product: 'agent-run', faults: [] });
    expect(text.match(/"grade":/g)).toHaveLength(grades);
    expect(text.match(/"prompt_sha256":/g)).toHaveLength(3);
  }
  expect(
    gradeTranscript(ended.replace('"tool":"notes_read"', '"tool":"notes_rea"')).faults.length,
  ).toBeGreaterThan(0);
});

test('a transcript of another version is only read, and other files are refused', () => {
  const old = suiteTranscript().replace(`"suite_version":"${suiteVersion}"`, '"suite_version":"0"');
  expect(gradeTranscript(old)).toMatchObject({ isOld: true, faults: [] });
  expect(() => gradeTranscript('{"format":"other"}\n')).toThrow(RangeError);
});
