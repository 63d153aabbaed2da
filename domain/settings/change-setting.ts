/** Changes a setting while the hub runs. Every process follows within seconds; see `follow-settings.ts`. */
import { desc, eq, lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { lockName } from '#db/locks.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { createId } from '#runtime/create-id.ts';
import {
  changeableNames,
  type ChangeableSetting,
  changeableSettings,
  faultOfValue,
  isChangeable,
  type StoredSettings,
} from '#runtime/settings/changeable-settings.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';

export interface SettingChange {
  readonly name: string;
  /** Null: the environment or `hub.env` decides again. */
  readonly value: string | null;
}

/**
 * Stores a value, which wins over the environment, and logs the change. Storing the same value again changes nothing.
 * @param ctx of a maintainer, or without an agent for the operator
 * @throws DomainError invalid_body for an unknown name or a wrong value, maintainer_only
 */
export async function changeSetting(ctx: Ctx | AgentCtx, input: SettingChange): Promise<void> {
  if ('agent' in ctx) requireMaintainer(ctx);
  const name = requireChangeable(input.name);
  const value = input.value === null ? null : requireValue(name, input.value.trim());
  await withTransaction(ctx, async (inner) => {
    const { hubSettings, settingChanges } = inner.db.tables;
    const { query } = inner.db;
    await lockName(inner.db, `setting ${name}`);
    const [stored] = await query.select().from(hubSettings).where(eq(hubSettings.name, name));
    const before = stored?.value ?? null;
    if (before === value) return;
    if (value === null) await query.delete(hubSettings).where(eq(hubSettings.name, name));
    else {
      await query
        .insert(hubSettings)
        .values({ name, value })
        .onConflictDoUpdate({ target: hubSettings.name, set: { value } });
    }
    const now = inner.clock.now();
    const actorId = 'agent' in ctx ? ctx.agent.id : null;
    await query
      .insert(settingChanges)
      .values({ id: createId(now), name, before, after: value, actorId, createdAt: now });
  });
}

function requireChangeable(name: string): ChangeableSetting {
  if (isChangeable(name)) return name;
  throw new DomainError(
    'invalid_body',
    `\`${name}\` is not a setting that can be changed while the hub runs.`,
    {
      hint: `These can: ${changeableNames.join(', ')}. For others, edit hub.env and restart the hub.`,
    },
  );
}

function requireValue(name: ChangeableSetting, value: string): string {
  const fault = value === '' ? 'not be empty' : faultOfValue(name, value);
  if (fault === null) return value;
  throw new DomainError('invalid_body', `${name} must ${fault}.`, {
    hint: 'Send null as the value to return to what the environment or hub.env says.',
  });
}

export async function readStoredSettings(db: Database): Promise<StoredSettings> {
  const { hubSettings } = db.tables;
  const rows = await db.query.select().from(hubSettings).limit(storedMax);
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** More than any version has. */
const storedMax = 200;

export interface ListedSetting {
  readonly name: ChangeableSetting;
  /** What the processes use within seconds. */
  readonly value: string;
  readonly isStored: boolean;
}

/**
 * Lists the settings that can be changed, each with its value.
 * @throws DomainError maintainer_only
 */
export async function listSettings(ctx: Ctx | AgentCtx): Promise<readonly ListedSetting[]> {
  if ('agent' in ctx) requireMaintainer(ctx);
  const stored = await readStoredSettings(ctx.db);
  return changeableNames.map((name) => ({
    name,
    value: stored.get(name) ?? String(ctx.rules.settings[changeableSettings[name]]),
    isStored: stored.has(name),
  }));
}

export interface ShownChange {
  readonly change: Tables['settingChanges']['$inferSelect'];
  /** Null: the operator, on the command line. */
  readonly actorHandle: string | null;
}

/**
 * Lists the changes, newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listSettingChanges(ctx: Ctx | AgentCtx, input: PageInput): Promise<Page<ShownChange>> {
  if ('agent' in ctx) requireMaintainer(ctx);
  const { agents, settingChanges } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('settings', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select({ change: settingChanges, actorHandle: agents.handle })
    .from(settingChanges)
    .leftJoin(agents, eq(agents.id, settingChanges.actorId))
    .where(before === undefined ? undefined : lt(settingChanges.id, before))
    .orderBy(desc(settingChanges.id))
    .limit(input.limit + 1);
  return pageOf('settings', rows, input.limit, ({ change }) => [change.id]);
}
