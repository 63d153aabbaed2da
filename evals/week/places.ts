/** Where a fact of a case is found. */
export type Place =
  | { readonly in: 'entry'; readonly field: string }
  | { readonly in: 'party'; readonly field: string }
  /** Days from the case's day to the day in the field, or back if `sign` is -1. */
  | { readonly in: 'days'; readonly field: string; readonly sign: 1 | -1 }
  /** Full years from the day in the party's field to the case's day. */
  | { readonly in: 'years'; readonly field: string }
  /** The amount in one field of the entry less that in another. */
  | { readonly in: 'difference'; readonly of: string; readonly less: string }
  /** Known to the party only, which tells it when asked about the entry. */
  | { readonly in: 'reply'; readonly replies: Readonly<Record<string, string>> }
  /** A sentence of the note. */
  | { readonly in: 'note'; readonly sentences: Readonly<Record<string, readonly string[]>> };

/** By fact. */
export type Places = Readonly<Record<string, Place>>;
