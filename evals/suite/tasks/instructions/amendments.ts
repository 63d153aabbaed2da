/**
 * A text under rules that change over three to five turns. The reply to each turn is graded under the rules that hold
 * in it, and for each turn there is a real text that follows them.
 */
import type { Check } from '../../eval-case.ts';
import { gradeWith } from '../../grading/grade-checks.ts';
import type { Level } from '../../ladder/ladder.ts';
import { firstDraft } from '../../language/draft.ts';
import { inventName } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';
import type { Kind, TaskGrade } from '../../task.ts';
import { countingRules } from './counting-rules.ts';
import { type DrawnText, drawPlan, type TextPlan, writeText } from './draw-text.ts';
import { gradeWriting, type WritingTask } from './grade-writing.ts';
import { readNamedRules } from './read-rules.ts';
import type { RuleName } from './rule-names.ts';
import { listOf, type Rule } from './rule.ts';
import { drawStages } from './stages.ts';
import { writingReplies } from './writing-replies.ts';

const turnCounts: Readonly<Record<Level, number>> = { 1: 3, 2: 3, 3: 3, 4: 3, 5: 4, 6: 4, 7: 5, 8: 5 };
/** The number of rules in force at the end. */
const ruleCounts: Readonly<Record<Level, number>> = { 1: 2, 2: 3, 3: 4, 4: 6, 5: 7, 6: 7, 7: 8, 8: 8 };
/** The number of rules that later turns change or add. */
const changeCounts: Readonly<Record<Level, number>> = { 1: 2, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8 };

/** What holds in one turn, and a text that follows it. */
interface Stage {
  readonly text: DrawnText;
  readonly rules: ReadonlyMap<RuleName, Rule>;
  readonly task: WritingTask;
}

export const amendmentsKind: Kind = {
  name: 'amendments',
  make(random, level) {
    return firstDraft(() => {
      const dropped = level >= 3 ? inventName(random) : null;
      const stages = drawDraft(random, level, dropped);
      if (stages === null) return null;
      const turns = describeTurns(random, stages, dropped);
      const texts = stages.map(({ text }) => text.lines.join('\n'));
      const last = stages.at(-1);
      if (last === undefined) return null;
      const earlier = texts.slice(0, -1);
      const { accepted, refused } = writingReplies(last.text.lines, last.task, turns.join('\n'));
      return {
        turns,
        expected: `In each reply a text of ${last.task.lineCount} lines that follows every rule of its turn; in the last one such as: ${last.text.lines.join(' / ')}`,
        answer: null,
        accepted: accepted.map((reply) => [...earlier, ...reply]),
        refused: [
          earlier,
          turns.map(() => texts[0] ?? ''),
          turns.map(() => texts.at(-1) ?? ''),
          ...refused.map((reply) => [...earlier, ...reply]),
        ],
        grade: (replies) => gradeTurns(stages, replies),
      };
    });
  },
};

const triesPerText = 6;

/** Null if a text is missing, or if one turn's text would do for the next. */
function drawDraft(random: Random, level: Level, dropped: string | null): Stage[] | null {
  const last = drawPlan(random, level, ruleCounts[level]);
  if (dropped !== null && last.names.includes(dropped)) return null;
  const plans = drawStages(random, last, {
    turns: turnCounts[level],
    changes: changeCounts[level],
    withdrawn: level >= 2,
  });
  if (plans === null) return null;
  const stages: Stage[] = [];
  for (const [turn, plan] of plans.entries()) {
    const isLast = turn === plans.length - 1;
    const [kept = '', joined = ''] = plan.names;
    const names = isLast || dropped === null ? [kept, joined] : [kept, dropped];
    const stage = drawStage(random, { ...plan, names }, stages.at(-1), isLast ? dropped : null);
    if (stage === null) return null;
    stages.push(stage);
  }
  return stages;
}

function drawStage(
  random: Random,
  plan: TextPlan,
  before: Stage | undefined,
  unwanted: string | null,
): Stage | null {
  for (let attempt = 0; attempt < triesPerText; attempt += 1) {
    const text = writeText(random, plan);
    const named = text === null ? null : readNamedRules(random, text);
    if (text === null || named === null) continue;
    const rules = new Map(named.map(({ name, rule }) => [name, rule]));
    const task = { lineCount: text.lines.length, names: plan.names, rules: [...rules.values()], unwanted };
    if (!gradeWriting(text.lines.join('\n'), task).passed) continue;
    const old = before?.text.lines.join('\n');
    if (old !== undefined && gradeWriting(old, task).passed) continue;
    if (before !== undefined && gradeWriting(text.lines.join('\n'), before.task).passed) continue;
    return { text, rules, task };
  }
  return null;
}

function describeTurns(random: Random, stages: readonly Stage[], dropped: string | null): string[] {
  const order = [...new Set(stages.flatMap(({ rules }) => [...rules.keys()]))];
  const letterOf = (name: RuleName) => String.fromCharCode(65 + order.indexOf(name));
  return stages.map(({ rules, task }, turn) => {
    const before = stages[turn - 1];
    const listed = [...rules].map(([name, { text }]) => ({ name, text, old: before?.rules.get(name)?.text }));
    if (before === undefined) {
      const place = inventName(random);
      const opening = random.pick([
        `Write exactly ${task.lineCount} lines of at least three words each about a day in ${place}, and mention ${listOf(task.names)}.`,
        `I need exactly ${task.lineCount} lines about the people of ${place}, each of at least three words. ${listOf(task.names)} have to be mentioned.`,
      ]);
      const first = listed.map(({ name, text }) => `${letterOf(name)}. ${text}`).join('\n');
      return `${opening}\n\nRules:\n${first}\n\n${countingRules} I may change the rules later, and each of your texts has to follow the rules as they are by then. Reply with the text only.`;
    }
    const gone = [...before.rules.keys()].filter((name) => !rules.has(name));
    const changes = random.shuffle([
      ...gone.map((name) => `Rule ${letterOf(name)} no longer applies.`),
      ...listed.flatMap(({ name, text, old }) =>
        old === undefined
          ? [`New rule ${letterOf(name)}: ${text}`]
          : old === text
            ? []
            : [`Rule ${letterOf(name)} now reads: ${text}`],
      ),
      ...(dropped !== null && task.unwanted === dropped
        ? [`${dropped} must not be mentioned any more; mention ${task.names[1] ?? ''} instead.`]
        : []),
    ]);
    const opening = random.pick(['Some changes:', 'This is new:', 'I changed my mind:']);
    return `${opening}\n${changes.map((change) => `- ${change}`).join('\n')}\n\nWhat I did not change stays as it was. Reply with the whole text as it has to be now, and nothing else.`;
  });
}

function gradeTurns(stages: readonly Stage[], replies: readonly string[]): TaskGrade {
  const grades = stages.map(({ task }, turn) => gradeWriting(replies[turn] ?? '', task));
  const right = grades.filter(({ passed }) => passed).length;
  const last = grades.at(-1);
  const earlier = grades.slice(0, -1).map(({ passed, checks }, turn): Check => {
    const fault = checks.find((check) => !check.passed);
    return {
      name: 'earlier-turn',
      passed,
      message: `Turn ${turn + 1}: ${fault?.message ?? 'every rule is followed.'}`,
    };
  });
  return gradeWith(right / stages.length, [...earlier, ...(last?.checks ?? [])], {
    found: last?.found ?? null,
  });
}
