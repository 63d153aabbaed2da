/** `/suites/@owner/name/matrix?labels=a,b`: the owner's newest runs of a suite under several labels, case by case. */
import {
  type Matrix,
  matrixChanges,
  type MatrixCell,
  type MatrixRow,
  showMatrix,
} from '#domain/suites/show-matrix.ts';
import { DomainError } from '#domain/errors.ts';
import { orRefusal, page } from '../page.ts';
import { plain } from '../parts/form.tsx';
import { Back, Link } from '../parts/link.tsx';
import { sourcesText } from '#evals/report/verdict-notes.ts';
import { thousands } from '../parts/numbers.ts';
import { scoreText } from '../parts/runs.tsx';
import { OwnerFrame } from '../parts/owner-frame.tsx';
import { Search } from '../parts/lists.tsx';

/** The API returns all of them. */
const rowsMax = 300;

const words: Readonly<Record<MatrixRow['change'], string>> = {
  regressed: 'regressed',
  improved: 'improved',
  mixed: 'lower in one, higher in another',
  equal: 'equal',
  unlike: 'not comparable',
};
const tones: Readonly<Record<MatrixCell['verdict'], string>> = {
  passed: 'good',
  failed: 'bad',
  error: 'bad',
  flaky: 'moving',
  ungraded: '',
};

export const suiteMatrix = page({
  path: '/suites/:owner/:name/matrix',
  access: 'owner',
  params: { owner: 'owner', name: 'suite' },
  query: { q: 'search' },
  load: async (ctx, { params: { owner, name }, query: { q } }) => ({
    ref: `${owner}/${name}`,
    matrix:
      q === undefined
        ? null
        : await orRefusal(showMatrix(ctx, { owner: owner.slice(1), name, labels: q }), [
            'invalid_parameter',
            'run_not_found',
          ]),
  }),
  show: ({ ref, matrix }) => ({
    title: `Labels of ${ref}`,
    body: (
      <OwnerFrame>
        <Back to={`/me/runs?suite=${encodeURIComponent(ref)}`}>Runs of {ref}</Back>
        <h1>Labels side by side</h1>
        <p class="soft">
          Of each label, your newest completed run of {ref}. The others are compared with the first.
        </p>
        <Search label="2 to 8 labels: main,next" />
        {matrix instanceof DomainError ? <p class="notice bad">{plain(matrix.message)}</p> : null}
        {matrix === null || matrix instanceof DomainError ? null : <Labels matrix={matrix} />}
      </OwnerFrame>
    ),
  }),
});

function Labels({ matrix: { columns, rows } }: { readonly matrix: Matrix }) {
  const counts = matrixChanges.map(
    (change) => [change, rows.filter((row) => row.change === change).length] as const,
  );
  return (
    <>
      <p>
        {counts
          .filter(([, number]) => number > 0)
          .map(([change, number]) => `${thousands(number)} ${words[change]}`)
          .join(' · ')}
      </p>
      <div class="scroll" tabIndex={0}>
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Case</th>
              {columns.map(({ label, run, sources }) => (
                <th scope="col" key={label}>
                  <Link to={`/me/runs/${run.id}`}>{label}</Link> {scoreText(run)}
                  <span class="soft small"> {sourcesText(sources)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, rowsMax).map(({ caseId, title, cells }) => (
              <tr key={caseId}>
                <th scope="row" dir="auto">
                  {title ?? caseId}
                </th>
                {cells.map((cell, index) => (
                  <td key={columns[index]?.label}>
                    {cell === null ? (
                      <span class="soft">not asked</span>
                    ) : (
                      <span class={`state ${tones[cell.verdict]}`}>
                        {cell.verdict}
                        {cell.isSame ? '' : ', changed case'}
                      </span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > rowsMax ? (
        <p class="soft">
          {rowsMax} of {thousands(rows.length)} cases are shown. The API returns all.
        </p>
      ) : null}
    </>
  );
}
