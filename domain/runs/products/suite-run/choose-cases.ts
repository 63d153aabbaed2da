/** Which cases of a suite an order asks: all, those it names, or those that did not pass in an earlier run. */
import { RE2JSSyntaxException } from 're2js';
import type { ChosenPlaces, RunRow } from '#db/schema/run-tables.ts';
import type { SuiteCase, SuiteDocument } from '#evals/own-suite/document.ts';
import { compileExpression } from '#evals/own-suite/linear-expression.ts';
import type { TrialMarks } from '#evals/own-suite/stored-trial.ts';
import { statusesOf, verdictOf } from '#evals/own-suite/trial-marks.ts';
import { TooMuchWorkError, WorkBudget } from '#evals/own-suite/work-budget.ts';
import { DomainError } from '../../../errors.ts';

export interface CaseChoice {
  /**
   * `failed` or `errors` of the earlier run, `/PATTERN/` for ids and titles with a match, or ids and `tag:NAME`, separated by
   * commas. Null for all cases.
   */
  readonly only: string | null;
  /** Asks only the first of these, up to this many. Null for all. */
  readonly limit: number | null;
  /** Without it, a pattern finds no titles: what matches would tell what they say. Runs show ids and tags anyway. */
  readonly mayReadCases: boolean;
}

/** What came of an earlier run of the suite. */
export interface EarlierResult {
  readonly run: Pick<RunRow, 'id'>;
  readonly marks: Readonly<Record<string, TrialMarks>>;
}

type IsChosen = (suiteCase: SuiteCase) => boolean;

/** A tenth of a second at most. */
const patternSteps = 10_000_000;

/**
 * @param earlier reads the run that `failed` and `errors` are about; null if there is none
 * @returns null for all cases
 * @throws DomainError invalid_body
 */
export async function chooseCases(
  { cases }: Pick<SuiteDocument, 'cases'>,
  { only, limit, mayReadCases }: CaseChoice,
  earlier: () => Promise<EarlierResult | null>,
): Promise<ChosenPlaces | null> {
  if (only === null && limit === null) return null;
  const isChosen = only === null ? () => true : await conditionOf({ only, mayReadCases }, cases, earlier);
  const places = cases.flatMap((suiteCase, place) => (isChosen(suiteCase) ? [place] : []));
  const by = only !== null && dependsOnEarlier(only) ? {} : { by: JSON.stringify([only, limit]) };
  return { of: cases.length, places: places.slice(0, limit ?? places.length), ...by };
}

async function conditionOf(
  { only, mayReadCases }: { readonly only: string; readonly mayReadCases: boolean },
  cases: readonly SuiteCase[],
  earlier: () => Promise<EarlierResult | null>,
): Promise<IsChosen> {
  if (dependsOnEarlier(only)) return notPassed(only, cases, await earlier());
  const condition = only.startsWith('/') ? matching(only, cases, mayReadCases) : named(only, cases);
  if (cases.some(condition)) return condition;
  throw nothingChosen(`No case of this version matches \`${only}\`.`);
}

function dependsOnEarlier(only: string): only is 'failed' | 'errors' {
  return only === 'failed' || only === 'errors';
}

const runAll = 'Run all cases: leave out `only`, which is `--only` on the command line.';

function notPassed(
  only: 'failed' | 'errors',
  cases: readonly SuiteCase[],
  earlier: EarlierResult | null,
): IsChosen {
  if (earlier === null) {
    throw nothingChosen(`\`${only}\` needs a completed run of this suite, and you have none.`, runAll);
  }
  const { run, marks } = earlier;
  const isWanted = (of: TrialMarks): boolean =>
    only === 'errors' ? statusesOf(of).includes('error') : verdictOf(of) !== 'passed';
  const wanted = new Set(Object.keys(marks).filter((id) => isWanted(marks[id] ?? '')));
  if (cases.some(({ id }) => wanted.has(id))) return ({ id }) => wanted.has(id);
  const what = only === 'errors' ? 'was an error' : 'did not pass';
  throw nothingChosen(
    wanted.size === 0
      ? `${only === 'errors' ? 'None' : 'Each'} of the ${Object.keys(marks).length} cases of run ${run.id} ${only === 'errors' ? what : 'passed'}, so none is asked again.`
      : `No case that ${what} in run ${run.id} is in this version.`,
    runAll,
  );
}

/**
 * Matched in this process, so the pattern stays small: a counted repetition would multiply its size.
 * @throws DomainError invalid_body
 */
function matching(only: string, cases: readonly SuiteCase[], mayReadCases: boolean): IsChosen {
  const [, pattern] = /^\/([^{]{1,100})\/$/.exec(only) ?? [];
  if (pattern === undefined)
    throw malformed(`\`${only}\` is not a pattern between slashes of 1 to 100 characters without \`{\`.`);
  const work = new WorkBudget(patternSteps);
  try {
    const expression = compileExpression(pattern, work);
    const found = new Set(
      cases.filter(({ id, title = '' }) =>
        [id, mayReadCases ? title : ''].some((text) => text !== '' && expression.find(text, work) !== null),
      ),
    );
    return (suiteCase) => found.has(suiteCase);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) throw malformed(`\`${only}\` is not a regular expression.`);
    if (error instanceof TooMuchWorkError) throw malformed(`\`${only}\` takes too long to match.`);
    throw error;
  }
}

const isNamed = ({ id, tags = [] }: SuiteCase, name: string): boolean =>
  name === id || tags.some((tag) => name === `tag:${tag}`);

/** A name that no case has is refused: it is a slip, and the others alone would look like all. */
function named(only: string, cases: readonly SuiteCase[]): IsChosen {
  const names = new Set(only.split(',').map((name) => name.trim()));
  const unknown = [...names].filter((name) => !cases.some((suiteCase) => isNamed(suiteCase, name)));
  if (unknown.length > 0) {
    const shown = unknown.slice(0, 3).map((name) => `\`${name}\``);
    throw nothingChosen(`No case of this version matches ${shown.join(', ')} in \`only\`.`);
  }
  return ({ id, tags = [] }) => names.has(id) || tags.some((tag) => names.has(`tag:${tag}`));
}

function malformed(message: string): DomainError {
  return new DomainError('invalid_body', message, {
    hint: 'Send ids and `tag:NAME` separated by commas, or `/PATTERN/` to search the ids, and the titles if you may read the cases.',
  });
}

function nothingChosen(
  message: string,
  hint = 'Leave out `only` to ask all cases. If you may read them, the document of the version lists their ids and tags.',
): DomainError {
  return new DomainError('invalid_body', message, { hint });
}
