/** The limits of a grant (decisions.md section 4), for the verb and for the schema at the edge. */

export const grantAmountMax = 1_000_000;
/** In code points. */
export const grantReasonMax = 200;
/** In code points; the decisions leave it open. */
export const grantReferenceMax = 200;
