/** A practice case with a reply that passes and one that does not. */
import type { PracticeCase } from '#evals/suite/practice.ts';
import { shorten } from '#evals/suite/scorecard/safe-text.ts';
import { joinTurns } from '#evals/suite/turns.ts';

const promptCharacters = 1_600;
const replyCharacters = 400;

export function PracticeExample({ one: { caseId, kind, level, task } }: { readonly one: PracticeCase }) {
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
