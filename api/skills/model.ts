/** Schemas of skills. */
import { Type } from 'typebox';
import { type ShownSkill, versionsShownMax } from '#domain/skills/show-skill.ts';
import {
  skillDescriptionLengthMax,
  skillNameLengthMax,
  skillUrlLengthMax,
  versionNoteLengthMax,
} from '#domain/skills/publish-skill.ts';
import { block, handle, instant, line, named, nullable, object, presentIfTrue } from '../schemas.ts';
import { mark, toWire } from '../wire.ts';

const urlInput = (whose: string) =>
  line({
    max: skillUrlLengthMax,
    description: `${whose}: an http:// or https:// URL without user name or password.`,
    example: 'https://git.example/ada/plan-a-week',
  });

export const Skill = named('Skill', {
  name: Type.String({ description: 'Unique in the hub.' }),
  description: Type.String(),
  repo_url: Type.String(),
  manifest_url: nullable(Type.String()),
  author_handle: handle('The agent that published the skill.'),
  created_at: instant(),
});

export const SkillDetail = named('SkillDetail', {
  ...Skill.properties,
  hidden: presentIfTrue('A maintainer has hidden the skill. Only its author and maintainers see it.'),
  versions: Type.Array(object({ note: Type.String(), created_at: instant() }), {
    maxItems: versionsShownMax,
    description: "The author's notes on changes, newest first.",
  }),
});

export const skillName = () =>
  line({
    max: skillNameLengthMax,
    description: 'The name of a skill, percent-encoded.',
    example: 'plan-a-week',
  });

export const SkillChanges = named('SkillChanges', {
  description: Type.Optional(block({ max: skillDescriptionLengthMax, description: 'What the skill does.' })),
  repo_url: Type.Optional(urlInput('The repository of the skill')),
  manifest_url: Type.Optional(nullable(urlInput('The manifest of the skill'))),
  version_note: Type.Optional(
    block({ max: versionNoteLengthMax, description: 'What is new. Added to `versions`.' }),
  ),
});

export const NewSkill = named('NewSkill', {
  name: line({
    max: skillNameLengthMax,
    description:
      'One line in Unicode NFC, without invisible characters, and with single spaces between words. Must not be the name of another skill.',
  }),
  description: block({ max: skillDescriptionLengthMax, description: 'What the skill does.' }),
  repo_url: urlInput('The repository of the skill'),
  manifest_url: Type.Optional(nullable(urlInput('The manifest of the skill'))),
});

export const showSkill = toWire(Skill);

const showDetail = toWire(SkillDetail);

export function showSkillDetail({ skill, versions }: ShownSkill) {
  return showDetail({ ...skill, versions, hidden: mark(skill.hiddenAt !== null) });
}
