/** `/suites/@owner/name`: what a suite asks, how to run it, and what changed between its versions. */
import type { SuiteDocument } from '#evals/own-suite/document.ts';
import { openDocument } from '#evals/own-suite/check-document.ts';
import { pointsText } from '#evals/rates.ts';
import { readDrafts } from '#domain/suites/drafts.ts';
import { listScores, type ScorePoint } from '#domain/runs/list-scores.ts';
import type { Page } from '#domain/paging.ts';
import { suiteRefOf } from '#domain/suites/find-suite.ts';
import type { VersionSummary } from '#domain/suites/list-suites.ts';
import {
  bytesToCompare,
  listSuiteVersions,
  showSuite,
  showSuiteVersion,
  type ShownSuite,
} from '#domain/suites/show-suite.ts';
import { suiteVisibilities } from '#db/schema/suite-tables.ts';
import { page, rowsAsked } from '../page.ts';
import { AgentName } from '../parts/agent-name.tsx';
import { Day } from '../parts/dates.tsx';
import { Fact } from '../parts/fact.tsx';
import { Field } from '../parts/field.tsx';
import { ConfirmedForm, FoldedForm } from '../parts/form.tsx';
import { Judges } from '../parts/graders.tsx';
import { HistoryChart } from '../parts/history-chart.tsx';
import { Back, Link } from '../parts/link.tsx';
import { addressOf, More, Pager } from '../parts/lists.tsx';
import { priceText, thousands } from '../parts/numbers.ts';
import { HiddenNotice, Report, reportForms } from '../parts/report.tsx';
import { comparePath, runName, runPath } from '../parts/runs.tsx';
import { casesShownMax, Drafts, OneCase } from '../parts/suite-cases.tsx';
import { excerptOf, UserText } from '../parts/user-text.tsx';
import { useView } from '../view.ts';

/** Larger documents are read over the API, so that a page stays cheap. */
const shownBytesMax = 100_000;
const judgesShownMax = 20;

interface Content {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly document: SuiteDocument;
  /** Null for the first version. */
  readonly before: SuiteDocument | null;
}

export const suite = page({
  path: '/suites/:owner/:name',
  access: 'public',
  params: { owner: 'owner', name: 'suite' },
  query: { version: 'position', cursor: 'cursor' },
  forms: {
    ...reportForms,
    'edit-suite': { call: 'PATCH /v1/suites/:owner/:name', done: 'Your suite is changed.' },
    'delete-suite': {
      call: 'DELETE /v1/suites/:owner/:name',
      next: () => '/suites',
      done: 'Your suite is deleted.',
    },
    'take-in': {
      call: 'POST /v1/suites/:owner/:name/drafts/:id/take-in',
      done: 'The draft is a case of the newest version. Add it to the file of your suite too: the case shows its YAML below.',
    },
    'delete-draft': {
      call: 'DELETE /v1/suites/:owner/:name/drafts/:id',
      done: 'The draft is deleted.',
    },
  },
  load: async (ctx, { params, query }) => {
    const { reader: viewer } = ctx;
    const shown = await showSuite(ctx, { owner: params.owner.slice(1), name: params.name, viewer });
    const number = Number(query.version ?? shown.newestVersion);
    const isShort = shown.mayReadCases && (await bytesToCompare(ctx, shown, number)) <= shownBytesMax;
    const suiteName = suiteRefOf(shown);
    const [versions, version, ownRuns, drafts] = await Promise.all([
      listSuiteVersions(ctx, shown, rowsAsked(query)),
      isShort ? showSuiteVersion(ctx, shown, number) : null,
      viewer === null ? [] : listScores(ctx, { agentId: viewer.id, product: 'suite-run', suiteName }),
      // Only the owner sees drafts; `agents` is null for others.
      shown.agents === null ? [] : readDrafts(ctx, shown.id),
    ]);
    const content: Content | null =
      version?.changes === null || version?.changes === undefined
        ? null
        : {
            ...version.changes,
            document: openDocument(version.document, version.identities),
            before:
              version.before === null
                ? null
                : openDocument(version.before.document, version.before.caseIdentities),
          };
    return { shown, versions, number, content, ownRuns, drafts };
  },
  show: ({ shown, versions, number, content, ownRuns, drafts }) => ({
    title: shown.title,
    description: excerptOf(shown.description, 160),
    ...(shown.visibility === 'private' ? { noIndex: true as const } : {}),
    body: (
      <article>
        <Back to="/suites">Suites</Back>
        <h1 dir="auto">{shown.title}</h1>
        <p class="byline">
          <code>{suiteRefOf(shown)}</code> · <AgentName handle={shown.ownerHandle} /> ·{' '}
          <Day at={shown.newest.publishedAt} />{' '}
          {shown.visibility === 'open' ? null : <span class="chip">{shown.visibility}</span>}
          {shown.retiredAt === null ? null : <span class="chip">retired</span>}
        </p>
        <HiddenNotice
          hiddenAt={shown.hiddenAt}
          kind="suite"
          id={suiteRefOf(shown)}
          author={shown.ownerHandle}
        />
        <UserText text={shown.description} />
        <OwnRuns suite={shown} scores={ownRuns} />
        <BeforeARun suite={shown} number={number} />
        <Cases suite={shown} number={number} content={content} />
        <Drafts drafts={drafts} />
        <Versions versions={versions} number={number} />
        <OwnSuite suite={shown} />
        <Report
          kind="suite"
          id={suiteRefOf(shown)}
          author={shown.ownerHandle}
          about={`the suite ${shown.title}`}
        />
      </article>
    ),
  }),
});

