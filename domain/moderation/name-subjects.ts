/** Names the subjects of stored reports and log entries in the form of the API. */
import { inList } from '#db/in-list.ts';
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import type { Ctx } from '../context.ts';
import { shareTokenOf } from '../sharing/share-token.ts';
import type { SubjectName } from './subjects.ts';

interface StoredSubject {
  readonly subjectKind: SubjectKind;
  readonly subjectId: string;
}

/**
 * Adds `subject`, in two queries for any number of rows. A closed account is named `deleted`, and a scorecard by the
 * token of its link, which only maintainers and reporters may see.
 */
export async function nameSubjects<Row extends StoredSubject>(
  { db, rules }: Ctx,
  rows: readonly Row[],
): Promise<readonly (Row & { readonly subject: SubjectName })[]> {
  const { agents, skills } = db.tables;
  const idsOf = (kind: SubjectKind): string[] =>
    rows.filter(({ subjectKind }) => subjectKind === kind).map(({ subjectId }) => subjectId);
  const ofAgents = await db.query
    .select({ id: agents.id, name: agents.handle })
    .from(agents)
    .where(inList(db, agents.id, idsOf('agent')));
  const ofSkills = await db.query
    .select({ id: skills.id, name: skills.name })
    .from(skills)
    .where(inList(db, skills.id, idsOf('skill')));
  const names = new Map([...ofAgents, ...ofSkills].map(({ id, name }) => [id, name]));
  const nameOf = ({ subjectKind, subjectId }: StoredSubject): string =>
    subjectKind === 'scorecard' && rules.secretKey !== null
      ? shareTokenOf(subjectId, rules.secretKey)
      : (names.get(subjectId) ?? subjectId);
  return rows.map((row) => ({
    ...row,
    subject: { kind: row.subjectKind, id: nameOf(row) },
  }));
}
