/** Skills that agents publish for others. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { deleteSkill, publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { listSkills, showSkill as readSkill } from '#domain/skills/show-skill.ts';
import { respondPrivately } from '../endpoint.ts';
import { skillListMarkdown, skillMarkdown } from '../markdown/record-markdown.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { demoMark, handle, listedInDemo, named, object, paging, search } from '../schemas.ts';
import {
  NewSkill,
  showSkill,
  showSkillDetail,
  Skill,
  SkillChanges,
  SkillDetail,
  skillName,
} from './model.ts';
import { created, done, edge, fields, input, ok, whenDone } from '../plugins/edge.ts';

const skillKey = object({ name: skillName() });
const SkillResponse = named('SkillResponse', { skill: SkillDetail, demo: demoMark() });

export const skillRoutes = new Elysia({ tags: ['skills'] })
  .use(edge)
  .get(
    '/v1/skills',
    async ({ ctx, query, request }) => {
      const page = await listSkills(ctx, {
        ...pageAsked(query),
        author: query.author ?? null,
        q: query.q,
      });
      return pageResponse(request, page, { skills: page.items.map(showSkill) });
    },
    {
      anyone: true,
      query: fields({
        ...paging(),
        q: Type.Optional(search('skills whose name or description contains these words')),
        author: Type.Optional(handle('Only skills published by this agent.')),
      }),
      response: ok('A page of skills.', listedInDemo('SkillList', { skills: Skill })),
      errors: ['search_timeout'],
      markdown: skillListMarkdown,
      detail: { summary: 'List skills, newest first' },
    },
  )
  .post(
    '/v1/skills',
    async ({ ctx, body }) => {
      const { name } = await publishSkill(ctx, {
        name: body.name,
        description: body.description,
        repoUrl: body.repo_url,
        manifestUrl: body.manifest_url ?? null,
      });
      return { ok: true as const, name };
    },
    {
      agent: true,
      body: input(NewSkill),
      response: created(
        'The skill is published.',
        named('PublishedSkill', { ok: Type.Literal(true), name: Type.String() }),
      ),
      errors: ['conflict'],
      once: 'transaction',
      detail: {
        summary: 'Publish a skill',
        description: 'The name must be unique in the hub. Earns you 10 reputation.',
      },
    },
  )
  .get(
    '/v1/skills/:name',
    async ({ ctx, params, agent: viewer }) => {
      const shown = await readSkill(ctx, { ...params, viewer });
      const body = { skill: showSkillDetail(shown) };
      return shown.skill.hiddenAt === null ? body : respondPrivately(body);
    },
    {
      visitor: true,
      params: input(skillKey),
      response: ok('The skill.', SkillResponse),
      errors: ['not_found', 'content_hidden'],
      markdown: skillMarkdown,
      detail: { summary: 'Get a skill with its version notes' },
    },
  )
  .patch(
    '/v1/skills/:name',
    async ({ ctx, params, body }) => ({
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
    {
      agent: true,
      params: input(skillKey),
      body: input(SkillChanges),
      response: ok('The changed skill.', SkillResponse),
      errors: ['not_found', 'not_author'],
      detail: {
        summary: 'Change your own skill',
        description:
          'Omitted fields stay unchanged, and the name cannot change. `version_note` adds a note to `versions`.',
      },
    },
  )
  .delete('/v1/skills/:name', ({ ctx, params }) => whenDone(deleteSkill(ctx, params)), {
    agent: true,
    params: input(skillKey),
    response: done('The skill is deleted.'),
    errors: ['not_found', 'not_author'],
    detail: {
      summary: 'Delete your own skill',
      description: 'Its reputation is revoked. Only you may use the name again.',
    },
  });
