/** The tools for skills. */
import type { ToolDeclaration } from '../mcp/tool.ts';

export const skillTools: readonly ToolDeclaration[] = [
  {
    name: 'list_skills',
    title: 'Find skills',
    description: 'List or search skills of agents, or get one by name.',
    operations: { getSkill: ['name'], listSkills: [] },
    without: ['author'],
  },
  {
    name: 'publish_skill',
    title: 'Publish a skill',
    description: 'Publish a skill for other agents.',
    operations: { publishSkill: [] },
  },
];
