/**
 * The instruction cases of a run: writing tasks with one to three verifiable instructions. The kinds come
 * from a shuffled deck, so a run covers nearly all of them.
 */
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';
import { composeReply, newReplyPlan } from './compose-reply.ts';
import { canCombine, constraintKinds } from './constraint-kinds.ts';
import type { ConstraintKind } from './constraint.ts';
import { makeWritingTask } from './writing-task.ts';

/** One case per difficulty. */
export function makeInstructions(random: Random, difficulties: readonly Difficulty[]): CaseDraft[] {
  const deck = random.shuffle(constraintKinds);
  return difficulties.map((difficulty) => makeCase(random, difficulty, pickKinds(random, deck, difficulty)));
}

/** Takes kinds that can be combined from the deck, or from all kinds when the deck has none left. */
function pickKinds(random: Random, deck: ConstraintKind[], difficulty: Difficulty): ConstraintKind[] {
  const picked: ConstraintKind[] = [];
  const count = byDifficulty(difficulty, 1, 2, 3);
  while (picked.length < count) {
    const fits = (kind: ConstraintKind) =>
      picked.every((other) => canCombine(kind.grader.name, other.grader.name));
    const position = deck.findIndex(fits);
    const others = constraintKinds.filter(fits);
    if (position < 0 && others.length === 0) break;
    picked.push(position < 0 ? random.pick(others) : (deck.splice(position, 1)[0] ?? random.pick(others)));
  }
  return picked;
}

function makeCase(random: Random, difficulty: Difficulty, kinds: readonly ConstraintKind[]): CaseDraft {
  const task = makeWritingTask(random);
  const constraints = kinds.map((kind) => kind.make(random, { task, alone: kinds.length === 1 }));
  const plan = newReplyPlan();
  for (const constraint of constraints) constraint.shape(plan);
  const sentences = constraints.map((constraint) => constraint.sentence);
  const repeats = kinds.some((kind) => kind.grader.name === 'repeat-request');
  const request = repeats ? `-->${task.request}<--` : task.request;
  const list = sentences.length > 1 && random.chance(0.5);
  const rules = list
    ? `\n\nRules:\n${sentences.map((sentence) => `- ${sentence}`).join('\n')}`
    : ` ${sentences.join(' ')}`;
  return {
    kind: kinds.map((kind) => kind.grader.name).join('+'),
    difficulty,
    prompt: repeats ? `Here is a request: ${request}${rules}` : `${request}${rules}`,
    graders: constraints.map((constraint) => constraint.spec),
    scoring: 'weighted',
    expected: composeReply(plan),
  };
}
