/**
 * The editor of a suite: a text, two buttons, and below it the faults with the lines that they stand in and the verdicts
 * on the listed replies. Works by submitting, without JavaScript.
 */
import type { SuiteReport } from '#domain/suites/publish-suite.ts';
import { useView } from '../view.ts';
import { controlValue } from '../visible-text.ts';
import { documentField, formNameField, HiddenFields, plain, refusedFormId, typedField } from './form.tsx';
import { More } from './lists.tsx';
import { count, priceText } from './numbers.ts';

/** The names of the page's forms, which are the values of the two buttons. */
export const checkForm = 'check-suite';
export const publishForm = 'publish-suite';

/** Lists longer than this end with their number. */
const shownMax = 50;

type Fault = SuiteReport['faults'][number];

/** In the form of the API. */
interface Report extends Pick<SuiteReport, 'ok' | 'faults' | 'warnings' | 'replies'> {
  readonly size: { readonly cases: number; readonly replies: number; readonly prompt_tokens: number } | null;
  readonly price: { readonly tokens: number } | null;
}

export function SuiteEditor({ text }: { readonly text: string }) {
  const { path, answered, refused } = useView();
  const isRefused = refused?.name === checkForm || refused?.name === publishForm;
  const sent = answered?.values ?? (isRefused ? refused.values : undefined);
  const value = sent?.[documentField] ?? text;
  // The check answers with its report, and publishing refuses with the faults.
  const report = answered === null ? null : (answered.body as Report);
  const faults = report?.faults ?? (isRefused ? ((refused.fields['faults'] ?? []) as readonly Fault[]) : []);
  return (
    <form class="stack" method="post" action={path}>
      <HiddenFields values={{ [typedField]: documentField }} />
      {isRefused ? <span id={refusedFormId} /> : null}
      <div class="field">
        <label for="suite-document">The suite, as YAML or JSON</label>
        <textarea
          id="suite-document"
          name={documentField}
          class="code"
          rows={24}
          spellcheck={false}
          required
          aria-invalid={faults.length > 0 ? 'true' : undefined}
          aria-describedby={faults.length > 0 ? 'suite-faults' : undefined}
        >
          {controlValue(value)}
        </textarea>
      </div>
      <Faults faults={faults} lines={value.split('\n')} />
      {report === null ? null : <Verdicts report={report} />}
      <p>
        <button type="submit" class="plain" name={formNameField} value={checkForm}>
          Check
        </button>{' '}
        <button type="submit" name={formNameField} value={publishForm}>
          Publish
        </button>
      </p>
    </form>
  );
}

function Faults({ faults, lines }: { readonly faults: readonly Fault[]; readonly lines: readonly string[] }) {
  if (faults.length === 0) return null;
  return (
    <section id="suite-faults">
      <h2>{count(faults.length, 'fault')}</h2>
      <ul class="timeline">
        {faults.slice(0, shownMax).map(({ line, column, message }, index) => (
          <li key={index}>
            <span class="soft small">
              Line {line}, column {column}
            </span>
            <pre tabIndex={0}>
              <code>{(lines[line - 1] ?? '').slice(0, 300)}</code>
            </pre>
            <p class="error">{plain(message)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Verdicts({ report: { ok, warnings, replies, size, price } }: { readonly report: Report }) {
  return (
    <section>
      {ok ? (
        <p class="notice" role="status">
          The suite has no faults.{' '}
          {size === null
            ? null
            : `A run has ${count(size.cases, 'case')} and ${count(size.replies, 'reply', 'replies')}, about ${size.prompt_tokens} tokens of prompts. Price: ${priceText(price?.tokens ?? 0)}.`}
        </p>
      ) : null}
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          Warning: {plain(warning)}
        </p>
      ))}
      {replies.length === 0 ? null : (
        <>
          <h2>Listed replies</h2>
          <ul class="rows">
            {replies.slice(0, shownMax).map(({ case_id: id, list, index, passed, graders }) => (
              <li key={`${id} ${list} ${index}`}>
                <div class="grow">
                  <code>
                    {id} {list}[{index}]
                  </code>
                  {graders.map((grader, at) => (
                    <span key={at} class="meta" dir="auto">
                      {grader.name}: expected {grader.expected}, found {grader.found}
                    </span>
                  ))}
                </div>
                <span class={passed === (list === 'accepted') ? 'chip good' : 'chip'}>
                  {passed === null ? 'left to a judge' : passed ? 'passes' : 'does not pass'}
                </span>
              </li>
            ))}
          </ul>
          <More of={replies} shown={shownMax} one="more reply" many="more replies" />
        </>
      )}
    </section>
  );
}
