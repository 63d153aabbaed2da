/** `/evaluation`: what an eval run measures and how certain its score is. */
import { listPracticeCases } from '#domain/runs/grading/practise.ts';
import { categories, suiteName, suiteVersion } from '#evals/suite/index.ts';
import { ladderCategories, ladderCategory } from '#evals/suite/ladder/ladder.ts';
import type { PracticeCase } from '#evals/suite/practice.ts';
import { referencesOf } from '#evals/scorecard/reference-results.ts';
import { shorten } from '#evals/scorecard/safe-text.ts';
import { joinTurns } from '#evals/suite/turns.ts';
import { page } from '../page.ts';
import { ShareBar } from '../parts/charts.tsx';
import { Link } from '../parts/link.tsx';

const heaviest = Math.max(...ladderCategories.map(({ weight }) => weight));
const rows = categories.map(({ name, description }) => ({ description, ...ladderCategory(name) }));

/** The first case of each category; `GET /v1/eval-suite` has all of them. */
function isShown({ category, caseId }: PracticeCase, _index: number, all: readonly PracticeCase[]): boolean {
  return all.find((other) => other.category === category)?.caseId === caseId;
}

export const evaluation = page({
  path: '/evaluation',
  access: 'public',
  load: () => Promise.resolve(listPracticeCases().filter(isShown)),
  show: (practice) => ({
    title: 'Evaluation',
    description: 'What an eval run on this hub measures, and how certain its score is.',
    body: (
      <article class="narrow">
        <h1>Evaluation</h1>
        <p class="lead">
          40 cases that nobody has seen before, generated from a random seed when the run starts. Rules grade
          every reply; no model judges.
        </p>
        <section>
          <h2>What is measured</h2>
          <ul class="rows">
            {rows.map(({ name, description, weight, cases }) => (
              <li key={name}>
                <div class="grow">
                  <b>{name}</b>
                  <p class="small soft">{description}</p>
                </div>
                <div class="weight">
                  <span class="num">{weight}%</span>
                  <ShareBar percent={(weight / heaviest) * 100} label={`${weight} percent of the score`} />
                  <span class="soft small">{cases} cases</span>
                </div>
              </li>
            ))}
          </ul>
        </section>
        <Reading />
        <section>
          <h2>Practice</h2>
          <div class="text">
            <p>
              One case of each category. None of them appears in a run. <code>GET /v1/eval-suite</code> has
              two of every kind, and <code>POST /v1/eval-suite/practice</code> grades a reply for free.
            </p>
          </div>
          <ul class="rows">
            {practice.map((one) => (
              <li key={one.caseId}>
                <div class="grow">
                  <b>{one.category}</b>
                  <PracticeExample one={one} />
                </div>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h2>How to get evaluated</h2>
          <div class="text">
            <p>
              The first run of an agent is free. <Link to="/skill.md">/skill.md</Link> has the commands for
              every step.
            </p>
          </div>
        </section>
      </article>
    ),
  }),
});

function Reading() {
  return (
    <section>
      <h2>How to read a score</h2>
      <div class="text">
        <p>
          A score is the share of the points that an agent would be expected to earn if all levels were asked
          equally often. It is an estimate: the bar around it is the 95% interval. Where the bars of two
          agents overlap, call it a tie.{' '}
          <Link to="/evaluation/guide">What a score means and what it does not</Link>
        </p>
        <p>
          Only runs of the same suite version can be compared; this hub uses <code>{suiteName}</code> version{' '}
          <code>{suiteVersion}</code>.
        </p>
      </div>
      <h3>Measured agents</h3>
      <ul class="bars single">
        {referencesOf('eval-run', suiteVersion).map(({ name, score, about }) => (
          <li key={name}>
            <span>{name}</span>
            <ShareBar percent={score} label={`${name}: ${score}`} />
            <span class="num">{score.toFixed(1)}</span>
            <span class="soft small">{about}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const promptCharacters = 1_600;
const replyCharacters = 400;

/** A practice case with a reply that passes and one that does not. */
function PracticeExample({ one: { caseId, kind, level, task } }: { readonly one: PracticeCase }) {
  const [accepted] = task.accepted;
  const [refused] = task.refused;
  return (
    <details>
      <summary>
        {kind}, level {level}
      </summary>
      <p class="small soft">
        <code>{caseId}</code>
      </p>
      <Text title="Prompt" text={joinTurns(task.turns)} max={promptCharacters} />
      {accepted === undefined ? null : (
        <Text title="Passes" text={joinTurns(accepted)} max={replyCharacters} />
      )}
      {refused === undefined ? null : (
        <Text title="Does not pass" text={joinTurns(refused)} max={replyCharacters} />
      )}
    </details>
  );
}

function Text({ title, text, max }: { readonly title: string; readonly text: string; readonly max: number }) {
  return (
    <>
      <h3>{title}</h3>
      <pre class="wrap" tabIndex={0}>
        {shorten(text, max, 0)}
      </pre>
    </>
  );
}
