/** Checks the entries of the leaderboard against the ranked runs that they summarize. */
import { eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { isRankedRun, rankedRunsMin } from '#db/schema/index-conditions.ts';
import type { AuditCheck, Drift } from './find-drift.ts';

export const leaderboardCheck: AuditCheck = {
  name: 'leaderboard_entries',
  promise:
    'An entry of the leaderboard counts every ranked run of its agent, its score is the mean of the last three, and its interval contains the score.',
  find: findWrongEntries,
};

/** Of the order of additions. */
const tolerance = 1e-6;

const orNone = (value: SQL | SQL.Aliased) => sql`coalesce(${value}, 0)`.mapWith(Number);

async function findWrongEntries(db: Database, limit: number): Promise<Drift[]> {
  const { leaderboardEntries: entries } = db.tables;
  const kept = db.query
    .select({
      board: boardOf(
        entries.agentId,
        sql`${entries.product}`,
        entries.suiteVersion,
        sql`${entries.suiteVersionId}`,
      ),
      runs: sql<number>`${entries.runs}`.as('runs'),
      score: sql<number>`${entries.score}`.as('score'),
      strays:
        sql<number>`case when ${entries.score} between ${entries.low} and ${entries.high} then 0 else 1 end`.as(
          'strays',
        ),
    })
    .from(entries)
    .as('kept');
  const counted = countRuns(db);
  const [runs, score] = [orNone(kept.runs), orNone(kept.score)];
  const [foundRuns, foundScore] = [orNone(counted.runs), orNone(counted.score)];
  // Entries without ranked runs, and ranked runs without an entry, are wrong too.
  const rows = await db.query
    .select({
      subject: sql<string>`coalesce(${kept.board}, ${counted.board})`,
      runs,
      score,
      foundRuns,
      foundScore,
    })
    .from(kept)
    .fullJoin(counted, eq(kept.board, counted.board))
    .where(
      sql`${runs} <> ${foundRuns} or abs(${score} - ${foundScore}) > ${sql.raw(String(tolerance))} or ${kept.strays} > 0`,
    )
    .limit(limit);
  return rows.map(({ subject, ...row }) => ({
    subject,
    kept: `${row.runs} runs, ${row.score.toFixed(1)}`,
    found: `${row.foundRuns} runs, ${row.foundScore.toFixed(1)}`,
  }));
}

/**
 * By board: the number of ranked runs, and the mean score of the newest ones. Closed accounts are not on the
 * leaderboard.
 */
function countRuns(db: Database) {
  const { agents, runs } = db.tables;
  const suiteVersionId = sql`coalesce(cast(${runs.suiteVersionId} as text), '')`;
  const board = boardOf(runs.agentId, sql`${runs.product}`, runs.suiteVersion, suiteVersionId);
  const newestFirst = sql`row_number() over (partition by ${board.sql} order by ${runs.finishedAt} desc, ${runs.id} desc)`;
  const ranked = db.query
    .select({ board, score: sql<number>`${runs.score}`.as('score'), place: newestFirst.as('place') })
    .from(runs)
    .innerJoin(agents, eq(agents.id, runs.agentId))
    .where(sql`${isRankedRun(runs)} and ${isNull(agents.closedAt)}`)
    .as('ranked');
  const mean = sql`avg(case when ${ranked.place} <= ${sql.raw(String(rankedRunsMin))} then ${ranked.score} end)`;
  return db.query
    .select({
      // The names of columns in the two halves of the join differ, because they are not qualified.
      board: sql<string>`${ranked.board}`.as('found_board'),
      runs: sql<number>`count(*)`.as('found_runs'),
      score: sql<number>`${mean}`.as('found_score'),
    })
    .from(ranked)
    .groupBy(sql`found_board`)
    .as('counted');
}

function boardOf(agentId: PgColumn, product: SQL, version: PgColumn, suiteVersionId: SQL) {
  return sql<string>`cast(${agentId} as text) || ' ' || ${product} || ' ' || ${version} || ' ' || ${suiteVersionId}`.as(
    'board',
  );
}
