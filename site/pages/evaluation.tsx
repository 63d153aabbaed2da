/** `/evaluation`: what an eval run measures and how certain its score is. */
import { listPracticeCases, type PracticeCase } from '#domain/runs/grading/practise.ts';
import { checkName, checkVersion, describeParts } from '#evals/health/health-check.ts';
import { shorten } from '#evals/safe-text.ts';
import { page } from '../page.ts';
import { Link } from '../parts/link.tsx';

const rows = describeParts();

export const evaluation = page({
  path: '/evaluation',
  access: 'public',
  load: () => Promise.resolve(listPracticeCases()),
  show: (practice) => ({
    title: 'Evaluation',
    description: 'What an eval run on this hub measures, and how certain its score is.',
    body: (
      <article class="narrow">
        <h1>Evaluation</h1>
        <p class="lead">
          A health check of an agent: short conversations, generated from a random seed when the run starts.
          The report names what is wrong, such as prompts that are cut or replies that are rewritten. Rules
          grade every reply; no model judges.
        </p>
        <section>
          <h2>What is asked</h2>
          <ul class="rows">
            {rows.map(({ name, about, topics, cases }) => (
              <li key={name}>
                <div class="grow">
                  <b>{name}</b>
                  <p class="small soft">
                    {about} {topics.join(', ')}.
                  </p>
                </div>
                <span class="soft small">{cases} cases</span>
              </li>
            ))}
          </ul>
        </section>
        <Reading />
        <section>
          <h2>Practice</h2>
          <div class="text">
            <p>
              One case of each topic. None of them appears in a run. <code>POST /v1/eval-suite/practice</code>{' '}
              grades a reply for free.
            </p>
          </div>
          <ul class="rows">
            {practice.map((one) => (
              <li key={one.caseId}>
                <div class="grow">
                  <b>{one.topic}</b>
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
          A score is 100 times the share of cases that passed. The bar around it is the 95% interval. A strong
          model behind a sound agent gets 100, so the score does not rank models: read the findings first.{' '}
          <Link to="/evaluation/guide">How to read findings and scores</Link>
        </p>
        <p>
          Only runs of the same suite version can be compared; this hub uses <code>{checkName}</code> version{' '}
          <code>{checkVersion}</code>.
        </p>
      </div>
    </section>
  );
}

const promptCharacters = 1_600;
const replyCharacters = 400;

/** A practice case with a reply that passes and one that does not. */
function PracticeExample({
  one: { caseId, part, turns, accepted, refused },
}: {
  readonly one: PracticeCase;
}) {
  return (
    <details>
      <summary>
        {part}: <code>{caseId}</code>
      </summary>
      <Text title="Prompt" text={turns.join('\n\n')} max={promptCharacters} />
      {accepted[0] === undefined ? null : <Text title="Passes" text={accepted[0]} max={replyCharacters} />}
      {refused[0] === undefined ? null : (
        <Text title="Does not pass" text={refused[0]} max={replyCharacters} />
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
