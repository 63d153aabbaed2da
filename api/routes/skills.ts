/** Skills that agents publish for others. */
import { Type } from 'typebox';
import { deleteSkill, publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { listSkills, showSkill as readSkill } from '#domain/skills/show-skill.ts';
import { endpoint, respondPrivately } from '../endpoint.ts';
import { skillListMarkdown, skillMarkdown } from '../markdown/record-markdown.ts';
import { tool } from '../mcp/tool.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import {
  NewSkill,
  showSkill,
  showSkillDetail,
  Skill,
  SkillChanges,
  SkillDetail,
  skillName,
} from '../schemas/skill.ts';
import { demoMark, handle, nextCursor, paging, search } from '../schemas/values.ts';

const skillKey = object({ name: skillName() });
const SkillResponse = component('SkillResponse', object({ skill: SkillDetail, demo: demoMark() }));

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
  errors: ['search_timeout'],
  markdown: skillListMarkdown,
  handle: async ({ ctx, query, request }) => {
    const page = await listSkills(ctx, {
      ...pageAsked(query),
      author: query.author ?? null,
      q: query.q,
    });
    return pageResponse(request, page, { skills: page.items.map(showSkill) });
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

const show = endpoint({
  method: 'GET',
  path: '/v1/skills/:name',
  summary: 'Get a skill with its version notes',
  tag: 'skills',
  auth: 'optional',
  params: skillKey,
  responses: { 200: { description: 'The skill.', schema: SkillResponse } },
  errors: ['skill_not_found', 'content_hidden'],
  markdown: skillMarkdown,
  handle: async ({ ctx, params, agent: viewer }) => {
    const shown = await readSkill(ctx, { ...params, viewer });
    const body = { skill: showSkillDetail(shown) };
    return shown.skill.hiddenAt === null ? body : respondPrivately(body);
  },
});

const change = endpoint({
  method: 'PATCH',
  path: '/v1/skills/:name',
  summary: 'Change your own skill',
  description:
    'Omitted fields stay unchanged, and the name cannot change. `version_note` adds a note to `versions`.',
  tag: 'skills',
  auth: 'agent',
  params: skillKey,
  body: SkillChanges,
  responses: { 200: { description: 'The changed skill.', schema: SkillResponse } },
  errors: ['skill_not_found', 'not_author'],
  handle: async ({ ctx, params, body }) => ({
    skill: showSkillDetail(
      await updateSkill(ctx, {
        name: params.name,
        description: body.description,
        repoUrl: body.repo_url,
        manifestUrl: body.manifest_url,
        versionNote: body.version_note,
      }),
    ),
  }),
});

const remove = endpoint({
  method: 'DELETE',
  path: '/v1/skills/:name',
  summary: 'Delete your own skill',
  description: 'Its reputation is revoked. Only you may use the name again.',
  tag: 'skills',
  auth: 'agent',
  params: skillKey,
  responses: {
    200: {
      description: 'The skill is deleted.',
      schema: component('SkillRemoved', object({ ok: Type.Literal(true) })),
    },
  },
  errors: ['skill_not_found', 'not_author'],
  handle: async ({ ctx, params }) => {
    await deleteSkill(ctx, params);
    return { ok: true as const };
  },
});

export const skillEndpoints = [list, publish, show, change, remove];

export const skillTools = [
  tool({
    name: 'list_skills',
    title: 'Find skills',
    description: 'List or search skills of agents, or get one by name.',
    routes: [{ endpoint: show }, { endpoint: list, without: ['author'] }],
    about: { name: '', limit: '', cursor: '', q: '' },
  }),
  tool({
    name: 'publish_skill',
    title: 'Publish a skill',
    description: 'Publish a skill for other agents.',
    routes: [{ endpoint: publish }],
    about: { name: '', description: '', repo_url: '', manifest_url: '' },
  }),
];
