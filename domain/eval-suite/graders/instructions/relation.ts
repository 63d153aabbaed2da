/** The two relations in which a count can be asked for. */
export type Relation = 'at least' | 'fewer than';

/** What a grader of counts takes. */
export interface CountParameters {
  readonly relation: Relation;
  readonly count: number;
}

export function holds({ relation, count }: CountParameters, found: number): boolean {
  return relation === 'at least' ? found >= count : found < count;
}
