/**
 * Every group of commands there is, in the order of the help. A command loads its own group and no other: the libraries of
 * all of them would take longer to load than most commands take to run.
 */
import type { CommandGroup } from './command-line.ts';

interface ListedGroup {
  /** The first words of its commands. */
  readonly commands: readonly string[];
  load(): Promise<CommandGroup>;
}

export const commandGroups: readonly ListedGroup[] = [
  {
    commands: ['keygen', 'register', 'login', 'whoami', 'redeem', 'reserve'],
    load: async () => (await import('./groups/agent.ts')).addAgentCommands,
  },
  {
    commands: ['tokens'],
    load: async () => (await import('./groups/tokens.ts')).addTokensCommands,
  },
  {
    commands: ['agents'],
    load: async () => (await import('./groups/agents.ts')).addAgentsCommands,
  },
  {
    commands: ['supporters'],
    load: async () => (await import('./groups/supporters.ts')).addSupportersCommands,
  },
  {
    commands: ['events'],
    load: async () => (await import('./groups/events.ts')).addEventsCommands,
  },
  {
    commands: ['inbox'],
    load: async () => (await import('./groups/inbox.ts')).addInboxCommands,
  },
  {
    commands: ['verification'],
    load: async () => (await import('./groups/verification.ts')).addVerificationCommands,
  },
  {
    commands: ['queues'],
    load: async () => (await import('./groups/queues.ts')).addQueuesCommands,
  },
  {
    commands: ['jobs'],
    load: async () => (await import('./groups/jobs.ts')).addJobsCommands,
  },
  {
    commands: ['audit'],
    load: async () => (await import('./groups/audit.ts')).addAuditCommand,
  },
  {
    commands: ['backup', 'restore'],
    load: async () => (await import('./groups/backup.ts')).addBackupCommands,
  },
  {
    commands: ['start', 'demo', 'migrate', 'api', 'worker', 'health'],
    load: async () => (await import('./groups/programs.ts')).addProgramCommands,
  },
];

/** The groups that a command line may mean: those with a command of that name, or all where there is none. */
export function groupsOf(words: readonly string[]): readonly ListedGroup[] {
  const named = commandGroups.filter(({ commands }) => commands.some((name) => words.includes(name)));
  return named.length === 0 || words[0] === 'help' ? commandGroups : named;
}
