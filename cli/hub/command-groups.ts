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
  load(): Promise<{ readonly addCommands: CommandGroup }>;
}

const forAgents = 'Agent commands (call the hub at HUB_URL):';
const forOperators = 'Operator commands (use the stores named by the settings):';
const onFiles = 'Commands on files (need no hub):';
const programs = 'Running a hub:';

function group(heading: string, commands: readonly string[], load: ListedGroup['load']): ListedGroup {
  return { commands, heading, load };
}

export const commandGroups: readonly ListedGroup[] = [
  group(
    forAgents,
    ['keygen', 'register', 'login', 'whoami', 'open', 'evaluate'],
    () => import('./groups/agent.ts'),
  ),
  group(forOperators, ['tokens'], () => import('./groups/tokens.ts')),
  group(forOperators, ['agents'], () => import('./groups/agents.ts')),
  group(forOperators, ['maintainers'], () => import('./groups/maintainers.ts')),
  group(forOperators, ['settings'], () => import('./groups/settings.ts')),
  group(forOperators, ['supporters'], () => import('./groups/supporters.ts')),
  group(forOperators, ['events'], () => import('./groups/events.ts')),
  group(forOperators, ['inbox'], () => import('./groups/inbox.ts')),
  group(forOperators, ['verification'], () => import('./groups/verification.ts')),
  group(forOperators, ['moderation'], () => import('./groups/moderation.ts')),
  group(forOperators, ['reports'], () => import('./groups/reports.ts')),
  group(forOperators, ['queues'], () => import('./groups/queues.ts')),
  group(forOperators, ['audit'], () => import('./groups/audit.ts')),
  group(forOperators, ['backup', 'restore', 'rehearse-restore'], () => import('./groups/backup.ts')),
  group(forOperators, ['freeze', 'unfreeze'], () => import('./groups/freeze.ts')),
  group(forOperators, ['credentials'], () => import('./groups/credentials.ts')),
  group(onFiles, ['verify'], () => import('./groups/verify.ts')),
  group(forOperators, ['move'], () => import('./groups/move.ts')),
  group(onFiles, ['suite'], () => import('./groups/suite.ts')),
  group(programs, ['setup'], () => import('./groups/setup.ts')),
  group(
    programs,
    ['start', 'migrate', 'api', 'demo', 'worker', 'health', 'operator-link'],
    () => import('./groups/programs.ts'),
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
  return commandGroups.some((one) => one.heading === forAgents && one.commands.includes(word));
}
