/** The calls of one task of an agent run, over time and as a list. */
import { kindOfCall } from '#domain/agent-runs/scorecard/card-texts.ts';
import type { CardCall } from '#domain/agent-runs/scorecard/make-card.ts';
import { showTime } from '#evals/suite/scorecard/html-charts.ts';
import { shorten } from '#evals/suite/scorecard/safe-text.ts';
import { count } from './numbers.ts';

const argumentCharacters = 300;
const resultCharacters = 1_000;

interface TimelineProps {
  readonly calls: readonly CardCall[];
  /** In milliseconds. */
  readonly took: number;
}

export function Timeline({ calls, took }: TimelineProps) {
  if (calls.length === 0) return null;
  const timed = atTimes(calls);
  return (
    <>
      <svg class="strip" role="img" aria-label={`${count(calls.length, 'call')} within ${showTime(took)}`}>
        <rect class="track" y="7" width="100%" height="4" rx="2" />
        {timed.map(({ call, at }, index) => (
          <rect
            key={index}
            class={`call ${kindOfCall(call)}`}
            x={`${(took === 0 ? 99 : (99 * at) / took).toFixed(2)}%`}
            width="1%"
            height="18"
            rx="1"
          >
            <title>{`${call.tool} at ${showTime(at)}`}</title>
          </rect>
        ))}
      </svg>
      <ol class="timeline small">
        {timed.map(({ call, at }, index) => (
          <Call key={index} call={call} at={at} />
        ))}
      </ol>
      <p class="soft small">Filled marks are calls that can change the office; hollow ones only read it.</p>
    </>
  );
}

function Call({ call, at }: { readonly call: CardCall; readonly at: number }) {
  return (
    <li class={kindOfCall(call)}>
      <span class="soft num">{showTime(at)}</span> <b>{call.tool}</b>{' '}
      {kindOfCall(call) === 'wrong' ? <span class="chip bad">error</span> : null}
      <p>
        <code>{shorten(JSON.stringify(call.args), argumentCharacters, 0)}</code>
      </p>
      <details>
        <summary>Result</summary>
        <pre class="wrap" tabIndex={0}>
          {shorten(JSON.stringify(call.result, null, 1), resultCharacters, 0)}
        </pre>
      </details>
    </li>
  );
}

/** Each call with its time since the task was fetched. */
function atTimes(calls: readonly CardCall[]): { readonly call: CardCall; readonly at: number }[] {
  let at = 0;
  return calls.map((call) => {
    at += call.ms;
    return { call, at };
  });
}
