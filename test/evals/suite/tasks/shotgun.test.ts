/**
 * Replies that contain every candidate. The candidates come from the prompt, from likely mistakes and from the accepted
 * replies to other tasks of the kind; the right one stands among them. None of them may pass.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ladderLevels, type Level } from '#evals/suite/ladder/ladder.ts';
import { loadTaskCategories } from '#evals/suite/load-tasks.ts';
import { createRandom } from '#evals/random.ts';
import type { Kind, Task } from '#evals/suite/task.ts';
import { drawSeeds } from '../draw-seeds.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
setDefaultTimeout(isLong ? 900_000 : 60_000);
const seeds = drawSeeds('shotgun', 1).slice(0, 20);
const otherSeeds = drawSeeds('shotgun others', 6).slice(0, 6);
/** The short form takes every fourth level. */
const levels = ladderLevels.filter((level) => isLong || level % 4 === 2);
/** Fewer are not everything. */
const candidatesMin = 3;

const separators: Readonly<Record<string, string>> = {
  commas: ', ',
  spaces: ' ',
  lines: '\n',
  semicolons: '; ',
  or: ' or ',
  and: ' and ',
  slashes: ' / ',
  paragraphs: '\n\n',
  bullets: '\n- ',
  fences: '\n```\n```\n',
  rules: '\n---\n',
};
type Labels = 'none' | 'one' | 'each';
const labels: readonly Labels[] = ['none', 'one', 'each'];
/** Where the right candidate stands, as a share of the way. */
const places = [0, 0.5, 1];

function draw(kind: Kind, level: Level, seed: string): Task {
  return kind.make(createRandom(seed, `${kind.name}/${level}`), level, { maxPromptTokens: 8_000 });
}

const unlabelled = (text: string) => text.replace(/^Answer: /, '');
const distinct = (texts: readonly string[]) => [...new Set(texts)];

/** The candidates for a turn beside the right one, by where they come from. */
function candidatesFor(task: Task, others: readonly Task[], turn: number): Record<string, readonly string[]> {
  const prompt = task.turns[turn] ?? '';
  const type = task.answer?.type ?? null;
  const right = unlabelled(task.accepted[0]?.[turn] ?? '');
  const rightItems = new Set(right.split(', '));
  // A list of some of the right items is no other set.
  const isOther = (text: string) => text !== right && !text.split(', ').every((item) => rightItems.has(item));
  const elsewhere = others
    .filter(({ answer }) => (answer?.type ?? null) === type)
    .map(({ accepted }) => unlabelled(accepted[0]?.[turn] ?? ''));
  const mistakes = task.refused
    .map((replies) => replies[turn] ?? '')
    .filter((text) => text.trim() !== '' && !text.includes('<think>') && !text.includes(' or '))
    .map(unlabelled);
  const numbers = Array.from({ length: 40 }, (_, number) => String(number));
  const pools: Record<string, readonly string[]> = {
    'other tasks': elsewhere,
    mistakes,
    both: [...elsewhere, ...mistakes],
    ...(type === 'number' ? { numbers: [...(prompt.match(/\d+/g) ?? []), ...numbers] } : {}),
    ...(type === 'word' || isWriting(task) ? { words: prompt.match(/\p{L}+/gu) ?? [] } : {}),
    ...(isTable(task) ? { rows: tableRows([...mistakes, ...elsewhere]) } : {}),
    ...(isWriting(task) && !isTable(task) ? { lines: prompt.split('\n').filter((line) => line !== '') } : {}),
  };
  return Object.fromEntries(
    Object.entries(pools).map(([name, texts]) => [name, distinct(texts).filter(isOther)] as const),
  );
}

/** Tasks whose reply is a text or a document, not one value or a few. */
function isWriting(task: Task): boolean {
  return task.answer === null && task.secret === undefined && !task.accepted[0]?.[0]?.startsWith('Answer: ');
}

/** A table of decisions, which may stand below any working, so that only its lines are candidates. */
function isTable(task: Task): boolean {
  return task.accepted[0]?.[0]?.startsWith('| sender |') === true;
}

function tableRows(tables: readonly string[]): string[] {
  return tables.flatMap((table) =>
    table.split('\n').filter((line) => /^\|? ?(?!sender)[a-z]+ \|/.test(line)),
  );
}

function shoot(
  candidates: readonly string[],
  right: string,
  separator: string,
  labelling: Labels,
  place: number,
) {
  const all = candidates.toSpliced(Math.round(place * candidates.length), 0, right);
  const labelled = labelling === 'each' ? all.map((text) => `Answer: ${text}`) : all;
  return `${labelling === 'one' ? 'Answer: ' : ''}${labelled.join(separator)}`;
}

describe('a reply that contains every candidate', () => {
  for (const { name: category, kinds } of loadTaskCategories()) {
    for (const kind of kinds) {
      test(`passes in no task of ${category}/${kind.name}`, () => {
        const passed = new Map<string, string>();
        let shots = 0;
        for (const level of levels) {
          const others = otherSeeds.map((seed) => draw(kind, level, seed));
          for (const seed of seeds) {
            const task = draw(kind, level, seed);
            const pools = task.turns.map((_, turn) => candidatesFor(task, others, turn));
            for (const pool of Object.keys(pools[0] ?? {})) {
              if ((pools[0]?.[pool]?.length ?? 0) < candidatesMin) continue;
              for (const [joined, separator] of Object.entries(separators)) {
                for (const labelling of labels) {
                  for (const place of places) {
                    const replies = task.turns.map((_, turn) =>
                      shoot(
                        pools[turn]?.[pool] ?? [],
                        unlabelled(task.accepted[0]?.[turn] ?? ''),
                        separator,
                        labelling,
                        place,
                      ),
                    );
                    shots += 1;
                    if (!task.grade(replies).passed) continue;
                    passed.set(
                      `level ${level}: ${pool} joined with ${joined}, labels: ${labelling}, right one at ${place}`,
                      replies.join('\n\n').slice(0, 300),
                    );
                  }
                }
              }
            }
          }
        }
        expect(shots).toBeGreaterThan(0);
        expect(Object.fromEntries(passed)).toEqual({});
      });
    }
  }
});
