/** The calls of one item, over time and as a list. */
import type { ItemCall } from '#evals/scorecard/model.ts';
import { shorten, showTime } from '#evals/scorecard/safe-text.ts';
import { count } from '../numbers.ts';

const argumentCharacters = 300;
const resultCharacters = 4_000;

/** @param calls at least one */
export function Timeline({ calls }: { readonly calls: readonly ItemCall[] }) {
  const timed = atTimes(calls);
  const took = timed.at(-1)?.at ?? 0;
  return (
    <>
      <svg class="strip" role="img" aria-label={`${count(calls.length, 'call')} within ${showTime(took)}`}>
        <rect class="track" y="7" width="100%" height="4" rx="2" />
        {timed.map(({ call, at }, index) => (
          <rect
            key={index}
            class={`call ${call.effect}`}
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
      <p class="soft small">Filled marks are calls that can change something; hollow ones only read.</p>
    </>
  );
}

function Call({ call, at }: { readonly call: ItemCall; readonly at: number }) {
  return (
    <li class={call.effect}>
      <span class="soft num">{showTime(at)}</span> <b>{call.tool}</b>{' '}
      {call.effect === 'wrong' ? <span class="chip bad">error</span> : null}
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

/** Each call with its time since the item was fetched. */
function atTimes(calls: readonly ItemCall[]): { readonly call: ItemCall; readonly at: number }[] {
  let at = 0;
  return calls.map((call) => {
    at += call.ms;
    return { call, at };
  });
}
