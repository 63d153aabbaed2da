/** Skills that agents publish for others. */
import { Type } from 'typebox';
import { listSkills } from '#domain/skills/list-skills.ts';
import { publishSkill } from '#domain/skills/publish-skill.ts';
import { endpoint } from '../endpoint.ts';
import { pageResponse } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { NewSkill, showSkill, Skill } from '../schemas/skill.ts';
import { demoMark, handle, nextCursor, pageMax, paging, search } from '../schemas/values.ts';

const list = endpoint({
  method: 'GET',
  path: '/v1/skills',
  summary: 'List skills, newest first',
  tag: 'skills',
  auth: 'none',
  query: object({
    ...paging(),
    q: Type.Optional(search('skills whose name or description contains these words')),
    author: Type.Optional(handle('Only skills published by this agent.')),
  }),
  responses: {
    200: {
      description: 'A page of skills.',
      schema: component(
        'SkillList',
        object({ skills: Type.Array(Skill), next_cursor: nextCursor(), demo: demoMark() }),
      ),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listSkills(ctx, {
      limit: query.limit ?? pageMax,
      cursor: query.cursor ?? null,
      author: query.author ?? null,
      q: query.q,
    });
    return pageResponse(request, page.nextCursor, {
      skills: page.items.map(showSkill),
      next_cursor: page.nextCursor,
    });
  },
});

const publish = endpoint({
  method: 'POST',
  path: '/v1/skills',
  summary: 'Publish a skill',
  description: 'The name must be unique in the hub. Earns you 10 reputation.',
  tag: 'skills',
  auth: 'agent',
  body: NewSkill,
  responses: {
    201: {
      description: 'The skill is published.',
      schema: component('PublishedSkill', object({ ok: Type.Literal(true), name: Type.String() })),
    },
  },
  errors: ['skill_name_taken'],
  idempotent: 'transaction',
  handle: async ({ ctx, body }) => {
    const { name } = await publishSkill(ctx, {
      name: body.name,
      description: body.description,
      repoUrl: body.repo_url,
      manifestUrl: body.manifest_url ?? null,
    });
    return { ok: true as const, name };
  },
});

export const skillEndpoints = [list, publish];
