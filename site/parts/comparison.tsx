/** Shows what changed between two runs, and whether it may be chance; the same for all products. */
import { pointsText } from '#evals/rates.ts';
import type { ComparedSide, RunComparison } from '#domain/runs/compare-runs.ts';
import type { NamedChange } from '#evals/suite/compare-runs.ts';
import { ChangeBar } from './comparison-charts.tsx';
import { Day } from './dates.tsx';
import { Link } from './link.tsx';
import { count, signed } from './numbers.ts';

export interface ComparisonProps {
  readonly comparison: RunComparison;
  readonly isPooled: boolean;
  /** The unit of a run, such as `case`. */
  readonly unit: 'case' | 'task';
  /** The title of the figures besides the score. */
  readonly parts: string;
  readonly nameOf: (part: string) => string;
  readonly runPath: (id: string) => string;
  readonly comparePath: (before: string, after: string) => string;
}

export function Comparison(props: ComparisonProps) {
  return (
    <>
      <h1>What changed</h1>
      <Verdict {...props} />
      <Sides {...props} />
      <Parts {...props} />
    </>
  );
}

function Verdict({ comparison: { score, paired, before, after }, unit }: ComparisonProps) {
  const { change, interval, clear, p, detectable } = score;
  return (
    <section>
      <div class="figure">
        <div>
          <p class="numeral">{signed(change)}</p>
          <p class="facts">
            points of 100
            <br />
            95% interval {signed(interval.low)} to {signed(interval.high)}
          </p>
        </div>
        <ChangeBar change={change} interval={interval} max={reachOf([interval])} isLarge />
      </div>
      <p class="lead spaced-small">
        {pointsText(score.before)} <When side={before} />, {pointsText(score.after)} <When side={after} />.{' '}
        {clear ? 'The change is unlikely to be chance.' : 'The change may be chance.'}
      </p>
      <p class="soft">
        p {p < 0.001 ? 'below 0.001' : `= ${p}`}. Runs of this size detect a change of {detectable.toFixed(1)}{' '}
        points four times in five; smaller changes often go unnoticed.
      </p>
      {paired === null ? null : (
        <p>
          Both runs had the same {unit}s. {unit === 'case' ? 'Case by case' : 'Task by task'}, over{' '}
          {paired.items}, the change is {signed(paired.change)} points, 95% interval{' '}
          {signed(paired.interval.low)} to {signed(paired.interval.high)}, p{' '}
          {paired.p < 0.001 ? 'below 0.001' : `= ${paired.p}`}.{' '}
          {paired.clear ? 'It is unlikely to be chance.' : 'It may be chance.'} Runs like these detect a
          change of {paired.detectable.toFixed(1)} points four times in five.
        </p>
      )}
    </section>
  );
}

function When({ side: { run, pooled } }: { readonly side: ComparedSide }) {
  return (
    <>
      {pooled.length === 0 ? 'on' : `in ${count(pooled.length + 1, 'run')} up to`} <Day at={run.createdAt} />
    </>
  );
}

function Sides(props: ComparisonProps) {
  const { comparison, isPooled, comparePath } = props;
  const { before, after } = comparison;
  const path = comparePath(before.run.id, after.run.id);
  return (
    <section>
      <h2>The runs</h2>
      <dl class="facts-grid">
        <Side {...props} name="Before" side={before} />
        <Side {...props} name="After" side={after} />
      </dl>
      <p class="spaced-small small">
        {isPooled ? (
          <Link to={path}>Compare only these two runs</Link>
        ) : (
          <Link to={`${path}?pool=true`}>Add the earlier runs to both sides</Link>
        )}
        {' · '}
        <Link to={comparePath(after.run.id, before.run.id)}>Swap</Link>
      </p>
    </section>
  );
}

interface SideProps extends ComparisonProps {
  readonly name: string;
  readonly side: ComparedSide;
}

function Side({ name, side: { run, pooled }, unit, runPath }: SideProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Link to={runPath(run.id)}>
          {pointsText(run.score ?? 0)} on <Day at={run.createdAt} />
        </Link>
        {', '}
        {count(run.progressTotal, unit)}
        {pooled.length === 0 ? '' : `, with ${count(pooled.length, 'earlier run')}: `}
        {pooled.map((earlier, index) => (
          <span key={earlier.id}>
            {index === 0 ? '' : ', '}
            <Link to={runPath(earlier.id)}>{pointsText(earlier.score ?? 0)}</Link>
          </span>
        ))}
      </dd>
    </>
  );
}

function Parts({ comparison: { categories, flags }, parts, nameOf }: ComparisonProps) {
  const max = reachOf(categories.flatMap(({ interval }) => (interval === null ? [] : [interval])));
  return (
    <section>
      <h2>{parts}</h2>
      <ul class="rows changes">
        {categories.map((part) => (
          <PartRow key={part.name} name={nameOf(part.name)} part={part} max={max} />
        ))}
      </ul>
      <p class="soft small spaced-small">
        The bands are 95% intervals. With {categories.length} of them, one often excludes 0 by chance
        {flags.available
          ? ", so a change is flagged only if it remains significant after Holm's correction. "
          : ', so treat them as hints. '}
        {flags.reason}
      </p>
    </section>
  );
}

interface PartProps {
  readonly name: string;
  readonly part: NamedChange;
  readonly max: number;
}

function PartRow({ name, part: { before, after, change, interval, flagged }, max }: PartProps) {
  return (
    <li>
      <span>
        {name} {flagged ? <span class="chip warn">flagged</span> : null}
      </span>
      {change === null || interval === null ? (
        <span class="soft small">not in both runs</span>
      ) : (
        <ChangeBar change={change} interval={interval} max={max} />
      )}
      <span class="num soft small">
        {before === null ? '–' : pointsText(before)} → {after === null ? '–' : pointsText(after)}
      </span>
      <b class="num">{change === null ? '–' : signed(change)}</b>
    </li>
  );
}

/** The end of a scale that contains all intervals: a multiple of ten. */
function reachOf(intervals: readonly { readonly low: number; readonly high: number }[]): number {
  const reach = Math.max(10, ...intervals.map(({ low, high }) => Math.max(-low, high)));
  return Math.ceil(reach / 10) * 10;
}
