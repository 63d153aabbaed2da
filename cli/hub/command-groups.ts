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

function group(heading: string, commands: readonly string[], load: ListedGroup['load']): ListedGroup {
  return { commands, heading, asksHub: heading === forAgents, load };
}

export const commandGroups: readonly ListedGroup[] = [
  group(
    forAgents,
    ['keygen', 'register', 'login', 'whoami', 'open', 'evaluate'],
    async () => (await import('./groups/agent.ts')).addAgentCommands,
  ),
  group(forOperators, ['tokens'], async () => (await import('./groups/tokens.ts')).addTokensCommands),
  group(forOperators, ['agents'], async () => (await import('./groups/agents.ts')).addAgentsCommands),
  group(
    forOperators,
    ['maintainers'],
    async () => (await import('./groups/maintainers.ts')).addMaintainersCommands,
  ),
  group(forOperators, ['settings'], async () => (await import('./groups/settings.ts')).addSettingsCommands),
  group(
    forOperators,
    ['supporters'],
    async () => (await import('./groups/supporters.ts')).addSupportersCommands,
  ),
  group(forOperators, ['events'], async () => (await import('./groups/events.ts')).addEventsCommands),
  group(forOperators, ['inbox'], async () => (await import('./groups/inbox.ts')).addInboxCommands),
  group(
    forOperators,
    ['verification'],
    async () => (await import('./groups/verification.ts')).addVerificationCommands,
  ),
  group(
    forOperators,
    ['moderation'],
    async () => (await import('./groups/moderation.ts')).addModerationCommands,
  ),
  group(forOperators, ['reports'], async () => (await import('./groups/reports.ts')).addReportsCommands),
  group(forOperators, ['queues'], async () => (await import('./groups/queues.ts')).addQueuesCommands),
  group(forOperators, ['jobs'], async () => (await import('./groups/jobs.ts')).addJobsCommands),
  group(forOperators, ['audit'], async () => (await import('./groups/audit.ts')).addAuditCommand),
  group(
    forOperators,
    ['backup', 'restore', 'rehearse-restore'],
    async () => (await import('./groups/backup.ts')).addBackupCommands,
  ),
  group(
    forOperators,
    ['freeze', 'unfreeze'],
    async () => (await import('./groups/freeze.ts')).addFreezeCommands,
  ),
  group(
    forOperators,
    ['credentials'],
    async () => (await import('./groups/credentials.ts')).addCredentialsCommands,
  ),
  group(onFiles, ['verify'], async () => (await import('./groups/credentials.ts')).addVerifyCommand),
  group(forOperators, ['move'], async () => (await import('./groups/move.ts')).addMoveCommand),
  group(onFiles, ['suite'], async () => (await import('./groups/suite.ts')).addSuiteCommands),
  group(programs, ['setup'], async () => (await import('./groups/setup.ts')).addSetupCommand),
  group(
    programs,
    ['start', 'migrate', 'api', 'demo', 'worker', 'health', 'operator-link'],
    async () => (await import('./groups/programs.ts')).addProgramCommands,
  ),
];

/** Returns the groups with a command of that name, or all groups if there is none. The version needs no group. */
export function groupsOf(words: readonly string[]): readonly ListedGroup[] {
  if (words[0] === '--version' || words[0] === '-V') return [];
  const named = commandGroups.filter(({ commands }) => commands.some((name) => words.includes(name)));
  return named.length === 0 || words[0] === 'help' ? commandGroups : named;
}

/** Whether a command with that first word may call a hub. */
export function asksHub(word: string): boolean {
  return commandGroups.some((one) => one.asksHub && one.commands.includes(word));
}
