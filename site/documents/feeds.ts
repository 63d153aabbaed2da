/** The feeds of the forum, of each thread, of events and of skills, and the calendar. */
import { listAnnounced } from '#domain/events/list-events.ts';
import { showEventsCalendar } from '#domain/events/show-calendar.ts';
import { activityOf, listThreads } from '#domain/forum/list-threads.ts';
import { openingPosts, showNewestPosts } from '#domain/forum/show-thread.ts';
import { listSkills } from '#domain/skills/show-skill.ts';
import type { SiteDocument } from '../page.ts';
import { renderInSlices } from '../parts/deferred-texts.ts';
import { postPath } from '../parts/rows.tsx';
import { renderUserText } from '../parts/user-text.tsx';
import { atomType, renderAtom } from './atom.ts';

const entriesMax = 50;
const newest = { limit: entriesMax, cursor: null };

export const forumFeed: SiteDocument = {
  path: '/forum.atom',
  params: {},
  type: atomType,
  load: async (ctx) => {
    const { baseUrl, identity } = ctx.rules;
    const { items } = await listThreads(ctx, { ...newest, author: null });
    const openings = await openingPosts(
      ctx,
      items.map(({ id }) => id),
    );
    const contents = await contentsOf(items.map(({ id }) => openings.get(id) ?? noBody));
    return renderAtom({
      title: `Forum of ${identity.name}`,
      url: `${baseUrl}/forum.atom`,
      pageUrl: `${baseUrl}/forum`,
      entries: items.map((thread, index) => {
        const opening = openings.get(thread.id);
        const count = `<p>${thread.postCount} ${thread.postCount === 1 ? 'post' : 'posts'}</p>`;
        return {
          id: `urn:uuid:${thread.id}`,
          title: thread.title,
          url: `${baseUrl}/forum/${thread.id}`,
          author: thread.authorHandle,
          publishedAt: thread.createdAt,
          updatedAt: latest(activityOf(thread), opening?.editedAt ?? null),
          content: (contents[index] ?? '') + count,
        };
      }),
    });
  },
};

/** The newest posts of a thread, newest first. */
export const threadFeed: SiteDocument = {
  path: '/forum/:id.atom',
  params: { id: 'id' },
  type: atomType,
  load: async (ctx, params) => {
    const { baseUrl } = ctx.rules;
    const { thread, posts } = await showNewestPosts(ctx, { threadId: params['id'] ?? '', limit: entriesMax });
    const url = `${baseUrl}/forum/${thread.id}`;
    const contents = await contentsOf(posts);
    return renderAtom({
      title: thread.title,
      url: `${url}.atom`,
      pageUrl: url,
      entries: posts.map((post, index) => ({
        id: `${url}#post-${post.position}`,
        title: `Post ${post.position} by ${post.authorHandle}`,
        url: baseUrl + postPath(thread.id, post.position),
        author: post.authorHandle,
        publishedAt: post.createdAt,
        updatedAt: latest(post.createdAt, post.editedAt, post.hiddenAt, post.deletedAt),
        content: contents[index] ?? '',
      })),
    });
  },
};

function latest(first: Date, ...others: readonly (Date | null)[]): Date {
  return new Date(Math.max(first.getTime(), ...others.map((other) => other?.getTime() ?? 0)));
}

interface ShownBody {
  readonly body: string;
  readonly deletedAt: Date | null;
  readonly hiddenAt: Date | null;
}

const noBody: ShownBody = { body: '', deletedAt: null, hiddenAt: null };

function contentsOf(shown: readonly ShownBody[]): Promise<readonly string[]> {
  return renderInSlices(
    shown.map(({ body, deletedAt, hiddenAt }) => {
      if (deletedAt !== null) return { text: '', render: () => '<p>deleted</p>' };
      if (hiddenAt !== null) return { text: '', render: () => '<p>hidden by a maintainer</p>' };
      return { text: body, render: renderUserText };
    }),
  );
}

export const skillsFeed: SiteDocument = {
  path: '/skills.atom',
  params: {},
  type: atomType,
  load: async (ctx) => {
    const { baseUrl, identity } = ctx.rules;
    const { items } = await listSkills(ctx, { ...newest, author: null });
    const contents = await contentsOf(items.map(({ description: body }) => ({ ...noBody, body })));
    return renderAtom({
      title: `Skills of ${identity.name}`,
      url: `${baseUrl}/skills.atom`,
      pageUrl: `${baseUrl}/skills`,
      entries: items.map(({ id, name, authorHandle, createdAt, editedAt }, index) => ({
        id: `urn:uuid:${id}`,
        title: name,
        url: `${baseUrl}/skills/${encodeURIComponent(name)}`,
        author: authorHandle,
        publishedAt: createdAt,
        updatedAt: latest(createdAt, editedAt),
        content: contents[index] ?? '',
      })),
    });
  },
};

export const eventsFeed: SiteDocument = {
  path: '/events.atom',
  params: {},
  type: atomType,
  load: async (ctx) => {
    const { baseUrl, identity } = ctx.rules;
    const items = await listAnnounced(ctx, newest);
    const contents = await contentsOf(items.map(({ description: body }) => ({ ...noBody, body })));
    return renderAtom({
      title: `Events of ${identity.name}`,
      url: `${baseUrl}/events.atom`,
      pageUrl: `${baseUrl}/events`,
      entries: items.map(({ id, title, hostHandle, startsAt, status, createdAt, changedAt }, index) => ({
        id: `urn:uuid:${id}`,
        title: status === 'cancelled' ? `Cancelled: ${title}` : title,
        url: `${baseUrl}/events/${id}`,
        author: hostHandle,
        publishedAt: createdAt,
        updatedAt: latest(createdAt, changedAt ?? null),
        content: `<p>${startsAt.toISOString()}</p>${contents[index] ?? ''}`,
      })),
    });
  },
};

export const eventsCalendar: SiteDocument = {
  path: '/events.ics',
  params: {},
  type: 'text/calendar; charset=utf-8',
  load: showEventsCalendar,
};

/** Crawlers need neither private pages nor search results. */
export const robots: SiteDocument = {
  path: '/robots.txt',
  params: {},
  type: 'text/plain; charset=utf-8',
  load: (ctx) =>
    Promise.resolve(`User-agent: *
Disallow: /me
Disallow: /desk
Disallow: /sign-in
Disallow: /s/
Disallow: /*?
Sitemap: ${ctx.rules.baseUrl}/sitemap.xml
`),
};
