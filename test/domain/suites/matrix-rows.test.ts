/** The rows of a matrix of labels: what regressed comes first, and nothing is compared with a case that has changed. */
import { expect, test } from 'bun:test';
import { rowsOf } from '#domain/suites/show-matrix.ts';

const side = (marks: Readonly<Record<string, string>>, changed: readonly string[] = []) => ({
  marks,
  identities: Object.keys(marks).map((id) => [id, changed.includes(id) ? 'other' : 'same'] as const),
});

test('cases are ordered by what became of them since the first label', () => {
  const rows = rowsOf([
    side({ equal: 'p', better: 'f', worse: 'pp', both: 'pf', changed: 'p', gone: 'p', open: 'u' }),
    side({ equal: 'p', better: 'p', worse: 'pf', both: 'pp', changed: 'f', added: 'p', open: 'p' }, [
      'changed',
    ]),
    side({ equal: 'p', better: 'f', worse: 'pp', both: 'ff', changed: 'f', added: 'f' }, ['changed']),
  ]);
  expect(rows.map(({ caseId, change }) => [caseId, change])).toEqual([
    ['worse', 'regressed'],
    ['better', 'improved'],
    ['both', 'mixed'],
    ['equal', 'equal'],
    ['changed', 'unlike'],
    ['gone', 'unlike'],
    ['open', 'unlike'],
    ['added', 'unlike'],
  ]);
  const cellsOf = (id: string) => rows.find(({ caseId }) => caseId === id)?.cells;
  expect(cellsOf('worse')).toEqual([
    { verdict: 'passed', isSame: true },
    { verdict: 'flaky', isSame: true },
    { verdict: 'passed', isSame: true },
  ]);
  expect(cellsOf('changed')?.map((cell) => cell?.isSame)).toEqual([true, false, false]);
  expect(cellsOf('added')?.[0]).toBeNull();
});

test('shares are compared on exact counts', () => {
  const [row] = rowsOf([side({ one: 'ppf' }), side({ one: 'ppppff' })], new Map([['one', 'A title']]));
  expect([row?.change, row?.title]).toEqual(['equal', 'A title']);
});
