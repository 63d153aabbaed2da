/**
 * A DATABASE_URL may name several servers, `postgres://user@one:5432,two:5432/hub`: a primary and its standbys. Bun connects
 * to one server, so the hub finds out which of them is the primary.
 */
import { SQL } from 'bun';
import { hostUrlsOf } from '#runtime/settings/host-urls.ts';
import { counter } from '#runtime/tracing/metrics.ts';
import { within } from '#runtime/within.ts';
import { databaseTimeout, DatabaseUnavailableError } from './errors.ts';
import { pooledUrlOf } from './pool-mode.ts';

const probeTimeoutMs = 3_000;

/**
 * The URL of the host that accepts writes. If there are two, e.g. because a former primary came back, the one promoted
 * last.
 * @throws the error of the last host that does not respond, or DatabaseUnavailableError if all of them are standbys
 */
export async function findPrimary(url: string): Promise<string> {
  const urls = hostUrlsOf(url);
  const [only] = urls;
  if (only !== undefined && urls.length === 1) return only;
  const outcomes = await Promise.allSettled(urls.map(readTimeline));
  const found = outcomes
    .map((outcome, index) => ({
      url: urls[index] ?? url,
      timeline: outcome.status === 'fulfilled' ? outcome.value : null,
    }))
    .filter(({ timeline }) => timeline !== null)
    .toSorted((one, other) => (other.timeline ?? 0) - (one.timeline ?? 0));
  const [primary] = found;
  if (primary !== undefined) return primary.url;
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  throw failed?.reason ?? new DatabaseUnavailableError('All servers in DATABASE_URL are standbys.');
}

/** @returns null for a standby. Every promotion starts a new timeline. */
async function readTimeline(given: string): Promise<number | null> {
  const { url } = pooledUrlOf(given);
  const client = new SQL({ url, max: 1, prepare: false, connectionTimeout: probeTimeoutMs / 1_000 });
  try {
    const asked = client`
      select case when pg_is_in_recovery() then null
        else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`;
    const rows = await within(probeTimeoutMs, asked, () => databaseTimeout(probeTimeoutMs));
    const [row] = rows as { timeline: number | null }[];
    return row?.timeline ?? null;
  } finally {
    // A server that hangs does not close its connection.
    client.close({ timeout: 1 }).catch(() => undefined);
  }
}

const lookEveryMs = 10_000;

const primaryChanges = counter(
  'hub_database_primary_changes_total',
  'Failovers to another host of DATABASE_URL that the process followed.',
);

export interface PrimaryWatch {
  /** Searches for the primary soon, because the current one failed or refused to write. */
  suspect(): void;
  close(): void;
}

/** Follows the primary among the hosts of `url`. With one host there is nothing to follow. */
export function watchPrimary(url: string, first: string, onChange: (primary: string) => void): PrimaryWatch {
  let present = first;
  let looking = false;
  if (hostUrlsOf(url).length === 1) return { suspect: () => undefined, close: () => undefined };

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const primary = await findPrimary(url);
      if (primary === present) return;
      primaryChanges.inc();
      onChange((present = primary));
    } catch {
      // No host accepts writes. Callers get their own errors, each of which starts another search.
    } finally {
      looking = false;
    }
  }

  // A primary that became a standby still serves reads, so failures alone do not reveal it.
  const timer = setInterval(() => void look(), lookEveryMs);
  timer.unref();
  return { suspect: () => void look(), close: () => clearInterval(timer) };
}
