/** Filters of the items of an eval run by category and verdict, as links to the same page with another query. */
import { ladderCategories } from '#evals/suite/ladder/ladder.ts';
import type { Item } from '#evals/scorecard/model.ts';
import { useView } from '../../view.ts';
import { FilterLink } from '../filter-link.tsx';

const categories = ladderCategories.map(({ name }) => name);
const verdicts = ['failed', 'error', 'passed'] as const;

/** The query parameters of a page with `ItemFilters`. */
export const itemQuery = { category: categories, verdict: verdicts };

interface FilterProps {
  readonly items: readonly Item[];
}

/** The items that the query of the page chooses. */
export function useChosenItems(items: readonly Item[]): readonly Item[] {
  const { category, verdict } = useView().query;
  return items.filter(
    ({ group, status }) =>
      (category === undefined || group === category) && (verdict === undefined || status === verdict),
  );
}

export function ItemFilters({ items }: FilterProps) {
  const { category } = useView().query;
  return (
    <>
      <VerdictFilter items={items.filter(({ group }) => category === undefined || group === category)} />
      <CategoryFilter items={items} />
    </>
  );
}

/** The verdicts that occur, each with its number of cases. */
function VerdictFilter({ items }: FilterProps) {
  const { verdict: chosen, category } = useView().query;
  const countOf = (verdict: string): number => items.filter(({ status }) => status === verdict).length;
  const own = verdicts.filter((verdict) => countOf(verdict) > 0 || verdict === chosen);
  return (
    <nav class="tabs" aria-label="Verdict">
      <FilterLink filter={{ category }} current={chosen === undefined}>
        all <b class="count">{items.length}</b>
      </FilterLink>
      {own.map((verdict) => (
        <FilterLink key={verdict} filter={{ category, verdict }} current={chosen === verdict}>
          {verdict} <b class="count">{countOf(verdict)}</b>
        </FilterLink>
      ))}
    </nav>
  );
}

/** The categories that have cases of the chosen verdict, each with the number of its cases that did not pass. */
function CategoryFilter({ items }: FilterProps) {
  const { verdict, category: chosen } = useView().query;
  const missed = (of: string): number =>
    items.filter(({ group, status }) => group === of && status !== 'passed').length;
  const own = categories.filter(
    (name) =>
      name === chosen ||
      items.some(({ group, status }) => group === name && (verdict === undefined || status === verdict)),
  );
  return (
    <nav class="tabs" aria-label="Category">
      <FilterLink filter={{ verdict }} current={chosen === undefined}>
        all
      </FilterLink>
      {own.map((name) => (
        <FilterLink key={name} filter={{ category: name, verdict }} current={chosen === name}>
          {name}
          {missed(name) === 0 ? null : (
            <b class="count">
              {' '}
              {missed(name)}
              <span class="hidden"> not passed</span>
            </b>
          )}
        </FilterLink>
      ))}
    </nav>
  );
}
