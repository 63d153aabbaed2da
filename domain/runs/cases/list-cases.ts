/** The cases of a completed run, page by page: those that did not pass, and split votes, come first. */
import type { ShownSuiteCase } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { SuiteCase } from '#evals/own-suite/document.ts';
import type { StoredSuiteResult, TrialMarks } from '#evals/own-suite/stored-trial.ts';
import { type CaseVerdict, caseVerdicts, verdictOf } from '#evals/own-suite/trial-marks.ts';
import type { Ctx } from '../../context.ts';
import { decodeCursor, encodeCursor, type ListName, type Page, type PageInput } from '../../paging.ts';
import { promptOf, readAsked, showStored } from './show-cases.ts';

export interface CaseFilter {
  readonly verdict?: CaseVerdict | undefined;
  readonly tag?: string | undefined;
  readonly caseId?: string | undefined;
  /** Words of the id or, if the cases are open, of the title or prompt, in any case of letters. */
  readonly words?: string | undefined;
}

export interface ListCasesInput extends PageInput {
  readonly run: RunRow;
  readonly result: StoredSuiteResult;
  /** Whether prompts, and what graders expected and found, are shown. */
  readonly isOpen: boolean;
  readonly filter: CaseFilter;
}

/** A case without its trials if they were deleted at the end of their retention. */
export interface ListedCase extends ShownSuiteCase {
  readonly verdict: CaseVerdict;
  readonly marks: TrialMarks;
}

export interface CasePage extends Page<ListedCase> {
  /** The number of cases of each verdict, of those with the chosen tag. */
  readonly verdicts: ReadonlyMap<CaseVerdict, number>;
  /** Each tag with its cases of the chosen verdict. */
  readonly tags: ReadonlyMap<string, number>;
}

interface MarkedCase {
  readonly index: number;
  readonly suiteCase: SuiteCase;
  readonly marks: TrialMarks;
  readonly verdict: CaseVerdict;
}

export async function listCases(
  ctx: Ctx,
  { run, result, isOpen, filter, limit, cursor }: ListCasesInput,
): Promise<CasePage> {
  const { cases, indexesOf } = await readAsked(ctx, run, result.marks);
  const all = markCases(cases, result);
  const { verdict, tag, caseId, words } = filter;
  const hasWords = wordsIn(words, isOpen);
  const hasTag = ({ suiteCase: { tags = [] } }: MarkedCase) => tag === undefined || tags.includes(tag);
  const hasVerdict = (one: MarkedCase) => verdict === undefined || one.verdict === verdict;
  const found = all.filter(
    ({ suiteCase }) => (caseId === undefined || suiteCase.id === caseId) && hasWords(suiteCase),
  );
  const chosen = found.filter((one) => hasTag(one) && hasVerdict(one));
  const page = pageInOrder('run-cases', chosen, { limit, cursor });
  const indexes = page.items.flatMap(({ index }) => indexesOf(index));
  const listed = page.items.map(({ suiteCase }) => suiteCase);
  const shown = await showStored(ctx, run, { cases: listed, indexes, isOpen });
  return {
    items: shown.flatMap((one, at) => {
      const marked = page.items[at];
      return marked === undefined ? [] : [{ ...one, verdict: marked.verdict, marks: marked.marks }];
    }),
    nextCursor: page.nextCursor,
    verdicts: countBy(found.filter(hasTag).map((one) => one.verdict)),
    tags: countBy(found.filter(hasVerdict).flatMap(({ suiteCase: { tags = [] } }) => tags)),
  };
}

/** A page of a list that is read as a whole. */
export function pageInOrder<Item>(
  list: ListName,
  items: readonly Item[],
  { limit, cursor }: PageInput,
): Page<Item> {
  const from = cursor === null ? 0 : decodeCursor(list, cursor, ['integer'])[0];
  const to = from + limit;
  return { items: items.slice(from, to), nextCursor: items.length > to ? encodeCursor(list, [to]) : null };
}

/** Whether a case has all of these words; of cases that are not open, in its id only. */
export function wordsIn(words: string | undefined, isOpen: boolean) {
  const wanted = (words ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return () => true;
  return (given: Pick<SuiteCase, 'id' | 'title' | 'prompt' | 'messages' | 'turns'>): boolean => {
    const text = `${given.id}\n${isOpen ? `${given.title ?? ''}\n${promptOf(given)}` : ''}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
}

/** In the order of the list. */
function markCases(cases: readonly SuiteCase[], { marks, judged }: StoredSuiteResult): readonly MarkedCase[] {
  const marksById = new Map(Object.entries(marks));
  const ranks = new Map(caseVerdicts.map((verdict, rank) => [verdict, rank]));
  // Split votes first, among the cases of a verdict.
  const split = new Set(judged?.judges.flatMap((judge) => judge.split));
  const rank = ({ verdict, suiteCase }: MarkedCase) =>
    2 * (ranks.get(verdict) ?? 0) + Number(!split.has(suiteCase.id));
  return cases
    .map((suiteCase, index) => {
      const own = marksById.get(suiteCase.id) ?? '';
      return { index, suiteCase, marks: own, verdict: verdictOf(own) };
    })
    .toSorted((one, other) => rank(one) - rank(other));
}

function countBy<Key>(keys: readonly Key[]): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
