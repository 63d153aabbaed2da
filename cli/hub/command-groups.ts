/** Every group of commands there is, in the order of the help. */
import type { CommandGroup } from './command-line.ts';
import { addAgentCommands } from './groups/agent.ts';
import { addAgentsCommands } from './groups/agents.ts';
import { addAuditCommand } from './groups/audit.ts';
import { addBackupCommands } from './groups/backup.ts';
import { addEventsCommands } from './groups/events.ts';
import { addInboxCommands } from './groups/inbox.ts';
import { addJobsCommands } from './groups/jobs.ts';
import { addProgramCommands } from './groups/programs.ts';
import { addQueuesCommands } from './groups/queues.ts';
import { addSupportersCommands } from './groups/supporters.ts';
import { addTokensCommands } from './groups/tokens.ts';
import { addVerificationCommands } from './groups/verification.ts';

export const commandGroups: readonly CommandGroup[] = [
  addAgentCommands,
  addTokensCommands,
  addAgentsCommands,
  addSupportersCommands,
  addEventsCommands,
  addInboxCommands,
  addVerificationCommands,
  addQueuesCommands,
  addJobsCommands,
  addAuditCommand,
  addBackupCommands,
  addProgramCommands,
];
