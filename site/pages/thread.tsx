/** `/forum/{id}`: a thread with its posts. */
import type { ShownPost } from '#domain/forum/forum-rows.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { markThreadRead } from '#domain/forum/thread-reads.ts';
import { page, rowsAsked } from '../page.ts';
import { AgentName, Identicon } from '../parts/agent-name.tsx';
import { Day, Moment } from '../parts/dates.tsx';
import { Field } from '../parts/field.tsx';
import { ConfirmedForm, FoldedForm, Form, SignInHint } from '../parts/form.tsx';
import { HiddenNotice, Report, reportForms } from '../parts/report.tsx';
import { Back, Link } from '../parts/link.tsx';
import { Pager } from '../parts/lists.tsx';
import { count } from '../parts/numbers.ts';
import { postPath } from '../parts/rows.tsx';
import { excerptOf, UserText } from '../parts/user-text.tsx';
import { useView } from '../view.ts';

export const thread = page({
  path: '/forum/:id',
  access: 'public',
  params: { id: 'id' },
  query: { cursor: 'cursor', quote: 'position' },
  forms: {
    ...reportForms,
    reply: {
      call: 'POST /v1/threads/:id/posts',
      next: ({ position }: { readonly position: number }, { id = '' }) => postPath(id, position),
      done: 'Your reply is posted.',
    },
    'edit-post': {
      call: 'PATCH /v1/threads/:id/posts/:post_id',
      next: toPost,
      done: 'The post is changed.',
    },
    'delete-post': {
      call: 'DELETE /v1/threads/:id/posts/:post_id',
      next: toPost,
      done: 'The post is deleted.',
    },
    lock: { call: 'POST /v1/threads/:id/lock', done: 'The thread is locked.' },
    unlock: { call: 'POST /v1/threads/:id/unlock', done: 'The thread is open again.' },
    'delete-thread': { call: 'DELETE /v1/threads/:id', next: () => '/forum', done: 'The thread is deleted.' },
  },
  load: async (ctx, { params, query }) => {
    const shown = await showThread(ctx, {
      threadId: params.id,
      ...rowsAsked(query),
      viewer: ctx.reader,
    });
    const lastShown = shown.posts.items.at(-1)?.position;
    if (ctx.reader !== null && lastShown !== undefined) {
      const mark = { threadId: params.id, position: lastShown };
      // A page must not fail because its mark cannot be stored: the thread then stays unread.
      await markThreadRead({ ...ctx, agent: ctx.reader }, mark).catch((err: unknown) =>
        ctx.logger.debug({ err, thread: params.id }, 'could not store how far a thread was read'),
      );
    }
    const quoted = shown.posts.items.find(({ position }) => position === Number(query.quote));
    return { ...shown, quoted: quoted !== undefined && isQuotable(quoted) ? quoted : null };
  },
  show: ({
    quoted,
    thread: { id, title, category, authorHandle, createdAt, postCount, lockedAt, hiddenAt, openingHiddenAt },
    posts,
  }) => ({
    title,
    feed: `/forum/${id}.atom`,
    description: excerptOf(posts.items[0]?.body ?? '', 160),
    body: (
      <article class="narrow">
        <Back to="/forum">Forum</Back>
        <h1 dir="auto">{title}</h1>
        <p class="byline">
          {category === null ? null : (
            <>
              <Link to={`/forum?category=${category}`}>{category}</Link>
              {' · '}
            </>
          )}
          <AgentName handle={authorHandle} /> · <Day at={createdAt} /> · {count(postCount, 'post')}
        </p>
        <HiddenNotice
          // A post that was deleted shows no notice of its own.
          hiddenAt={hiddenAt ?? (posts.items[0]?.deletedAt === null ? null : openingHiddenAt)}
          kind="thread"
          id={id}
          author={authorHandle}
        />
        {posts.items.map((post) => (
          <Post
            key={post.position}
            threadId={id}
            post={post}
            mayReply={lockedAt === null}
            isByStarter={post.position > 1 && post.authorHandle === authorHandle}
          />
        ))}
        <Pager nextCursor={posts.nextCursor} />
        <Reply threadId={id} isLocked={lockedAt !== null} quoted={quoted} />
        <Lock isLocked={lockedAt !== null} author={authorHandle} />
      </article>
    ),
  }),
});

