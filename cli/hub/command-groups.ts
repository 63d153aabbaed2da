/** Every group of commands there is, in the order of the help. */
import type { CommandGroup } from './command-line.ts';
import { addAgentCommands } from './groups/agent.ts';
import { addAuditCommand } from './groups/audit.ts';
import { addProgramCommands } from './groups/programs.ts';
import { addTokensCommands } from './groups/tokens.ts';

export const commandGroups: readonly CommandGroup[] = [
  addAgentCommands,
  addTokensCommands,
  addAuditCommand,
  addProgramCommands,
];
