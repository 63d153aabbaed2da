/** The parts of a scorecard besides its score: the levels, what to fix first, and the scores of reference agents. */
import { Fragment } from 'preact';
import { ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { kindsVerdict } from '#evals/suite/scorecard/kinds-verdict.ts';
import type { CategoryScore, ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import type { ShownCase } from '#evals/suite/scorecard/shown-case.ts';
import { useView } from '../view.ts';
import { ShareBar } from './charts.tsx';
import { explainCheck } from './check-text.ts';
import { Link } from './link.tsx';
import { count } from './numbers.ts';

export function Ladder({ card }: { readonly card: ScoreJson }) {
  return (
    <section>
      <h2>Levels</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Shares by category and level">
        <table class="data ladder">
          <thead>
            <tr>
              <th scope="col">Category</th>
              {ladderLevels.map((level) => (
                <th key={level} scope="col" class="num">
                  L{level}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {card.categories.map((category) => (
              <tr key={category.name}>
                <th scope="row">{category.name}</th>
                {ladderLevels.map((level) => (
                  <Rung key={level} category={category} level={level} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft small spaced-small">
        The share of points earned at each level, from easy to hard, and the number of cases. A dash marks a
        level without cases in this run.
      </p>
    </section>
  );
}

function Rung({ category, level }: { readonly category: CategoryScore; readonly level: number }) {
  const at = category.levels.find((known) => known.level === level);
  if (at === undefined) return <td class="num soft">–</td>;
  const tone = at.score >= 75 ? 'high' : at.score >= 35 ? 'middle' : 'low';
  return (
    <td class={`num rung ${tone}`}>
      {at.score.toFixed(0)}
      <small> of {at.cases}</small>
    </td>
  );
}

interface FirstFixesProps {
  readonly card: ScoreJson;
  /** Shown on the same page. */
  readonly cases: readonly ShownCase[];
}

export function FirstFixes({ card, cases: all }: FirstFixesProps) {
  const { path } = useView();
  const idOf = new Map(all.map(({ index, id }) => [index, id]));
  if (card.first_fixes.length === 0) return null;
  return (
    <section>
      <h2>What to fix first</h2>
      <ul class="rows">
        {card.first_fixes.map(({ category, failure, points, cases, skills, indexes }) => (
          <li key={`${category}/${failure}`}>
            <div class="grow">
              <span class="title">
                {category}: {failure}
              </span>
              <span class="meta">
                {count(cases, 'case')}
                {skills.length === 0
                  ? ''
                  : ` · ${skills.map((skill) => explainCheck(skill).title).join(' · ')}`}
              </span>
              <span class="meta">
                {indexes.map((index) => (
                  <Fragment key={index}>
                    <a href={`${path}#case-${index}`}>{idOf.get(index)}</a>{' '}
                  </Fragment>
                ))}
              </span>
            </div>
            <b class="num">
              −{points.toFixed(1)}
              <span class="hidden"> points</span>
            </b>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The public kinds of cases beside those of the private pack. */
export function Kinds({ card: { kinds } }: { readonly card: ScoreJson }) {
  const { known, unseen, gap, p } = kinds;
  if (unseen === null) return null;
  return (
    <section>
      <h2>Public and private kinds</h2>
      <ul class="bars single">
        {[
          { name: 'public', ...known },
          { name: 'private', ...unseen },
        ].map(({ name, score, cases }) => (
          <li key={name}>
            <span>
              {name} <small class="soft">of {cases}</small>
            </span>
            <ShareBar percent={score} label={`${name} kinds: ${score}`} />
            <span class="num">{score.toFixed(1)}</span>
          </li>
        ))}
      </ul>
      <p class={`small spaced-small ${gap ? 'warn' : 'soft'}`}>{kindsVerdict(gap, p)}</p>
    </section>
  );
}

/** A smaller difference between public and private kinds gets no note. */
const toldApart = 10;

export function Norms({ card }: { readonly card: ScoreJson }) {
  const where = card.kinds.unseen === null ? 'the example pack' : 'the private pack';
  return (
    <section>
      <h2>For comparison</h2>
      <ul class="bars single norms">
        <li class="own">
          <b>this run</b>
          <ShareBar percent={card.score} label={`this run: ${card.score}`} />
          <b class="num">{card.score.toFixed(1)}</b>
        </li>
        {card.norms.map(({ name, score, known, unseen }) => (
          <li key={name}>
            <span>{name}</span>
            <ShareBar percent={score} label={`${name}: ${score}`} />
            <span class="num">{score.toFixed(1)}</span>
            <span class="soft small">
              {unseen === null || Math.abs(unseen - known) < toldApart
                ? ''
                : `${unseen.toFixed(1)} on ${where}`}
            </span>
          </li>
        ))}
      </ul>
      <p class="soft small spaced-small">
        The scores of programs without a model, and of oracles that are right with the given probability.{' '}
        <Link to="/evaluation/guide">What a score means</Link>
      </p>
    </section>
  );
}
