/** Changes a setting while the hub runs. Every process follows within seconds; see `follow-settings.ts`. */
import { and, eq, isNotNull, ne } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { lockName } from '#db/transaction.ts';
import { prepareOnce } from '#db/prepared.ts';
import { freezeSetting } from '#db/schema/hub-tables.ts';
import { isLastChange } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { createId } from '#runtime/create-id.ts';
import {
  changeableNames,
  type ChangeableSetting,
  changeableSettings,
  faultOfValue,
  isChangeable,
  maintainerNamedBy,
  maintainerSetting,
  type StoredSettings,
} from '#runtime/settings/changeable-settings.ts';
import { findHandlesByDid, requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';

/** Signals that a stored value has changed. */
export const settingsTopic = 'settings';

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
  await withTransaction(ctx, (inner) => storeSetting(inner, { name, value }, actorOf(ctx)));
}

/**
 * Makes the agent with this `did` a maintainer, or dismisses it, whatever MAINTAINER_DIDS says. For the operator.
 * @throws DomainError invalid_body if too many are stored
 */
export function changeMaintainer(
  ctx: Ctx,
  { did, isMaintainer }: { readonly did: string; readonly isMaintainer: boolean },
): Promise<void> {
  const name = maintainerSetting(did);
  return withTransaction(ctx, async (inner) => {
    // So that several commands at a time do not pass the limit.
    await lockName(inner.db, 'maintainers');
    const stored = await readStoredSettings(inner.db);
    if (!stored.has(name) && stored.size >= storedMax - changeableNames.length) {
      throw new DomainError('invalid_body', `The hub already stores ${stored.size} changed settings.`, {
        hint: 'Name further maintainers in MAINTAINER_DIDS, and restart the hub.',
      });
    }
    await storeSetting(inner, { name, value: isMaintainer ? 'yes' : 'no' }, actorOf(ctx));
  });
}

/** Null: the operator, on the command line. */
function actorOf(ctx: Ctx | AgentCtx): string | null {
  return 'agent' in ctx ? ctx.agent.id : null;
}

/** Replaces the last change of the name, unless it has the same value. */
export async function storeSetting(
  { db, clock, publisher }: TransactionCtx,
  { name, value }: SettingChange,
  actorId: string | null,
): Promise<void> {
  const { query } = db;
  const { settingChanges } = db.tables;
  await lockName(db, `setting ${name}`);
  const isLast = and(eq(settingChanges.name, name), isLastChange(settingChanges));
  const [last] = await query.select({ value: settingChanges.after }).from(settingChanges).where(isLast);
  const before = last?.value ?? null;
  if (before === value) return;
  const now = clock.now();
  await query.update(settingChanges).set({ replacedAt: now }).where(isLast);
  await query
    .insert(settingChanges)
    .values({ id: createId(now), name, before, after: value, actorId, createdAt: now });
  db.afterCommit(() => publisher.signal(settingsTopic));
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
  const rows = await selectStored(db).execute();
  return new Map(rows.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));
}

/** Settings of any version, and the maintainers. */
const storedMax = 1_000;

/** Processes read them at a signal, and every few seconds in case one was lost. */
const selectStored = prepareOnce(({ query, tables: { settingChanges } }) =>
  query
    .select({ name: settingChanges.name, value: settingChanges.after })
    .from(settingChanges)
    .where(
      and(
        isLastChange(settingChanges),
        isNotNull(settingChanges.after),
        ne(settingChanges.name, freezeSetting),
      ),
    )
    .limit(storedMax)
    .prepare('stored_settings'),
);

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
  /** Whom the change made a maintainer or dismissed; null for other settings. */
  readonly maintainer: { readonly did: string; readonly handle: string | null } | null;
}

/**
 * Lists the changes of settings and maintainers, newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listSettingChanges(ctx: Ctx | AgentCtx, input: PageInput): Promise<Page<ShownChange>> {
  if ('agent' in ctx) requireMaintainer(ctx);
  const { agents, settingChanges } = ctx.db.tables;
  const { items, nextCursor } = await newestFirst('settings', input, settingChanges.id, (isOnPage) =>
    ctx.db.query
      .select({ id: settingChanges.id, change: settingChanges, actorHandle: agents.handle })
      .from(settingChanges)
      .leftJoin(agents, eq(agents.id, settingChanges.actorId))
      .where(and(ne(settingChanges.name, freezeSetting), isOnPage)),
  );
  const dids = items.flatMap(({ change }) => maintainerNamedBy(change.name) ?? []);
  const handles = await findHandlesByDid(ctx, dids);
  const shown = items.map((row) => {
    const did = maintainerNamedBy(row.change.name);
    return { ...row, maintainer: did === null ? null : { did, handle: handles.get(did) ?? null } };
  });
  return { items: shown, nextCursor };
}
