/**
 * Models get each text once: what the cases of a run have in common, such as tools, is beside them, under ids
 * that a model sends back with its next fetch.
 */
import { Type } from 'typebox';

/** Each has one text or list, such as `{ system }` or `{ tools }`, by id. */
export type SharedTexts = Readonly<Record<string, object>>;

/** Enough to tell the texts of one run apart. */
const idLength = 8;
/** What is no id of such a text is passed over. */
const givenLengthMax = 200;
const knownMax = 100;

/** The argument of a tool whose result has `shared`. */
export const knownTexts = Type.Array(Type.String({ maxLength: givenLengthMax }), {
  maxItems: knownMax,
});

/**
 * @param fields those to share; the others stay
 * @param known the ids of what the model already has
 * @returns the items with ids in `shared` instead of the fields, and what is new
 */
export function shareTexts<Item extends object, Field extends string>(
  items: readonly Item[],
  fields: readonly Field[],
  known: readonly string[],
): { readonly items: readonly Omit<Item, Field>[]; readonly shared: SharedTexts } {
  const shared: Record<string, object> = {};
  const share = (text: object): string => {
    const id = Bun.SHA256.hash(JSON.stringify(text), 'hex').slice(0, idLength);
    if (!known.includes(id)) shared[id] = text;
    return id;
  };
  const names = new Set<string>(fields);
  const shown = items.map((item) => {
    const all = Object.entries(item).filter(([, value]) => value !== undefined);
    const ids = all.filter(([name]) => names.has(name)).map(([name, value]) => share({ [name]: value }));
    const rest = Object.fromEntries(all.filter(([name]) => !names.has(name)));
    // What is left is an item without the fields.
    return { ...rest, ...(ids.length === 0 ? {} : { shared: ids }) } as Omit<Item, Field>;
  });
  return { items: shown, shared };
}

/** A result has the field only if something is new. */
export const sharedField = (shared: SharedTexts): { readonly shared?: SharedTexts } =>
  Object.keys(shared).length === 0 ? {} : { shared };
