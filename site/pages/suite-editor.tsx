/** `/suites/new` and `/suites/@owner/name/edit`: the editor of one's own suites. */
import { stringify } from 'yaml';
import type { SentCase, SuiteDocument } from '#evals/own-suite/document.ts';
import { notOwner } from '#domain/suites/change-suite.ts';
import { draftNotFound, readDrafts } from '#domain/suites/drafts.ts';
import { showSuite, showSuiteVersion } from '#domain/suites/show-suite.ts';
import { type FormRule, page } from '../page.ts';
import { Back } from '../parts/link.tsx';
import { checkForm, publishForm, SuiteEditor } from '../parts/suite-editor.tsx';

const forms: Readonly<Record<string, FormRule>> = {
  [checkForm]: { call: 'POST /v1/suites/check', answers: true, done: 'The suite is checked.' },
  [publishForm]: {
    call: 'POST /v1/suites',
    next: ({ ref }: { readonly ref: string }) => `/suites/${ref}`,
    done: 'Your suite is published.',
  },
};

const example = `suite: 1
name: refund-desk
title: Refund desk
defaults: { trials: 1 }
cases:
  - id: late-parcel
    prompt: |
      A parcel is 9 days late. The policy refunds parcels that are more than 7 days late.
      Reply with "Refund" or "No refund".
    tags: [policy]
    expect:
      - equals: Refund
        ignore: [case, punctuation, whitespace]
    accepted: ["refund."]
    refused: ["No refund."]
`;

/** Larger suites are not loaded. */
const editedBytesMax = 150_000;
/** Of the text as the form encodes it, with three bytes for one that is no letter or digit. */
export const editedFormBytesMax = 512 * 1024;

export const newSuite = page({
  path: '/suites/new',
  access: 'owner',
  forms,
  load: () => Promise.resolve(null),
  show: () => ({
    title: 'Publish a suite',
    body: (
      <article>
        <Back to="/suites">Suites</Back>
        <h1>Publish a suite</h1>
        <p class="soft">
          A suite is a text with cases and rules that grade the replies. It begins as private. Publishing a
          changed text under the same name makes a new version.
        </p>
        <SuiteEditor text={example} />
      </article>
    ),
  }),
});

export const editSuite = page({
  path: '/suites/:owner/:name/edit',
  access: 'owner',
  params: { owner: 'owner', name: 'suite' },
  /** The draft that is put at the end of the cases. */
  query: { draft: 'id' },
  forms,
  load: async (ctx, { params, query }) => {
    const key = { owner: params.owner.slice(1), name: params.name };
    const suite = await showSuite(ctx, { ...key, viewer: ctx.agent });
    if (suite.ownerId !== ctx.agent.id) throw notOwner();
    const isShort = suite.newest.bytes <= editedBytesMax;
    const version = isShort ? await showSuiteVersion(ctx, suite, suite.newestVersion) : null;
    const taken =
      query.draft === undefined
        ? null
        : ((await readDrafts(ctx, suite.id)).find(({ id }) => id === query.draft) ?? null);
    if (query.draft !== undefined && taken === null) throw draftNotFound();
    const text = version === null ? null : textOf(withCase(version.document, taken?.case));
    return { suite, text, taken };
  },
  show: ({ suite, text, taken }) => ({
    title: `Edit ${suite.name}`,
    body: (
      <article>
        <Back to={`/suites/@${suite.ownerHandle}/${suite.name}`}>{suite.title}</Back>
        <h1>Edit {suite.name}</h1>
        {text === null ? (
          <p class="notice">
            This suite is too large for the editor. Publish its file with <code>POST /v1/suites</code>.
          </p>
        ) : (
          <>
            <p class="soft">
              Publishing makes version {suite.newestVersion + 1}, if something has changed. Comments and
              layout are not kept.
            </p>
            {taken === null ? null : (
              <p class="notice">
                The draft is the last case.{' '}
                {taken.case.expect.length === 0
                  ? 'Say in expect what a reply must be like.'
                  : 'Check its proposed grader.'}
              </p>
            )}
            <SuiteEditor text={text} />
          </>
        )}
      </article>
    ),
  }),
});

/** @returns null if the form could not send it back */
function textOf(document: unknown): string | null {
  const text = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  // Browsers send line breaks as CR LF.
  const sent = new URLSearchParams({ document: text.replaceAll('\n', '\r\n') }).toString();
  return sent.length <= editedFormBytesMax ? text : null;
}

/** @param document of a version, so it has no faults */
function withCase(document: unknown, added: SentCase | undefined): unknown {
  if (added === undefined) return document;
  const suite = document as SuiteDocument;
  return { ...suite, cases: [...suite.cases, added] };
}