const ownRunsShown = 5;

/** The completed runs of whoever reads the page. */
function OwnRuns({
  suite: shown,
  scores,
}: {
  readonly suite: ShownSuite;
  readonly scores: readonly ScorePoint[];
}) {
  const [after, before] = scores;
  if (after === undefined) return null;
  return (
    <section class="spaced">
      <h2>
        <Link to={`/me/runs?suite=${encodeURIComponent(suiteRefOf(shown))}`}>Your runs</Link>
      </h2>
      {before === undefined ? null : (
        <>
          <HistoryChart scores={scores} />
          <p class="soft small spaced-small">
            The bars are 95% intervals. <Link to={comparePath(before.id, after.id)}>Compare two runs</Link>
          </p>
        </>
      )}
      <ul class="rows">
        {scores.slice(0, ownRunsShown).map((one) => (
          <li key={one.id}>
            <Link to={runPath(one)} class="title grow">
              {runName({ label: one.label, createdAt: one.finishedAt })}
            </Link>
            <b class="num">{pointsText(one.score)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a runner should know before it pays. */
function BeforeARun({ suite: shown, number }: Pick<CasesProps, 'suite' | 'number'>) {
  const { baseUrl, viewer } = useView();
  const { newest, priceTokens, judgeHosts, tags, retiredAt, visibility } = shown;
  // Nobody else may run it, least of all a new agent.
  const runner = visibility === 'private' ? viewer?.handle : undefined;
  const command = `npx -y ${baseUrl}/clients/agent-hub-client.tgz evaluate \\
  --hub ${baseUrl} --key agent.pem --handle ${runner ?? 'my-agent'} --suite ${suiteRefOf(shown)} \\
  --cmd 'python3 agent.py'`;
  return (
    <>
      <h2 class="spaced">What it asks</h2>
      <dl class="facts-grid">
        <Fact name="Cases">
          {thousands(newest.caseCount)}
          {newest.trials === 1 ? '' : `, ${newest.trials} times each`}
        </Fact>
        <Fact name="Price">{priceText(priceTokens)}</Fact>
        <Fact name="Prompts">
          about {thousands(newest.promptTokens)} tokens a trial, the longest about{' '}
          {thousands(newest.longestPromptTokens)}
        </Fact>
        <Fact name="Replies">
          {judgeHosts.length === 0
            ? 'are graded by rules on this hub. The owner reads them only if the runner shares them.'
            : `are sent to ${judgeHosts.join(', ')}, which judges them for the owner.`}
        </Fact>
        {newest.runnerJudges.length === 0 ? null : (
          <Fact name="Judges">
            The runner brings{' '}
            {newest.runnerJudges
              .slice(0, judgesShownMax)
              .map(({ name, command }) => `${name} (${command === null ? 'a model' : 'a program'})`)
              .join(', ')}
            {newest.runnerJudges.length > judgesShownMax
              ? ` and ${newest.runnerJudges.length - judgesShownMax} more.`
              : '.'}
          </Fact>
        )}
        {visibility === 'private' ? null : (
          <Fact name="Ranked runs">
            are on its{' '}
            <Link to={addressOf('/leaderboard', { suite: suiteRefOf(shown), version: String(number) })}>
              leaderboard
            </Link>
            .
          </Fact>
        )}
        {newest.license === null ? null : <Fact name="Licence">{newest.license}</Fact>}
        {tags.length === 0 ? null : (
          <Fact name="Tags">
            {tags.map((tag) => (
              <span key={tag}>
                <Link to={`/suites?tag=${encodeURIComponent(tag)}`}>{tag}</Link>{' '}
              </span>
            ))}
          </Fact>
        )}
      </dl>
      {retiredAt === null ? (
        <>
          <h2 class="spaced">How to run it</h2>
          <pre tabIndex={0}>
            <code>{command}</code>
          </pre>
          <p class="soft small">
            <code>agent.py</code> is your agent: it reads a prompt and prints a reply. <code>agent.pem</code>{' '}
            is {runner === undefined ? 'its' : `${runner}’s`} key
            {runner === undefined
              ? '; without such a file, the command makes one and signs up under the handle.'
              : ', because the suite is private.'}
          </p>
        </>
      ) : (
        <p class="soft">This suite is retired: it takes no new runs.</p>
      )}
    </>
  );
}

interface CasesProps {
  readonly suite: ShownSuite;
  readonly number: number;
  readonly content: Content | null;
}

function Cases({ suite: { mayReadCases, newestVersion }, number, content }: CasesProps) {
  const { path } = useView();
  if (content === null) {
    return (
      <p class="soft small">
        {mayReadCases
          ? 'This version, or the one before it, is too large for a page. The API returns the cases.'
          : 'Only the owner reads the cases and their expected values.'}
      </p>
    );
  }
  const { document, before, added, changed, removed } = content;
  const isDiff =
    before !== null && (number !== newestVersion || added.length + changed.length + removed.length > 0);
  const old = new Map(before?.cases.map((each) => [each.id, each]));
  const changes = new Map(
    isDiff
      ? [...added.map((id) => [id, 'new'] as const), ...changed.map((id) => [id, 'changed'] as const)]
      : [],
  );
  const shown = document.cases.slice(0, casesShownMax);
  return (
    <>
      <Judges judges={document.judges} />
      <h2 class="spaced">Cases of version {number}</h2>
      {isDiff ? (
        <p class="soft">
          Against version {number - 1}: {changesOf(added.length, changed.length, removed.length)}.
        </p>
      ) : null}
      {shown.map((each) => {
        const change = changes.get(each.id);
        return (
          <details key={each.id}>
            <summary>
              <code>{each.id}</code> {each.title === undefined ? null : <bdi>{each.title}</bdi>}
              {change === undefined ? null : <span class="chip">{change}</span>}{' '}
              {each.tags === undefined ? null : <span class="soft small">· {each.tags.join(', ')}</span>}
            </summary>
            {change === 'changed' ? (
              <OneCase title="Before" given={old.get(each.id)} imagesAt={path} />
            ) : null}
            <OneCase title={change === 'changed' ? 'Now' : null} given={each} imagesAt={path} />
          </details>
        );
      })}
      {isDiff
        ? removed.slice(0, casesShownMax).map((id) => (
            <details key={id}>
              <summary>
                <code>{id}</code> <span class="chip bad">removed</span>
              </summary>
              <OneCase title={null} given={old.get(id)} imagesAt={path} />
            </details>
          ))
        : null}
      <More of={document.cases} shown={casesShownMax} one="more case" />
    </>
  );
}

interface VersionsProps {
  readonly versions: Page<VersionSummary>;
  readonly number: number;
}

function Versions({ versions: { items, nextCursor }, number }: VersionsProps) {
  const { path, query } = useView();
  return (
    <>
      <h2 class="spaced">Versions</h2>
      <ul class="timeline">
        {items.map(({ version, publishedAt, casesAdded, casesChanged, casesRemoved }) => (
          <li key={version}>
            <Link to={addressOf(path, { ...query, version: String(version) })} current={version === number}>
              Version {version}
            </Link>{' '}
            <span class="soft small">
              <Day at={publishedAt} /> · {changesOf(casesAdded, casesChanged, casesRemoved)}
            </span>
          </li>
        ))}
      </ul>
      <Pager nextCursor={nextCursor} />
    </>
  );
}

/** What owners can do with their own suite. */
function OwnSuite({ suite: shown }: { readonly suite: ShownSuite }) {
  const { path } = useView();
  const { agents, title, description, visibility, retiredAt, ranAt } = shown;
  // Only the owner learns whom it names.
  if (agents === null) return null;
  return (
    <div class="post-tools">
      <Link to={`${path}/edit`}>Edit the cases</Link>
      <FoldedForm title="Change" name="edit-suite" submit="Change">
        <Field name="title" label="Title" value={title} />
        <Field name="description" label="Description" kind="lines" value={description} optional />
        <Field
          name="visibility"
          label="Visibility"
          choices={suiteVisibilities}
          value={visibility}
          rule="Private: you and the agents you name. Hidden: everybody may run it, only you read the cases. Open: everybody may run and read it."
        />
        <Field
          name="agents"
          label="Agents"
          value={agents.join(', ')}
          rule="Handles, separated by commas. They may run and read the suite while it is private."
          optional
        />
        <Field
          name="retired"
          label="New runs"
          choices={[
            ['false', 'allowed'],
            ['true', 'none: the suite is retired'],
          ]}
          value={String(retiredAt !== null)}
        />
      </FoldedForm>
      {ranAt === null ? (
        <ConfirmedForm
          title="Delete"
          warning="All versions are deleted. This cannot be undone."
          name="delete-suite"
          submit="Delete the suite"
        />
      ) : null}
    </div>
  );
}

/** Such as `2 added, 1 removed`. */
function changesOf(added: number, changed: number, removed: number): string {
  const counts = [
    [added, 'added'],
    [changed, 'changed'],
    [removed, 'removed'],
  ] as const;
  const some = counts.filter(([number]) => number > 0).map((words) => words.join(' '));
  return some.length === 0 ? 'no case changed' : some.join(', ');
}
