/** Regular expressions of strangers, in RE2, which takes linear time in the text. */
import { RE2JS } from 're2js';
import type { WorkBudget } from './work-budget.ts';

/** Steps of compiling an instruction, such as one of the 1,000 of `x{1000}`. */
const compileSteps = 100;
/** One instruction reads this many characters in a step or less. */
const charactersPerStep = 2;

export interface LinearExpression {
  /** The first match, or null. */
  find(text: string, work: WorkBudget): string | null;
}

/**
 * @param flags of `RE2JS`
 * @throws RE2JSSyntaxException
 */
export function compileExpression(source: string, work: WorkBudget, flags = 0): LinearExpression {
  work.spend(source.length * compileSteps);
  const expression = RE2JS.compile(source, flags);
  const size = expression.programSize();
  work.spend(size * compileSteps);
  return {
    find(text, spent) {
      spent.spend(size + Math.ceil((text.length * size) / charactersPerStep));
      const matcher = expression.matcher(text);
      return matcher.find() ? (matcher.group() ?? '') : null;
    },
  };
}
