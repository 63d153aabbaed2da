/** The items of a run: a cell for each, then a folded section with its verdict, its texts and its calls. */
import type { Item, ItemText, Trial } from '#evals/scorecard/model.ts';
import { shorten } from '#evals/scorecard/safe-text.ts';
import { Timeline } from './timeline.tsx';

const teaserCharacters = 160;

/** Shapes, so that the status does not depend on colour alone. */
export const signs = {
  passed: '✓',
  failed: '✗',
  error: '!',
  hijacked: '!',
  flaky: '~',
  ungraded: '?',
} as const;
export const tones = {
  passed: 'good',
  failed: 'bad',
  error: 'warn',
  hijacked: 'warn',
  flaky: 'warn',
  ungraded: 'warn',
} as const;

export function toneOf({ status }: Item): string {
  return tones[status];
}

/** A cell for each item, linked to it. */
export function Chips({ items }: { readonly items: readonly Item[] }) {
  return (
    <span class="cells">
      {items.map((item) => {
        const about = `${item.name}: ${item.status}${item.level === null ? '' : `, level ${item.level}`}`;
        return (
          <a
            key={item.key}
            href={`#${item.key}`}
            class={`chip ${toneOf(item)}`}
            aria-label={about}
            title={about}
          >
            {signs[item.status]}
          </a>
        );
      })}
    </span>
  );
}

interface ItemListProps {
  readonly items: readonly Item[];
  /** Whether prompts, replies, results and calls are shown. */
  readonly withTexts: boolean;
}

/** What did not pass comes first; otherwise the order of the run. */
export function ItemList({ items, withTexts }: ItemListProps) {
  return (
    <ul class="rows">
      {items
        .toSorted((one, other) => rank(one) - rank(other))
        .map((item) => (
          <ItemRow key={item.key} item={item} withTexts={withTexts} />
        ))}
    </ul>
  );
}

function rank({ status }: Item): number {
  if (status === 'passed') return 2;
  return status === 'failed' ? 1 : 0;
}

function ItemRow({ item, withTexts }: { readonly item: Item; readonly withTexts: boolean }) {
  const { key, name, kind, level, status, earned, facts, trials } = item;
  const why = teaserOf(item);
  const meta = [
    ...(kind === '' ? [] : [kind]),
    ...(level === null ? [] : [`level ${level}`]),
    ...facts,
    ...(why === null || why === '' ? [] : [why]),
  ];
  return (
    <li class={status}>
      <details class="grow">
        <summary>
          <span class={`chip ${toneOf(item)}`}>
            {signs[status]} {status}
          </span>{' '}
          {name}
          <span class="meta">{meta.join(' · ')}</span>
        </summary>
        <div id={key}>
          {trials.map((trial, index) => (
            <TrialPart
              key={index}
              trial={trial}
              number={trials.length === 1 ? null : index + 1}
              withTexts={withTexts}
            />
          ))}
          {withTexts ? <Asked item={item} /> : null}
        </div>
      </details>
      {earned === null ? null : <span class="num">{Math.round(earned)}</span>}
    </li>
  );
}

function teaserOf({ why }: Item): string | null {
  return why === null ? null : shorten(why, teaserCharacters, 0);
}

interface TrialProps {
  readonly trial: Trial;
  /** Null for the only one. */
  readonly number: number | null;
  readonly withTexts: boolean;
}

function TrialPart({ trial, number, withTexts }: TrialProps) {
  const { calls, reply } = trial;
  return (
    <>
      {number === null ? null : <h3>Trial {number}</h3>}
      {withTexts ? <Faults trial={trial} /> : null}
      {calls.length === 0 ? null : withTexts ? (
        <Timeline calls={calls} />
      ) : (
        <p class="soft">The calls are not shown.</p>
      )}
      {withTexts && reply !== null ? <Text title="Reply" text={reply} /> : null}
    </>
  );
}

/** What was required, and what the agent did instead. */
function Faults({ trial: { faults } }: { readonly trial: Trial }) {
  if (faults.length === 0) return null;
  return (
    <dl class="faults small">
      {faults.map(({ problem, expected, done }, index) => (
        <div key={index}>
          <dt>{problem}</dt>
          <dd>
            <span class="soft">Expected</span> {expected}
          </dd>
          <dd>
            <span class="soft">Done</span> {done}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The prompt, and what it asked for. */
function Asked({ item: { prompt, details } }: { readonly item: Item }) {
  return (
    <>
      <Text title="Prompt" text={prompt} />
      {details.map(({ title, text }) => (
        <Text key={title} title={title} text={{ text, note: null }} />
      ))}
    </>
  );
}

function Text({ title, text: { text, note } }: { readonly title: string; readonly text: ItemText }) {
  return (
    <>
      <h3>{title}</h3>
      {text === null ? null : (
        <pre class="wrap" tabIndex={0}>
          {text}
        </pre>
      )}
      {note === null ? null : <p class="soft small">{note}</p>}
    </>
  );
}
