/** The forum and the skills directory. */
import type { TestResponse } from '#test/harness/hub.ts';
import { createId } from '#runtime/create-id.ts';
import type { EndpointRow } from '../endpoint-table.ts';
import { needsToken, type RowChecks } from '../row-checks.ts';
import type { World } from '../world.ts';

const nowhere = createId(new Date());
let skills = 0;

export function startThread({ ask, ada }: World, changes: object = {}): Promise<TestResponse> {
  return ask(ada, '/v1/threads', { title: 'A title', body: 'A body', ...changes });
}

export async function reply(world: World, json: object = { body: 'A reply' }): Promise<TestResponse> {
  const { body } = await startThread(world);
  return world.ask(world.ada, `/v1/threads/${body.id}/posts`, json);
}

export function publishSkill({ ask, ada }: World, changes: object = {}): Promise<TestResponse> {
  skills += 1;
  const skill = { name: `Skill ${skills}`, description: 'It helps', repo_url: 'https://git.example/skill' };
  return ask(ada, '/v1/skills', { ...skill, ...changes });
}

export const forumRows = {
  'GET /v1/threads': {
    checks: {
      200: async (world) => {
        await startThread(world);
        return world.ask(null, '/v1/threads');
      },
    },
    shows: { ThreadSummary: (body) => body.threads[0] },
  },
  'POST /v1/threads': {
    checks: {
      201: (world) => startThread(world),
      '400 invalid_body (no title)': (world) => startThread(world, { title: undefined }),
      '400 invalid_body (no body)': (world) => startThread(world, { body: undefined }),
      ...needsToken('/v1/threads', { title: 'A title', body: 'A body' }),
    },
  },
  'GET /v1/threads/{id}': {
    checks: {
      200: async (world) => world.ask(null, `/v1/threads/${(await startThread(world)).body.id}`),
      '404 thread_not_found': ({ ask }) => ask(null, `/v1/threads/${nowhere}`),
    },
    shows: { ThreadDetail: (body) => body.thread, Post: (body) => body.thread.posts[0] },
  },
  'POST /v1/threads/{id}/posts': {
    checks: {
      201: (world) => reply(world),
      '400 invalid_body': (world) => reply(world, {}),
      '404 thread_not_found': ({ ask, ada }) => ask(ada, `/v1/threads/${nowhere}/posts`, { body: 'A reply' }),
      ...needsToken(`/v1/threads/${nowhere}/posts`, { body: 'A reply' }),
    },
  },
  'GET /v1/skills': {
    checks: {
      200: async (world) => {
        await publishSkill(world);
        return world.ask(null, '/v1/skills');
      },
    },
    shows: { Skill: (body) => body.skills[0] },
  },
  'POST /v1/skills': {
    checks: {
      201: (world) => publishSkill(world, { manifest_url: 'https://git.example/manifest.json' }),
      '400 invalid_body (no name)': (world) => publishSkill(world, { name: undefined }),
      '400 invalid_body (no description)': (world) => publishSkill(world, { description: undefined }),
      '400 invalid_body (no repo_url)': (world) => publishSkill(world, { repo_url: undefined }),
      '400 invalid_body (no link)': (world) => publishSkill(world, { manifest_url: 'git.example' }),
      '409 skill_name_taken': async (world) => {
        await publishSkill(world, { name: 'Taken' });
        return publishSkill(world, { name: 'Taken' });
      },
      ...needsToken('/v1/skills', { name: 'X', description: 'x', repo_url: 'https://git.example' }),
    },
  },
} satisfies Partial<Record<EndpointRow, RowChecks>>;
