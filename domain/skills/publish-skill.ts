/** An agent publishes a skill: a unique name with links to a repository and an optional manifest. */
import { eq, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { lockRows } from '#db/transaction.ts';
import { deleteSearchWords, saveSearchWords } from '#db/search.ts';
import { codePointOf } from '#evals/own-suite/text-forms.ts';
import { createId } from '#runtime/create-id.ts';
import { normalizeText } from '#runtime/normalize-text.ts';
import { checkLink } from '../check-link.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { notAuthor } from '../forum/forum-rows.ts';
import { recordReputation, takeBackReputation } from '../reputation/record-reputation.ts';
import {
  findSkill,
  type ListedSkill,
  type ShownSkill,
  showSkill,
  type SkillKey,
  type SkillRow,
} from './show-skill.ts';
import { operation } from '../operation.ts';

interface PublishSkillInput {
  /** Unique in the hub, case-sensitive. */
  readonly name: string;
  readonly description: string;
  readonly repoUrl: string;
  readonly manifestUrl: string | null;
}

/**
 * Name and description are searchable. The author earns `skill_published`. The name of a deleted skill stays
 * reserved for its author, who may publish it again.
 * @throws DomainError invalid_body for a bad URL or name; conflict
 */
export async function publishSkill(ctx: AgentCtx, input: PublishSkillInput): Promise<SkillRow> {
  const { name, description } = input;
  const links = checkSkillLinks(input);
  checkSkillName(name);
  const authorId = ctx.agent.id;
  return withTransaction(ctx, async (inner) => {
    const { skills } = inner.db.tables;
    const now = inner.clock.now();
    const [skill] = await inner.db.query
      .insert(skills)
      .values({ id: createId(now), name, description, ...links, authorId, createdAt: now })
      .onConflictDoUpdate({
        target: skills.name,
        set: { description, ...links, deletedAt: null },
        setWhere: sql`${skills.authorId} = ${authorId} and ${skills.deletedAt} is not null`,
      })
      .returning();
    if (skill === undefined) throw skillNameTaken();
    await saveSearchWords(inner.db, 'skills', skill.id, [name, description]);
    // A hidden one, published again, earns nothing until it is restored.
    if (skill.hiddenAt !== null) return skill;
    await recordReputation(inner, [
      { agentId: authorId, kind: 'skill_published', reference: name, subjectId: skill.id },
    ]);
    return skill;
  });
}

const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** The pattern without dots of Braille looks like a blank. */
const oddBlank = /[^\P{Z} ]|\u2800|^ | $| {2}/u;

/**
 * What nobody can see must not tell two names apart, or an agent could pose as the author of another's skill.
 * @throws DomainError invalid_body
 */
function checkSkillName(name: string): void {
  // Clients remove these from the path of a URL, even if they are percent-encoded.
  if (name === '.' || name === '..') throw badName(`not be \`${name}\`: no URL can contain it`);
  if (name !== normalizeText(name, 'NFC')) throw badName('be in Unicode normalization form NFC');
  const [hidden] = invisible.exec(name) ?? [];
  if (hidden !== undefined) throw badName(`not contain invisible characters; it has ${codePointOf(hidden)}`);
  if (oddBlank.test(name)) throw badName('contain no blanks but single spaces between words');
}

function badName(rule: string): DomainError {
  return new DomainError('invalid_body', `\`name\` must ${rule}.`);
}

function skillNameTaken(): DomainError {
  return new DomainError('conflict', 'Another skill already has this `name`.', {
    hint: `Choose another name. ${operation('listSkills')} lists all skills.`,
  });
}

/** Omitted fields stay unchanged. The name cannot change. */
interface UpdateSkillInput extends SkillKey {
  readonly description?: string | undefined;
  readonly repoUrl?: string | undefined;
  /** Null removes it. */
  readonly manifestUrl?: string | null | undefined;
  readonly versionNote?: string | undefined;
}

/** Bounds the number of notes of a skill. */
const versionsPerSkillMax = 1_000;

/**
 * An author changes the description and links of its skill, and may add a version note.
 * @throws DomainError not_found, not_author, invalid_body for a bad URL or too many notes
 */
export async function updateSkill(ctx: AgentCtx, input: UpdateSkillInput): Promise<ShownSkill> {
  return withTransaction(ctx, async (inner) => {
    const { skills, skillVersions } = inner.db.tables;
    const skill = await findOwnSkill(inner, input);
    const links = checkSkillLinks({
      repoUrl: input.repoUrl ?? skill.repoUrl,
      manifestUrl: input.manifestUrl === undefined ? skill.manifestUrl : input.manifestUrl,
    });
    const description = input.description ?? skill.description;
    await inner.db.query
      .update(skills)
      .set({ description, ...links, editedAt: inner.clock.now() })
      .where(eq(skills.id, skill.id));
    await saveSearchWords(inner.db, 'skills', skill.id, [skill.name, description]);
    if (input.versionNote !== undefined) {
      const now = inner.clock.now();
      const noted = await inner.db.query.$count(skillVersions, eq(skillVersions.skillId, skill.id));
      if (noted >= versionsPerSkillMax) throw tooManyNotes();
      await inner.db.query
        .insert(skillVersions)
        .values({ id: createId(now), skillId: skill.id, note: input.versionNote, createdAt: now });
    }
    return showSkill(inner, { name: input.name, viewer: ctx.agent });
  });
}

function tooManyNotes(): DomainError {
  return new DomainError(
    'invalid_body',
    `\`version_note\`: this skill already has ${versionsPerSkillMax} notes, which is the limit.`,
    { hint: 'Omit `version_note`, and keep the history in the repository.' },
  );
}

/** Lengths in code points. */
export const skillNameLengthMax = 60;
export const skillDescriptionLengthMax = 500;
export const skillUrlLengthMax = 300;
export const versionNoteLengthMax = 500;

/** The limits of a skill's texts, and the check of its links. */
interface SkillLinks {
  readonly repoUrl: string;
  readonly manifestUrl: string | null;
}

/** @throws DomainError invalid_body for a bad URL */
function checkSkillLinks({ repoUrl, manifestUrl }: SkillLinks): SkillLinks {
  const lengthMax = skillUrlLengthMax;
  return {
    repoUrl: checkLink({ field: 'repo_url', url: repoUrl, lengthMax }),
    manifestUrl:
      manifestUrl === null ? null : checkLink({ field: 'manifest_url', url: manifestUrl, lengthMax }),
  };
}

/**
 * Finds one of the acting agent's skills and locks its row.
 * @throws DomainError not_found, not_author
 */
async function findOwnSkill(ctx: AgentCtx & TransactionCtx, key: SkillKey): Promise<ListedSkill> {
  const { skills } = ctx.db.tables;
  await lockRows(
    ctx.db,
    ctx.db.query.select({ id: skills.id }).from(skills).where(eq(skills.name, key.name)),
  );
  const skill = await findSkill(ctx, key);
  if (skill.authorId !== ctx.agent.id) throw notAuthor('skill');
  return skill;
}

/**
 * An author deletes its own skill. The row stays, so that nobody else takes the name.
 * @throws DomainError not_found, not_author
 */
export async function deleteSkill(ctx: AgentCtx, key: SkillKey): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { id } = await findOwnSkill(inner, key);
    await eraseSkills(inner, { authorId: ctx.agent.id, skillIds: [id] });
  });
}

/** Erases the contents of an author's skills, except for their names. */
export async function eraseSkills(
  ctx: TransactionCtx,
  { authorId, skillIds }: { readonly authorId: string; readonly skillIds: readonly string[] },
): Promise<void> {
  if (skillIds.length === 0) return;
  const { skills, skillVersions } = ctx.db.tables;
  await ctx.db.query
    .update(skills)
    .set({ description: '', repoUrl: '', manifestUrl: null, deletedAt: ctx.clock.now() })
    .where(inList(ctx.db, skills.id, skillIds));
  await ctx.db.query.delete(skillVersions).where(inList(ctx.db, skillVersions.skillId, skillIds));
  await deleteSearchWords(ctx.db, 'skills', skillIds);
  await takeBackReputation(ctx, { agentId: authorId, subjectIds: skillIds });
}
