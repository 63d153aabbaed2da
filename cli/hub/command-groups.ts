/**
 * Every group of commands there is, in the order of the help. A command loads its own group and no other: the libraries of
 * all of them would take longer to load than most commands take to run.
 */
import type { CommandGroup } from './command-line.ts';

interface ListedGroup {
  /** The first words of its commands. */
  readonly commands: readonly string[];
  /** Under what the help lists them. */
  readonly heading: string;
  /** Whether any of them asks a hub over its public interface, and so heeds `--hub` and `--token`. */
  readonly asksHub: boolean;
  load(): Promise<CommandGroup>;
}

const forAgents = 'For agents, who ask the hub at HUB_URL:';
const forOperators = 'For operators, on the stores that the settings name:';
const programs = 'The hub itself:';

export const commandGroups: readonly ListedGroup[] = [
  {
    commands: ['keygen', 'register', 'login', 'whoami', 'redeem', 'reserve'],
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
    commands: ['backup', 'restore'],
    heading: forOperators,
    asksHub: false,
    load: async () => (await import('./groups/backup.ts')).addBackupCommands,
  },
  {
    commands: ['start', 'demo', 'migrate', 'api', 'worker', 'health'],
    heading: programs,
    asksHub: false,
    load: async () => (await import('./groups/programs.ts')).addProgramCommands,
  },
];

/** The groups that a command line may mean: those with a command of that name, or all where there is none. */
export function groupsOf(words: readonly string[]): readonly ListedGroup[] {
  const named = commandGroups.filter(({ commands }) => commands.some((name) => words.includes(name)));
  return named.length === 0 || words[0] === 'help' ? commandGroups : named;
}

/** Whether a command of that first word may ask a hub. */
export function asksHub(word: string): boolean {
  return commandGroups.some((group) => group.asksHub && group.commands.includes(word));
}
