/** Graders and judges of a case, for people who do not write suites. */
import { stringify } from 'yaml';
import type { GraderSpec, Judge } from '#evals/own-suite/document.ts';
import { graderName } from '#evals/own-suite/graders/registry.ts';
import { isFields } from '#evals/own-suite/exact-json.ts';
import { neededOf, votesOf } from '#evals/own-suite/judges.ts';
import { More } from './lists.tsx';
import { cut } from './suite-run/cases.tsx';

const gradersShownMax = 32;
const judgesShownMax = 20;
const textMax = 600;

/** Each with what it asks for, and its options below. */
export function Graders({ specs }: { readonly specs: readonly GraderSpec[] }) {
  return (
    <dl class="faults small">
      {specs.slice(0, gradersShownMax).map((spec, at) => (
        <Grader key={at} spec={spec} />
      ))}
    </dl>
  );
}

/** A grader in a line. */
export function graderText(spec: GraderSpec): string {
  const name = graderName(spec);
  const { [name]: wanted, not, ...options } = spec;
  const said = Object.entries(options).map(([option, value]) => `${wordsOf(option)}: ${inLine(value)}`);
  const what = [wordsOf(name), ...(wanted === true ? [] : [inLine(wanted)])].join(': ');
  return [`${not === true ? 'not ' : ''}${what}`, ...said].join(' · ');
}

function inLine(value: unknown): string {
  const isPlain = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isPlain) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Grader({ spec }: { readonly spec: GraderSpec }) {
  const name = graderName(spec);
  const { [name]: wanted, not, ...options } = spec;
  const isTurned = name === 'not' || not === true;
  const inner = name === 'not' ? [wanted] : name === 'all' || name === 'any' ? wanted : null;
  const graders = Array.isArray(inner) ? inner.filter(isFields) : null;
  const said = Object.entries(options).map(([option, value]) => `${wordsOf(option)}: ${valueText(value)}`);
  return (
    <div class="held">
      <dt>
        {isTurned ? 'not ' : ''}
        {name === 'not' ? '' : wordsOf(name)}
      </dt>
      {graders === null ? <Value value={wanted} /> : null}
      {said.length === 0 ? null : (
        <dd class="soft" dir="auto">
          {cut(said.join(' · '), textMax)}
        </dd>
      )}
      {graders === null ? null : (
        <dd>
          <Graders specs={graders} />
        </dd>
      )}
    </div>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (value === true) return null;
  const text = cut(valueText(value), textMax);
  return <dd dir="auto">{text.includes('\n') ? <pre class="wrap">{text}</pre> : text}</dd>;
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Lists of short values in a line, others as YAML. */
function valueText(value: unknown): string {
  if (value === true) return 'yes';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(', ');
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}

/** What the runner's judges decide by. */
export function Judges({ judges = {} }: { readonly judges: Readonly<Record<string, Judge>> | undefined }) {
  const all = Object.entries(judges);
  if (all.length === 0) return null;
  return (
    <>
      <h2 class="spaced">Judges</h2>
      <dl class="faults small">
        {all.slice(0, judgesShownMax).map(([name, judge]) => (
          <div key={name} class="held">
            <dt>{name}</dt>
            <dd class="soft">
              {judge.command === undefined
                ? `A model${votesOf(judge) === 1 ? '' : `, asked ${votesOf(judge)} times; ${neededOf(judge)} must accept`}. Its rubric:`
                : `A program beside the suite${judge.title === undefined ? '' : `: ${judge.title}`}. Its command:`}
            </dd>
            <dd dir="auto">
              <pre class="wrap">{cut(judge.command ?? judge.rubric ?? '', textMax)}</pre>
            </dd>
          </div>
        ))}
      </dl>
      <More of={all} shown={judgesShownMax} one="more judge" />
    </>
  );
}
