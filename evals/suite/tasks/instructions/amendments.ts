/**
 * A text under rules that change over three to five turns. The reply to each turn is graded under the rules that hold
 * in it, and for each turn there is a real text that follows them.
 */
import type { Check } from '../../eval-case.ts';
import { gradeWith } from '../../grading/grade-checks.ts';
import type { Level } from '../../ladder/ladder.ts';
import { firstDraft } from '../../language/draft.ts';
import { inventName } from '../../language/invented-word.ts';
import { capital } from '../../language/sentence.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Kind, TaskGrade } from '../../task.ts';
import wordings from './amendment-wordings.json' with { type: 'json' };
import { type DrawnText, drawPlan, type TextPlan, writeText } from './draw-text.ts';
import { gradeWriting, type WritingTask } from './grade-writing.ts';
import { readRules } from './read-rules.ts';
import type { RuleName } from './rule-names.ts';
import { isSame, type Rule } from './rule.ts';
import { drawStages } from './stages.ts';
import { askForBareText, askForText, drawLabels, type Labels } from './writing-prompt.ts';
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
      // Sending a prompt back must not be right by chance.
      if (stages.some(({ task }, turn) => gradeWriting(turns[turn] ?? '', task).passed)) return null;
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
    const read = text === null ? null : readRules(random, text);
    if (text === null || read === null) continue;
    const rules = new Map(read.map((rule) => [rule.name, unchanged(before?.rules.get(rule.name), rule)]));
    const task = { lineCount: text.lines.length, names: plan.names, rules: [...rules.values()], unwanted };
    if (!gradeWriting(text.lines.join('\n'), task).passed) continue;
    const old = before?.text.lines.join('\n');
    if (old !== undefined && gradeWriting(old, task).passed) continue;
    if (before !== undefined && gradeWriting(text.lines.join('\n'), before.task).passed) continue;
    return { text, rules, task };
  }
  return null;
}

/** A rule that stays the same keeps its wording. */
function unchanged(old: Rule | undefined, rule: Rule): Rule {
  return old !== undefined && isSame(old, rule) ? old : rule;
}

function describeTurns(random: Random, stages: readonly Stage[], dropped: string | null): string[] {
  const order = [...new Set(stages.flatMap(({ rules }) => [...rules.keys()]))];
  const labels = drawLabels(random);
  const say = drawManner(random, labels, order);
  return stages.map((stage, turn) => {
    const before = stages[turn - 1];
    if (before === undefined) return describeFirst(random, stage, labels, order);
    const changes = random.shuffle([
      ...[...before.rules.keys()].filter((name) => !stage.rules.has(name)).map(say.withdrawn),
      ...[...stage.rules].flatMap(([name, rule]) => {
        const old = before.rules.get(name);
        if (old === undefined) return [say.added(name, rule)];
        return isSame(old, rule) ? [] : [say.changed(name, rule)];
      }),
      ...(dropped !== null && stage.task.unwanted === dropped
        ? [
            fillIn(drawWording(random, wordings.renamed), {
              old: dropped,
              new: stage.task.names[1] ?? '',
            }),
          ]
        : []),
    ]);
    const rest = [drawWording(random, wordings.unchanged), drawWording(random, wordings.replies)].join(' ');
    return `${drawWording(random, wordings.openings)}${say.list(changes)}\n\n${rest}`;
  });
}

function describeFirst(
  random: Random,
  { rules, task }: Stage,
  labels: Labels,
  order: readonly RuleName[],
): string {
  const { one, many } = labels;
  const values = { one, many, Many: capital(many) };
  const headings = rules.size === 1 ? wordings.single_headings : wordings.headings;
  const entries = [...rules].map(([name, { text }]) => labels.entry(order.indexOf(name), text));
  return askForText(random, task, {
    list: [fillIn(drawWording(random, headings), values), ...entries].join('\n'),
    one,
    end: [fillIn(drawWording(random, wordings.warnings), values), askForBareText(random)],
  });
}

/** How one writer words the changes of all turns. */
function drawManner(random: Random, labels: Labels, order: readonly RuleName[]) {
  const withdrawn = drawStyle(random, wordings.withdrawn, 3);
  const added = drawStyle(random, wordings.added, 3);
  const changed = drawStyle(random, wordings.changed, 3);
  const mark = drawWording(random, wordings.marks);
  const isProse = random.chance(0.15);
  const word = (style: readonly string[], name: RuleName, text: string) => {
    const label = labels.label(order.indexOf(name));
    return fillIn(random.pick(style), { label, Label: capital(label), text });
  };
  return {
    withdrawn: (name: RuleName) => word(withdrawn, name, ''),
    added: (name: RuleName, { text }: Rule) => word(added, name, text),
    changed: (name: RuleName, { text }: Rule) => word(changed, name, text),
    list: (changes: readonly string[]) =>
      isProse
        ? ` ${changes.join(' ')}`
        : changes.map((change) => `\n${fillIn(mark, { text: change })}`).join(''),
  };
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
