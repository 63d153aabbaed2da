/**
 * A text under rules that change over three turns. Only the last reply counts, under the rules in force at that point.
 */
import type { Level } from '../../ladder/ladder.ts';
import { firstDraft } from '../../language/draft.ts';
import { inventName } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';
import type { Kind } from '../../task.ts';
import { countingRules } from './counting-rules.ts';
import { type DrawnText, drawText } from './draw-text.ts';
import { gradeWriting, type WritingTask } from './grade-writing.ts';
import { readNamedRules } from './read-rules.ts';
import type { Rule } from './rule.ts';
import { listOf } from './rule.ts';
import { drawStaleRule } from './stale-rule.ts';
import { writingReplies } from './writing-replies.ts';

/** The number of rules in force at the end. */
const ruleCounts: Readonly<Record<Level, number>> = { 1: 2, 2: 3, 3: 4, 4: 6, 5: 8 };
/** The number of rules that a later turn changes, adds or withdraws. */
const changeCounts: Readonly<Record<Level, number>> = { 1: 2, 2: 2, 3: 3, 4: 4, 5: 6 };

/** The history of a rule. Turns are counted from 0. */
interface Story {
  readonly letter: string;
  /** The wording of the rule from a turn on; null from the turn that withdraws it. */
  readonly versions: ReadonlyMap<number, Rule | null>;
}

export const amendmentsKind: Kind = {
  name: 'amendments',
  make(random, level) {
    return firstDraft(() => {
      const text = drawText(random, level, ruleCounts[level]);
      const named = text === null ? null : readNamedRules(random, text);
      if (text === null || named === null) return null;
      const rules = named.map(({ rule }) => rule);
      const stories = drawStories(random, level, text, named);
      if (stories === null) return null;
      const [kept = '', joined = ''] = text.names;
      const dropped = level >= 3 ? inventName(random) : null;
      if (dropped !== null && text.names.includes(dropped)) return null;
      const task = { lineCount: text.lines.length, names: text.names, rules, unwanted: dropped };
      const reply = text.lines.join('\n');
      if (!gradeWriting(reply, task).passed) return null;
      const cast = { kept, joined, dropped };
      const turns = [0, 1, 2].map((turn) => describeTurn(random, turn, task, stories, cast));
      const { accepted, refused } = writingReplies(text.lines, task, turns.join('\n'));
      const earlier = ['A first draft.', 'A second draft.'];
      return {
        turns,
        expected: `In the last reply a text of ${task.lineCount} lines that names ${listOf(task.names)} and follows every rule that still holds, such as: ${text.lines.join(' / ')}`,
        answer: null,
        accepted: accepted.map((last) => [...earlier, ...last]),
        refused: [[reply, reply, ''], [reply], ...refused.map((last) => [reply, reply, ...last])],
        grade: (replies) => gradeWriting(replies[2] ?? '', task),
      };
    });
  },
};

/** The rules in the order of their letters. Null if too few of them can change. */
function drawStories(
  random: Random,
  level: Level,
  text: DrawnText,
  named: NonNullable<ReturnType<typeof readNamedRules>>,
): Story[] | null {
  const changes = changeCounts[level];
  let changed = 0;
  const versions: Map<number, Rule | null>[] = named.map(({ name, rule }) => {
    // Turns 1 and 2 must both change something.
    const turn = changed < 2 ? changed + 1 : random.int(1, 2);
    const stale = changed < changes ? drawStaleRule(random, text, name) : null;
    if (changed >= changes) return new Map([[0, rule]]);
    changed += 1;
    if (stale === null) return new Map([[turn, rule]]);
    return new Map([
      [0, stale],
      [turn, rule],
    ]);
  });
  if (changed < Math.min(2, changes)) return null;
  if (level >= 2) {
    const cancelled = drawCancelled(random, text);
    if (cancelled === null) return null;
    versions.push(
      new Map<number, Rule | null>([
        [0, cancelled],
        [random.int(1, 2), null],
      ]),
    );
  }
  // Rules that start with the first turn get the first letters.
  return random
    .shuffle(versions)
    .toSorted(
      (left, right) => Number(!left.has(0)) - Number(!right.has(0)) || firstTurn(left) - firstTurn(right),
    )
    .map((story, at) => ({ letter: String.fromCharCode(65 + at), versions: story }));
}

/** A rule of another kind, which is in force only for a while. The final text breaks it. */
function drawCancelled(random: Random, text: DrawnText): Rule | null {
  const names = (
    ['total-words', 'letter-avoided', 'capital-line', 'letter-count', 'line-ends'] as const
  ).filter((name) => !text.rules.has(name));
  return names.length === 0 ? null : drawStaleRule(random, text, random.pick(names));
}

function firstTurn(versions: ReadonlyMap<number, Rule | null>): number {
  return Math.min(...versions.keys());
}

interface Cast {
  readonly kept: string;
  readonly joined: string;
  /** A name that the first turn asks for and the last one removes. */
  readonly dropped: string | null;
}

function describeTurn(
  random: Random,
  turn: number,
  { lineCount, names }: WritingTask,
  stories: readonly Story[],
  { kept, joined, dropped }: Cast,
): string {
  if (turn === 0) {
    const first = dropped === null ? names : [kept, dropped];
    const place = inventName(random);
    const rules = stories.flatMap(({ letter, versions }) => {
      const rule = versions.get(0);
      return rule === undefined || rule === null ? [] : [`${letter}. ${rule.text}`];
    });
    const opening = random.pick([
      `Write a text of exactly ${lineCount} lines about a day in ${place}, one sentence a line. It mentions ${listOf(first)}.`,
      `I need exactly ${lineCount} lines about the people of ${place}. Each line is one sentence, and ${listOf(first)} are mentioned.`,
    ]);
    const listed = rules.length === 0 ? '' : `\n\nRules:\n${rules.join('\n')}`;
    return `${opening}${listed}\n\n${countingRules} I may change the rules later. Reply with the text only.`;
  }
  const changes = random.shuffle([
    ...stories.flatMap((story) => describeChange(story, turn)),
    ...(turn === 2 && dropped !== null
      ? [`${dropped} must not be mentioned any more; mention ${joined} instead.`]
      : []),
  ]);
  const opening = random.pick(['Some changes:', 'This is new:', 'I changed my mind:']);
  return `${opening}\n${changes.map((change) => `- ${change}`).join('\n')}\n\nWhat I did not change stays as it was. Reply with the whole text as it has to be now, and nothing else.`;
}

function describeChange({ letter, versions }: Story, turn: number): string[] {
  const rule = versions.get(turn);
  if (rule === undefined) return [];
  if (rule === null) return [`Rule ${letter} no longer applies.`];
  return [
    firstTurn(versions) === turn
      ? `New rule ${letter}: ${rule.text}`
      : `Rule ${letter} now reads: ${rule.text}`,
  ];
}