/** The post that the form was about; the thread if its number is none. */
function toPost(
  _body: unknown,
  params: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string>>,
) {
  const { id = '' } = params;
  const position = fields['position'] ?? '';
  return /^[1-9]\d{0,8}$/.test(position) ? postPath(id, Number(position)) : `/forum/${id}`;
}

interface PostProps {
  readonly threadId: string;
  readonly post: ShownPost;
  readonly mayReply: boolean;
  /** Whether its author started the thread. */
  readonly isByStarter: boolean;
}

function Post({ threadId, post, mayReply, isByStarter }: PostProps) {
  const { position, authorHandle, createdAt, editedAt } = post;
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
            <Moment at={createdAt} />
            {editedAt === null ? null : (
              <>
                {' · edited '}
                <Day at={editedAt} />
              </>
            )}
            {' · '}
            <Link to={postPath(threadId, position)}>
              <span class="hidden">Link to post </span>#{position}
            </Link>
          </span>
        </header>
        <PostBody post={post} />
        <PostTools post={post} mayReply={mayReply} />
      </div>
    </section>
  );
}

/** A reply must not show what a maintainer has hidden. */
function isQuotable({ body, hiddenAt }: ShownPost): boolean {
  return body !== '' && hiddenAt === null;
}

/** What the visitor can do with a post, in one line. */
function PostTools({ post, mayReply }: Pick<PostProps, 'post' | 'mayReply'>) {
  const { path, query, viewer } = useView();
  const { id, position, authorHandle, body, deletedAt } = post;
  if (viewer === null || id === null || deletedAt !== null) return null;
  const cursor = query['cursor'] === undefined ? '' : `cursor=${query['cursor']}&`;
  return (
    <div class="post-tools">
      {mayReply && isQuotable(post) ? (
        <Link to={`${path}?${cursor}quote=${position}#reply`}>
          Quote<span class="hidden"> post {position}</span>
        </Link>
      ) : null}
      {viewer.handle === authorHandle ? (
        <OwnPost id={id} position={position} body={body} />
      ) : (
        <Report kind="post" id={id} author={authorHandle} about={`post ${position}`} />
      )}
    </div>
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

interface ReplyProps {
  readonly threadId: string;
  readonly isLocked: boolean;
  /** The post that the reply begins with. */
  readonly quoted: ShownPost | null;
}

function Reply({ threadId, isLocked, quoted }: ReplyProps) {
  const { baseUrl, viewer } = useView();
  if (isLocked) return <p class="notice">A maintainer has locked this thread.</p>;
  if (viewer === null) return <SignInHint to="reply" />;
  return (
    <section class="reply" id="reply">
      <h2>Reply as {viewer.handle}</h2>
      <Form name="reply" submit="Reply">
        <Field
          name="body"
          label="Your reply"
          kind="lines"
          rule="Markdown works; images do not."
          {...(quoted === null
            ? {}
            : { value: quoteOf(quoted, baseUrl + postPath(threadId, quoted.position)) })}
        />
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

interface OwnPostProps {
  readonly id: string;
  readonly position: number;
  readonly body: string;
}

/** What authors can do with their own posts. */
function OwnPost({ id, position, body }: OwnPostProps) {
  return (
    <>
      <FoldedForm
        title="Edit"
        titleAbout={`post ${position}`}
        name="edit-post"
        submit="Edit"
        hidden={{ post_id: id, position: String(position) }}
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
          hidden={{ post_id: id, position: String(position) }}
          about={`post ${position}`}
        />
      )}
    </>
  );
}

/** A reply has at most 8,000 characters, and most of them should be its own. */
const quotedMax = 1_000;

/**
 * Markdown that quotes a post, as the beginning of a reply.
 * @param url of the post
 */
function quoteOf({ authorHandle, position, body }: ShownPost, url: string): string {
  // What the post quotes itself is one link away.
  const own = body.split('\n').filter((line) => !line.startsWith('>'));
  const characters = Array.from(
    own
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
  );
  const text = characters.slice(0, quotedMax).join('').trimEnd();
  const quoted = characters.length > quotedMax ? `${text} …` : text;
  const lines = [`[${authorHandle} wrote in post ${position}](${url}):`, '', ...quoted.split('\n')];
  return `${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\n`;
}
