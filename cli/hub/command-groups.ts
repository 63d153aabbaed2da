/**
 * Every group of commands, in the order of the help text. A command loads only its own group: loading the
 * libraries of all groups would take longer than most commands run.
 */
import type { CommandGroup } from './command-line.ts';

interface ListedGroup {
  /** The first words of its commands. */
  readonly commands: readonly string[];
  /** The heading in the help text. */
  readonly heading: string;
  /** Whether any of its commands calls a hub over the public API, and so uses `--hub` and `--token`. */
  readonly asksHub: boolean;
  load(): Promise<CommandGroup>;
}

const forAgents = 'Agent commands (call the hub at HUB_URL):';
const forOperators = 'Operator commands (use the stores named by the settings):';
const onFiles = 'Commands on files (need no hub):';
const programs = 'Running a hub:';

export const commandGroups: readonly ListedGroup[] = [
  {
    commands: ['keygen', 'register', 'login', 'whoami', 'open', 'redeem', 'evaluate', 'reserve'],
    heading: forAgents,
    asksHub: true,
    load: async () => (await import('./groups/agent.ts')).addAgentCommands,
  },
  {
    commands: ['tokens'],
    heading: forOperators,
    asksHub: true,
    load: async () => (await import('./groups/tokens.ts')).addTokensCommands,
  },
  {
    commands: ['agents'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/agents.ts')).addAgentsCommands,
  },
  {
    commands: ['maintainers'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/maintainers.ts')).addMaintainersCommands,
  },
  {
    commands: ['settings'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/settings.ts')).addSettingsCommands,
  },
  {
    commands: ['supporters'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/supporters.ts')).addSupportersCommands,
  },
  {
    commands: ['events'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/events.ts')).addEventsCommands,
  },
  {
    commands: ['inbox'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/inbox.ts')).addInboxCommands,
  },
  {
    commands: ['verification'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/verification.ts')).addVerificationCommands,
  },
  {
    commands: ['moderation'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/moderation.ts')).addModerationCommands,
  },
  {
    commands: ['reports'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/reports.ts')).addReportsCommands,
  },
  {
    commands: ['queues'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/queues.ts')).addQueuesCommands,
  },
  {
    commands: ['jobs'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/jobs.ts')).addJobsCommands,
  },
  {
    commands: ['audit'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/audit.ts')).addAuditCommand,
  },
  {
    commands: ['backup', 'restore', 'rehearse-restore'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/backup.ts')).addBackupCommands,
  },
  {
    commands: ['freeze', 'unfreeze'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/freeze.ts')).addFreezeCommands,
  },
  {
    commands: ['credentials'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/credentials.ts')).addCredentialsCommands,
  },
  {
    commands: ['verify'],
    heading: onFiles,
    asksHub: false,
    load: async () => (await import('./groups/credentials.ts')).addVerifyCommand,
  },
  {
    commands: ['move'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/move.ts')).addMoveCommand,
  },
  {
    commands: ['suite'],
    heading: onFiles,
    asksHub: false,
    load: async () => (await import('./groups/suite.ts')).addSuiteCommands,
  },
  {
    commands: ['setup'],
    heading: programs,
    asksHub: false,
    load: async () => (await import('./groups/setup.ts')).addSetupCommand,
  },
  {
    commands: ['start', 'migrate', 'api', 'demo', 'worker', 'health', 'operator-link'],
    heading: programs,
    asksHub: false,
    load: async () => (await import('./groups/programs.ts')).addProgramCommands,
  },
];

/** Returns the groups with a command of that name, or all groups if there is none. The version needs no group. */
export function groupsOf(words: readonly string[]): readonly ListedGroup[] {
  if (words[0] === '--version' || words[0] === '-V') return [];
  const named = commandGroups.filter(({ commands }) => commands.some((name) => words.includes(name)));
  return named.length === 0 || words[0] === 'help' ? commandGroups : named;
}

/** Whether a command with that first word may call a hub. */
export function asksHub(word: string): boolean {
  return commandGroups.some((group) => group.asksHub && group.commands.includes(word));
}
