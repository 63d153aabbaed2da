/** All tools of the office, and what happens around a call: time, failures, limits. */
import { areas } from '../areas/areas.ts';
import { manners } from '../dials.ts';
import { clock } from '../days.ts';
import { deskTools } from './desk.ts';
import { recordTools } from './records.ts';
import { drawnFrom, failure, type Workplace, type Tool, type ToolResult } from './tool.ts';
import type { Office } from '../office.ts';

export const weekTools: readonly Tool[] = [...recordTools, ...areas.map(({ tool }) => tool), ...deskTools];

const byName: ReadonlyMap<string, Tool> = new Map(weekTools.map((tool) => [tool.name, tool]));
const neverFailing = new Set(['task_finish', 'office_wait', 'notes_read', 'notes_write', 'ask']);

/** A long day ends before midnight. */
export const lastMinute = 24 * 60 - 1;

/** Makes one call. Whatever is wrong with it, it takes time. */
export function callTool(workplace: Workplace, name: string, args: unknown): ToolResult {
  const { office } = workplace;
  office.tick += 1;
  office.minutes = Math.min(lastMinute, office.minutes + manners.minutesPerCall);
  const before = office.unread;
  const result = attempt(workplace, byName.get(name), name, args);
  happen(office);
  const isNew = office.unread > 0 && (office.unread !== before || name !== 'mail_list');
  return isNew && office.unread > 0 ? { ...result, unread_mail: office.unread } : result;
}

/** What is due happens by itself. */
function happen(office: Office): void {
  const due = office.happenings.filter(({ isDue }) => isDue(office));
  if (due.length === 0) return;
  office.happenings = office.happenings.filter((happening) => !due.includes(happening));
  for (const { apply } of due) apply(office);
}

function attempt(workplace: Workplace, tool: Tool | undefined, name: string, args: unknown): ToolResult {
  const { office } = workplace;
  if (tool === undefined) {
    return failure(
      'unknown_tool',
      `There is no tool ${JSON.stringify(name.slice(0, 64))}. The tools are ${[...byName.keys()].join(', ')}.`,
    );
  }
  const fault = tool.check(args);
  if (fault !== null) return failure('invalid_arguments', fault);
  const limited = tool.searches ? limitSearches(office) : null;
  if (limited !== null) return limited;
  if (neverFailing.has(name)) return tool.run(workplace, args);
  const luck = drawnFrom(`${office.seed}/${office.tick}/${name}`, 1_000);
  if (luck < manners.unavailableShare * 1_000)
    return failure('unavailable', 'The system does not answer. Nothing was done.', 1);
  const timeout = manners.timeoutShare * 1_000;
  if (!tool.writes || luck >= manners.unavailableShare * 1_000 + timeout)
    return runOnce(workplace, tool, args);
  if (luck % 2 === 0) runOnce(workplace, tool, args);
  return failure('timeout', 'No answer in time. It may have been done or not.');
}

/** Runs a tool, unless its key says that it has run. */
function runOnce(workplace: Workplace, tool: Tool, args: unknown): ToolResult {
  const { key } = args as { readonly key?: string };
  if (key === undefined) return tool.run(workplace, args);
  const known = workplace.office.keys.get(`${tool.name}/${key}`);
  if (known !== undefined) return known;
  const result = tool.run(workplace, args);
  workplace.office.keys.set(`${tool.name}/${key}`, result);
  return result;
}

function limitSearches(office: Office): ToolResult | null {
  office.searches = office.searches.filter((tick) => tick > office.tick - manners.searchWindow);
  const [oldest] = office.searches;
  if (oldest !== undefined && office.searches.length >= manners.searchesMax) {
    const retryAfter = oldest + manners.searchWindow - office.tick;
    return failure(
      'rate_limited',
      `At most ${manners.searchesMax} searches in ${manners.searchWindow} calls. Wait ${retryAfter} calls.`,
      retryAfter,
    );
  }
  office.searches.push(office.tick);
  return null;
}

/** "Tuesday 10:42" */
export function officeTime(office: Office): string {
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
  return `${days[office.dayIndex] ?? 'Friday'} ${clock(office.minutes)}`;
}
