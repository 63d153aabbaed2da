/**
 * Placeholders for ids, handles and cursors that only exist at run time. So requests depend only on the seed
 * and still refer to existing things.
 */
export type PlaceholderKind = 'id' | 'handle' | 'cursor' | 'calendar';

const form = /known-(id|handle|cursor|calendar)-(\d+)/g;
/** The oldest are forgotten beyond this number. */
const keptMax = 300;

export function placeholder(kind: PlaceholderKind, index: number): string {
  return `known-${kind}-${index}`;
}

export type KnownThings = ReturnType<typeof createKnownThings>;

/** Used while nothing is known. */
const absent: Readonly<Record<PlaceholderKind, string>> = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  handle: 'nobody-here',
  cursor: 'bm8tc3VjaA',
  calendar: `${'a'.repeat(24)}.ics`,
};

/** @param handles never forgotten */
export function createKnownThings(handles: readonly string[]) {
  const known = new Map<string, string[]>();
  const remember = (kind: string, value: string): void => {
    const list = known.get(kind) ?? [];
    known.set(kind, list);
    if (!list.includes(value)) list.push(value);
    if (list.length > keptMax) list.shift();
  };
  const learn = (value: unknown, name: string, resource: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [field, inner] of Object.entries(value))
        learn(inner, Array.isArray(value) ? name : field, resource);
      return;
    }
    if (typeof value !== 'string') return;
    // A `message_id` is not an id of the hub.
    const isId = name === 'id' || (name.endsWith('_id') && name !== 'message_id');
    if (isId) remember(`id of ${resource}`, value);
    if (name === 'id') remember('id', value);
    if (name.endsWith('handle')) remember('handle', value);
    if (name === 'next_cursor') remember(`cursor of ${resource}`, value);
    if (name === 'ics_url') remember('calendar', value.slice(value.lastIndexOf('/') + 1));
  };
  const pick = (kind: PlaceholderKind, index: number, resource: string): string => {
    const isForeign = index % 8 === 0;
    const list = (isForeign ? undefined : known.get(`${kind} of ${resource}`)) ?? known.get(kind) ?? [];
    const all = kind === 'handle' ? [...handles, ...handles, ...list] : list;
    return all[index % all.length] ?? absent[kind];
  };
  return {
    /** Replaces each placeholder by a known value. Ids are usually those of the path's resource. */
    fillIn: (text: string, path: string): string =>
      text.replaceAll(form, (_, kind: PlaceholderKind, index: string) =>
        pick(kind, Number(index), resourceOf(path)),
      ),
    /** Remembers the ids, handles and cursors of a response. */
    learn: (body: unknown, path: string) => learn(body, '', resourceOf(path)),
  };
}

/** `/v1/events/{event_id}/seats` belongs to `events`. */
function resourceOf(path: string): string {
  return path.split('/')[2] ?? '';
}
