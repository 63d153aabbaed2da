/** What is wrong with the agent: the first sentences of the page of a run. */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import { noFinding } from '#evals/report/findings.ts';
import { someOf } from '#evals/safe-text.ts';

interface FindingsProps {
  /** Null as long as there are none to look for. */
  readonly findings: readonly Finding[] | null;
  /** Trials that the run ended before. */
  readonly unanswered: number;
  /** What the run does not ask, cannot see, or has not seen. */
  readonly unseen: readonly string[];
}

const casesShownMax = 12;

export function Findings({ findings, unanswered, unseen }: FindingsProps) {
  if (findings === null)
    return (
      <>
        {unseen.map((sentence) => (
          <p class="notice">{sentence}</p>
        ))}
      </>
    );
  return (
    <section>
      <h2>Findings</h2>
      {findings.length === 0 ? <p>{noFinding(unanswered)}</p> : null}
      <ol class="rows">
        {findings.map((finding) => (
          <li key={`${finding.rule} ${finding.sentence}`}>
            <div class="grow">
              <b dir="auto">{finding.sentence}</b>{' '}
              {finding.certainty === 'likely' ? <span class="soft">Another cause is possible.</span> : null}
              {finding.change === undefined ? null : <Change {...finding.change} />}
              <p class="small soft">
                {finding.look_at} Cases: {someOf(finding.cases, casesShownMax)}.
              </p>
            </div>
          </li>
        ))}
      </ol>
      {unseen.map((sentence) => (
        <p class="small soft" key={sentence}>
          {sentence}
        </p>
      ))}
    </section>
  );
}

function Change({ before, after }: NonNullable<Finding['change']>) {
  return (
    <dl class="faults small">
      <div>
        <dd dir="auto">
          <span class="soft">Sent</span> {before}
        </dd>
        <dd dir="auto">
          <span class="soft">Came back</span> {after}
        </dd>
      </div>
    </dl>
  );
}
