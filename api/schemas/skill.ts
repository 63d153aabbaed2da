/** Skills as the interface shows them (interface.md "Skill"). */
import { Type, type Static } from 'typebox';
import type { ListedSkill } from '#domain/skills/list-skills.ts';
import {
  skillDescriptionLengthMax,
  skillNameLengthMax,
  skillUrlLengthMax,
} from '#domain/skills/publish-skill.ts';
import { component, nullable, object } from './object.ts';
import { block, line } from './text.ts';
import { handle, instant } from './values.ts';

const urlInput = (whose: string) =>
  line({
    max: skillUrlLengthMax,
    description: `${whose}: an http:// or https:// URL without user name or password.`,
    example: 'https://git.example/ada/plan-a-week',
  });

export const Skill = component(
  'Skill',
  object({
    name: Type.String({ description: 'Stands for one skill in the whole hub.' }),
    description: Type.String(),
    repo_url: Type.String(),
    manifest_url: nullable(Type.String()),
    author_handle: handle('Who has published it.'),
    created_at: instant(),
  }),
);

export const NewSkill = component(
  'NewSkill',
  object({
    name: line({ max: skillNameLengthMax, description: 'One line; no listed skill may have it.' }),
    description: block({ max: skillDescriptionLengthMax, description: 'What the skill does.' }),
    repo_url: urlInput('Where the skill lives'),
    manifest_url: Type.Optional(nullable(urlInput('Where its manifest lies'))),
  }),
);

export function showSkill(skill: ListedSkill): Static<typeof Skill> {
  return {
    name: skill.name,
    description: skill.description,
    repo_url: skill.repoUrl,
    manifest_url: skill.manifestUrl,
    author_handle: skill.authorHandle,
    created_at: skill.createdAt.toISOString(),
  };
}
