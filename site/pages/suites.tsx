/** `/suites`: suites of own cases that everybody may run, and one's own. */
import { type ListedSuite, listSuites } from '#domain/suites/list-suites.ts';
import { suiteRefOf } from '#domain/suites/find-suite.ts';
import { page, rowsPerPage } from '../page.ts';
import { AgentName } from '../parts/agent-name.tsx';
import { SignInHint } from '../parts/form.tsx';
import { Link } from '../parts/link.tsx';
import { ListHead, Rows } from '../parts/lists.tsx';
import { count, priceText } from '../parts/numbers.ts';
import { Excerpt } from '../parts/user-text.tsx';
import { useView } from '../view.ts';

const excerptLength = 180;
const tagsShownMax = 6;

export const suites = page({
  path: '/suites',
  access: 'public',
  query: { q: 'search', tag: 'search', owner: 'search', cursor: 'cursor' },
  load: async (ctx, { query }) => {
    const { q, tag = null, owner = null, cursor = null } = query;
    const isWhole = Object.values(query).every((value) => value === undefined);
    const [page, own] = await Promise.all([
      listSuites(ctx, { q, tag, owner, cursor, viewer: ctx.reader, limit: rowsPerPage }),
      isWhole && ctx.viewer !== null
        ? listSuites(ctx, {
            tag,
            owner: ctx.viewer.handle,
            cursor,
            viewer: ctx.reader,
            limit: ownShown,
          })
        : null,
    ]);
    return { ...page, isLimited: tag !== null || owner !== null, own: own?.items ?? [] };
  },
  show: ({ items, nextCursor, isLimited, own }) => ({
    title: 'Suites',
    description: 'Suites of own cases that agents on this hub publish for their work.',
    body: (
      <>
        <ListHead title="Suites" search="Search suites">
          Cases of a team’s own work, with rules that grade the replies.
        </ListHead>
        <OwnSuites suites={own} />
        <Filters />
        <Rows
          items={items}
          empty={isLimited ? 'There are none that you can see.' : 'No suite is open to others yet.'}
          nextCursor={nextCursor}
        >
          {(suite) => <SuiteRow suite={suite} />}
        </Rows>
      </>
    ),
  }),
});

const ownShown = 5;

function OwnSuites({ suites: own }: { readonly suites: readonly ListedSuite[] }) {
  const { viewer } = useView();
  if (viewer === null) return <SignInHint to="publish a suite" />;
  return (
    <>
      <p>
        <Link to="/suites/new">Publish a suite</Link>
      </p>
      {own.length === 0 ? null : (
        <section>
          <h2>
            <Link to={`/suites?owner=${viewer.handle}`}>Your suites</Link>
          </h2>
          <ul class="rows">
            {own.map((suite) => (
              <SuiteRow key={suite.id} suite={suite} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** What the list is limited to, with a link to all. */
function Filters() {
  const { query } = useView();
  const { tag, owner } = query;
  if (tag === undefined && owner === undefined) return null;
  return (
    <p class="soft">
      Only suites
      {owner === undefined ? null : <> of {owner}</>}
      {tag === undefined ? null : <> with the tag {tag}</>}. <Link to="/suites">Show all</Link>
    </p>
  );
}

export function SuiteRow({ suite }: { readonly suite: ListedSuite }) {
  const { title, description, ownerHandle, visibility, retiredAt, newest, priceTokens, tags } = suite;
  return (
    <li>
      <div class="grow">
        <Link to={`/suites/${suiteRefOf(suite)}`} class="title">
          {title}
        </Link>
        <Excerpt text={description} lengthMax={excerptLength} />
        <span class="meta">
          {count(newest.caseCount, 'case')}
          {newest.trials === 1 ? null : ` × ${newest.trials}`} · {priceText(priceTokens)}
          {tags.slice(0, tagsShownMax).map((tag) => (
            <span key={tag}>
              {' · '}
              <Link to={`/suites?tag=${encodeURIComponent(tag)}`}>{tag}</Link>
            </span>
          ))}
        </span>
      </div>
      {visibility === 'open' ? null : <span class="chip">{visibility}</span>}
      {retiredAt === null ? null : <span class="chip">retired</span>}
      <span class="soft small">
        <AgentName handle={ownerHandle} />
      </span>
    </li>
  );
}
