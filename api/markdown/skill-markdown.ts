import type { Static } from 'typebox';
import type { Sent } from '../endpoint.ts';
import type { Skill, SkillDetail } from '../schemas/skill.ts';
import { document, fields, inline, nextPage, quoted } from './blocks.ts';

export function skillMarkdown({ skill }: { readonly skill: Sent<Static<typeof SkillDetail>> }): string {
  const { name, description, versions, ...rest } = skill;
  return document(
    `# ${inline(name)}`,
    fields(rest),
    quoted(description),
    ...versions.map(({ note, created_at }) => `## Version of ${created_at}\n\n${quoted(note)}`),
  );
}

interface SkillListPage {
  readonly skills: readonly Sent<Static<typeof Skill>>[];
  readonly next_cursor: string | null;
}

export function skillListMarkdown({ skills, next_cursor }: SkillListPage): string {
  const items = skills.map(
    ({ name, description, ...rest }) => `## ${inline(name)}\n\n${fields(rest)}\n\n${quoted(description)}`,
  );
  return document('# Skills', ...items, nextPage(next_cursor));
}
