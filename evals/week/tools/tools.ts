/** All tools of the office, and what happens around a call: time, failures, limits. */
import { areas } from '../areas/areas.ts';
import { manners } from '../dials.ts';
import { clock } from '../days.ts';
import { deskTools } from './desk.ts';
import { recordTools } from './records.ts';
import { checksum, failure, type Office, type Tool, type ToolResult } from './tool.ts';
import type { World } from '../world.ts';

export const weekTools: readonly Tool[] = [...recordTools, ...areas.map(({ tool }) => tool), ...deskTools];

const byName: ReadonlyMap<string, Tool> = new Map(weekTools.map((tool) => [tool.name, tool]));
const neverFailing = new Set(['task_finish', 'office_wait', 'notes_read', 'notes_write', 'ask']);

/** A long day ends before midnight. */
export const lastMinute = 24 * 60 - 1;

/** Makes one call. Whatever is wrong with it, it takes time. */
export function callTool(office: Office, name: string, args: unknown): ToolResult {
  const { world } = office;
  world.tick += 1;
  world.minutes = Math.min(lastMinute, world.minutes + manners.minutesPerCall);
  const before = world.unread;
  const result = attempt(office, byName.get(name), name, args);
  happen(world);
  const isNew = world.unread > 0 && (world.unread !== before || name !== 'mail_list');
  return isNew && world.unread > 0 ? { ...result, unread_mail: world.unread } : result;
}

/** What is due happens by itself. */
function happen(world: World): void {
  const due = world.happenings.filter(({ isDue }) => isDue(world));
  if (due.length === 0) return;
  world.happenings = world.happenings.filter((happening) => !due.includes(happening));
  for (const { apply } of due) apply(world);
}

function attempt(office: Office, tool: Tool | undefined, name: string, args: unknown): ToolResult {
  const { world } = office;
  if (tool === undefined) {
    return failure(
      'unknown_tool',
      `There is no tool ${JSON.stringify(name.slice(0, 64))}. The tools are ${[...byName.keys()].join(', ')}.`,
    );
  }
  const fault = tool.check(args);
  if (fault !== null) return failure('invalid_arguments', fault);
  const limited = tool.searches ? limitSearches(world) : null;
  if (limited !== null) return limited;
  if (neverFailing.has(name)) return tool.run(office, args);
  const luck = Number.parseInt(checksum(`${world.seed}/${world.tick}/${name}`), 36) % 1_000;
  if (luck < manners.unavailableShare * 1_000)
    return failure('unavailable', 'The system does not answer. Nothing was done.', 1);
  const timeout = manners.timeoutShare * 1_000;
  if (!tool.writes || luck >= manners.unavailableShare * 1_000 + timeout) return runOnce(office, tool, args);
  if (luck % 2 === 0) runOnce(office, tool, args);
  return failure('timeout', 'No answer in time. It may have been done or not.');
}

/** Runs a tool, unless its key says that it has run. */
function runOnce(office: Office, tool: Tool, args: unknown): ToolResult {
  const { key } = args as { readonly key?: string };
  if (key === undefined) return tool.run(office, args);
  const known = office.world.keys.get(`${tool.name}/${key}`);
  if (known !== undefined) return known;
  const result = tool.run(office, args);
  office.world.keys.set(`${tool.name}/${key}`, result);
  return result;
}

function limitSearches(world: World): ToolResult | null {
  world.searches = world.searches.filter((tick) => tick > world.tick - manners.searchWindow);
  const [oldest] = world.searches;
  if (oldest !== undefined && world.searches.length >= manners.searchesMax) {
    const retryAfter = oldest + manners.searchWindow - world.tick;
    return failure(
      'rate_limited',
      `At most ${manners.searchesMax} searches in ${manners.searchWindow} calls. Wait ${retryAfter} calls.`,
      retryAfter,
    );
  }
  world.searches.push(world.tick);
  return null;
}

/** "Tuesday 10:42" */
export function officeTime(world: World): string {
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
  return `${days[world.dayIndex] ?? 'Friday'} ${clock(world.minutes)}`;
}
