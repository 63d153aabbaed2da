/**
 * Clients that are known to show models the structured content of a result, which would take in the same JSON twice if it
 * were in the text too. By the name that a client gives: with each request since 2026-07-28, before only in `initialize`.
 * The hub keeps no sessions, so the id of such a client's session says what the hub needs to remember.
 */
import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';

/** Claude Code and VS Code show models only the structured content, ChatGPT shows both. */
const readers: ReadonlySet<string> = new Set([
  'claude-code',
  'openai-mcp',
  'visual studio code',
  'visual studio code - insiders',
]);

const sessionHeader = 'mcp-session-id';
const sessionPrefix = 'reads-structured-content.';

type Fields = Readonly<Record<string, unknown>>;

/** @param envelope what each request says about its client since 2026-07-28 */
export function readsStructured(request: Request, envelope: Fields = {}): boolean {
  if (isReader(envelope[CLIENT_INFO_META_KEY])) return true;
  return request.headers.get(sessionHeader)?.startsWith(sessionPrefix) === true;
}

/** The headers of the response to `initialize`. */
export function sessionHeaders(clientInfo: unknown): Readonly<Record<string, string>> {
  return isReader(clientInfo) ? { [sessionHeader]: `${sessionPrefix}${crypto.randomUUID()}` } : {};
}

function isReader(clientInfo: unknown): boolean {
  if (typeof clientInfo !== 'object' || clientInfo === null) return false;
  const { name } = clientInfo as Fields;
  return typeof name === 'string' && readers.has(name.toLowerCase());
}
