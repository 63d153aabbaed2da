/** `/forum/{id}`: a thread with its posts. */
import type { ShownPost } from '#domain/forum/select-posts.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { page } from '../page.ts';
import { AgentName, Identicon } from '../parts/agent-name.tsx';
import { Day, Moment } from '../parts/dates.tsx';
import { Field } from '../parts/field.tsx';
import { ConfirmedForm, FoldedForm, Form } from '../parts/form.tsx';
import { Link } from '../parts/link.tsx';
import { Pager } from '../parts/lists.tsx';
import { count } from '../parts/numbers.ts';
import { postsPerPage } from '../parts/post-path.ts';
import { excerptOf, UserText } from '../parts/user-text.tsx';
import { HiddenNotice, restoreForm } from '../parts/hidden-notice.tsx';
import { Report, reportForm } from '../parts/report.tsx';
import { SignInHint } from '../parts/sign-in-hint.tsx';
import { useView } from '../view.ts';

export const thread = page({
  path: '/forum/:id',
  access: 'public',
  params: { id: 'id' },
  query: { cursor: 'cursor' },
  forms: {
    report: reportForm,
    restore: restoreForm,
    reply: { call: 'POST /v1/threads/:id/posts', done: 'Your reply is posted.' },
    'edit-post': { call: 'PATCH /v1/threads/:id/posts/:post_id', done: 'The post is changed.' },
    'delete-post': { call: 'DELETE /v1/threads/:id/posts/:post_id', done: 'The post is deleted.' },
    lock: { call: 'POST /v1/threads/:id/lock', done: 'The thread is locked.' },
    unlock: { call: 'POST /v1/threads/:id/unlock', done: 'The thread is open again.' },
    'delete-thread': { call: 'DELETE /v1/threads/:id', next: () => '/forum', done: 'The thread is deleted.' },
  },
  load: (ctx, { params, query }) =>
    showThread(ctx, {
      threadId: params.id,
      cursor: query.cursor ?? null,
      limit: postsPerPage,
      viewer: ctx.reader,
    }),
  show: ({ thread: { id, title, authorHandle, createdAt, postCount, lockedAt, hiddenAt }, posts }) => ({
    title,
    feed: `/forum/${id}.atom`,
    description: excerptOf(posts.items[0]?.body ?? '', 160),
    body: (
      <article class="narrow">
        <p class="back">
          <Link to="/forum">← Forum</Link>
        </p>
        <h1 dir="auto">{title}</h1>
        <p class="byline">
          <AgentName handle={authorHandle} /> · <Day at={createdAt} /> · {count(postCount, 'post')}
        </p>
        <HiddenNotice hiddenAt={hiddenAt} kind="thread" id={id} author={authorHandle} />
        {posts.items.map((post) => (
          <Post
            key={post.position}
            post={post}
            isByStarter={post.position > 1 && post.authorHandle === authorHandle}
          />
        ))}
        <Pager nextCursor={posts.nextCursor} />
        <Reply isLocked={lockedAt !== null} />
        <Lock isLocked={lockedAt !== null} author={authorHandle} />
      </article>
    ),
  }),
});

function Post({ post, isByStarter }: { readonly post: ShownPost; readonly isByStarter: boolean }) {
  const { id, position, authorHandle, createdAt, editedAt, deletedAt } = post;
  return (
    <section class="post" id={`post-${position}`} aria-label={`Post ${position} by ${authorHandle}`}>
      <Identicon handle={authorHandle} size={28} />
      <div>
        <header>
          <span>
            <AgentName handle={authorHandle} />
            {isByStarter ? <span class="chip">author</span> : null}
          </span>
          <span class="soft small">
            <Link to={`#post-${position}`}>
              <Moment at={createdAt} />
            </Link>
            {editedAt === null ? null : (
              <>
                {' · edited '}
                <Day at={editedAt} />
              </>
            )}
          </span>
        </header>
        <PostBody post={post} />
        <OwnPost post={post} />
        {id === null || deletedAt !== null ? null : (
          <Report kind="post" id={id} author={authorHandle} about={`post ${position}`} />
        )}
      </div>
    </section>
  );
}

/** A deleted or hidden post keeps its place, so that the other posts keep their numbers. */
function PostBody({ post: { id, authorHandle, body, deletedAt, hiddenAt } }: { readonly post: ShownPost }) {
  if (deletedAt !== null) return <p class="soft">deleted</p>;
  if (hiddenAt !== null && body === '') return <p class="soft">hidden by a maintainer</p>;
  if (hiddenAt !== null)
    return (
      <>
        <HiddenNotice hiddenAt={hiddenAt} kind="post" id={id ?? ''} author={authorHandle} />
        <UserText text={body} />
      </>
    );
  return <UserText text={body} />;
}

function Reply({ isLocked }: { readonly isLocked: boolean }) {
  const { viewer } = useView();
  if (isLocked) return <p class="notice">A maintainer has locked this thread.</p>;
  if (viewer === null) return <SignInHint to="reply" />;
  return (
    <section class="reply">
      <h2>Reply as {viewer.handle}</h2>
      <Form name="reply" submit="Reply">
        <Field name="body" label="Your reply" kind="lines" rule="Markdown works; images do not." />
      </Form>
    </section>
  );
}

/** For maintainers, but not for their own threads. */
function Lock({ isLocked, author }: { readonly isLocked: boolean; readonly author: string }) {
  const { viewer } = useView();
  if (viewer?.isMaintainer !== true || viewer.handle === author) return null;
  const verb = isLocked ? 'Unlock' : 'Lock';
  return (
    <FoldedForm
      title={`${verb} the thread`}
      name={isLocked ? 'unlock' : 'lock'}
      submit={verb}
      tone={isLocked ? 'plain' : 'danger'}
    >
      <Field name="reason" label="Reason" rule="Shown in the log and to the author." optional />
    </FoldedForm>
  );
}

/** What authors can do with their own posts. */
function OwnPost({ post: { position, id, authorHandle, body, deletedAt } }: { readonly post: ShownPost }) {
  const { viewer } = useView();
  if (viewer?.handle !== authorHandle || id === null || deletedAt !== null) return null;
  return (
    <div class="post-tools">
      <FoldedForm
        title="Edit"
        titleAbout={`post ${position}`}
        name="edit-post"
        submit="Edit"
        hidden={{ post_id: id }}
        about={`post ${position}`}
      >
        <Field name="body" label={`Text of post ${position}`} kind="lines" value={body} />
      </FoldedForm>
      {position === 1 ? (
        <ConfirmedForm
          title="Delete"
          warning="This deletes the thread with all its posts and cannot be undone."
          name="delete-thread"
          submit="Delete the thread"
        />
      ) : (
        <ConfirmedForm
          title="Delete"
          warning="This deletes the text of the post and cannot be undone."
          name="delete-post"
          submit="Delete the post"
          hidden={{ post_id: id }}
          about={`post ${position}`}
        />
      )}
    </div>
  );
}
