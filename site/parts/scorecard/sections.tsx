/** The sections of a scorecard besides its items. */
import { pointsText } from '#evals/rates.ts';
import { Fragment } from 'preact';
import { useView } from '../../view.ts';
import { describeLevel } from '#evals/scorecard/model.ts';
import type { Fix, Group, Groups, ScorecardModel, Share } from '#evals/scorecard/model.ts';
import { IntervalBar, ShareBar } from '../charts.tsx';
import { Day } from '../dates.tsx';
import { Link } from '../link.tsx';
import { count } from '../numbers.ts';
import { Chips } from './items.tsx';

interface ModelProps {
  readonly model: ScorecardModel;
}

/** The score with its interval, and the score of each group with parts as a bar. */
export function ScoreFigure({ model: { score, finishedAt, groups } }: ModelProps) {
  const { value, interval, level } = score;
  return (
    <>
      <div class="figure">
        <div>
          <p class="numeral">{pointsText(value)}</p>
          <p class="facts">
            of 100{finishedAt === null ? '' : ' on '}
            {finishedAt === null ? null : <Day at={finishedAt} />}
            <br />
            95% interval {pointsText(interval.low)} to {pointsText(interval.high)}
            {level === null ? null : (
              <>
                <br />
                {describeLevel(level)}
              </>
            )}
          </p>
        </div>
        <IntervalBar score={value} {...interval} isLarge />
      </div>
      {groups.columns.length === 0 ? null : (
        <ul class="bars spaced">
          {groups.rows.map(({ name, share }) => (
            <li key={name}>
              <span>{name}</span>
              <ShareBar percent={share.score} label={`${name}: ${share.score}`} />
              <span class="num">{pointsText(share.score, 0)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function Figures({ figures }: Pick<ScorecardModel, 'figures'>) {
  return (
    <dl class="tiles">
      {figures.map(({ name, value, caption }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="soft small">{caption}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The items by family, level or tag. */
export function GroupSection({ model: { groups, items } }: ModelProps) {
  return (
    <section>
      <h2>{groups.title}</h2>
      {groups.columns.length > 0 ? (
        <GroupTable groups={groups} />
      ) : (
        <ul class="rows levels">
          {groups.rows.map(({ name, share: { score, of } }) => (
            <li key={name}>
              <span>{name}</span>
              <Chips items={items.filter(({ group }) => group === name)} />
              <span class="num">
                {pointsText(score, 0)}% <small class="soft">of {of}</small>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p class="soft small spaced-small">{groups.note}</p>
    </section>
  );
}

export function GroupTable({ groups: { unit, columns, rows } }: { readonly groups: Groups }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={`Shares by ${unit.toLowerCase()} and part`}>
      <table class="data ladder">
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {columns.map((name) => (
              <th key={name} scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((group) => (
            <GroupRow key={group.name} group={group} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function GroupRow({ group: { name, about, parts } }: { readonly group: Group }) {
  return (
    <tr>
      <th scope="row" title={about}>
        {name}
      </th>
      {parts.map((part, index) => (
        <Rung key={index} part={part} />
      ))}
    </tr>
  );
}

function Rung({ part }: { readonly part: Share | null }) {
  if (part === null) return <td class="num soft rung">–</td>;
  const tone = part.score >= 75 ? 'high' : part.score >= 35 ? 'middle' : 'low';
  return (
    <td class={`num rung ${tone}`}>
      {pointsText(part.score, 0)}
      <small> of {part.of}</small>
    </td>
  );
}

export function Fixes({ model: { fixes, items, unit } }: ModelProps) {
  const nameOf = new Map(items.map(({ key, name }) => [key, name]));
  if (fixes.length === 0) return null;
  return (
    <section>
      <h2>What to fix first</h2>
      <ul class="rows">
        {fixes.map((fix) => (
          <li key={fix.title}>
            <div class="grow">
              <span class="title">{fix.title}</span>
              <span class="meta">{[count(fix.count, unit), ...fix.skills].join(' · ')}</span>
              <FixItems fix={fix} nameOf={nameOf} />
            </div>
            <b class="num">
              −{fix.points.toFixed(1)}
              <span class="hidden"> points</span>
            </b>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FixItemsProps {
  readonly fix: Fix;
  readonly nameOf: ReadonlyMap<string, string>;
}

/** Links to the items, on a page whose query may hide them. */
function FixItems({ fix, nameOf }: FixItemsProps) {
  const { path, query } = useView();
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <span class="meta">
      {fix.items
        .filter((key) => nameOf.has(key))
        .map((key) => (
          <Fragment key={key}>
            <a href={`${isFiltered ? path : ''}#${key}`}>{nameOf.get(key)}</a>{' '}
          </Fragment>
        ))}
    </span>
  );
}

interface ReferenceProps extends ModelProps {
  /** The address of a text about scores; null in a document of its own. */
  readonly guide: string | null;
}

/** Measured agents in order, with this run among them. */
export function ReferenceSection({ model: { references, score }, guide }: ReferenceProps) {
  if (references.length === 0) return null;
  const own = { name: 'this run', score: score.value, about: '', isOwn: true };
  const rows = [...references.map((one) => ({ ...one, isOwn: false })), own];
  return (
    <section>
      <h2>For comparison</h2>
      <ul class="bars single references">
        {rows
          .toSorted((one, other) => one.score - other.score)
          .map(({ name, score: value, about, isOwn }) => (
            <li key={name} class={isOwn ? 'own' : ''}>
              {isOwn ? <b>{name}</b> : <span>{name}</span>}
              <ShareBar percent={value} label={`${name}: ${value}`} />
              {isOwn ? <b class="num">{pointsText(value)}</b> : <span class="num">{pointsText(value)}</span>}
              <span class="soft small">{about}</span>
            </li>
          ))}
      </ul>
      {guide === null ? null : (
        <p class="soft small spaced-small">
          <Link to={guide}>What a score means</Link>
        </p>
      )}
    </section>
  );
}

interface FactsProps extends ModelProps {
  readonly isPublic: boolean;
}

/** What was run, on what, and when. */
export function Facts({ model: { id, facts }, isPublic }: FactsProps) {
  const shown = isPublic
    ? facts.filter(({ isPrivate }) => isPrivate !== true)
    : [{ name: 'Run', value: id }, ...facts];
  return (
    <dl class="facts-grid">
      {shown.map(({ name, value }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
