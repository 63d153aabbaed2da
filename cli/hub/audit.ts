/** `hub audit`: recomputes every total of the hub from its rows, straight from the database that the settings name. */
import { openDatabase } from '#db/open-database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { parseSettings } from '#runtime/settings.ts';
import { StartError } from '#runtime/start-error.ts';
import type { Output } from './output.ts';

/** @returns whether there is no drift */
export async function audit(output: Output): Promise<boolean> {
  const { database } = parseSettings(process.env);
  if (database.kind === 'none') {
    throw new StartError('DATABASE_URL is none: a demo keeps nothing that could be audited.', {
      isSetting: true,
    });
  }
  const db = await openDatabase(database);
  try {
    const checks = await auditHub({ db });
    const drifts = checks.reduce((sum, check) => sum + check.drifts.length, 0);
    output.result({ ok: drifts === 0, checks }, [
      ...checks.flatMap(({ name, promise, drifts: found, tookMs }) => [
        `${found.length === 0 ? 'ok   ' : 'DRIFT'}  ${name.padEnd(16)} ${promise} (${tookMs} ms)`,
        ...found.map(
          ({ subject, kept, found: counted }) => `         ${subject}: kept ${kept}, found ${counted}`,
        ),
      ]),
      drifts === 0 ? 'No drift.' : `${drifts} drifts shown; no check shows more than 20.`,
    ]);
    return drifts === 0;
  } finally {
    await db.close();
  }
}
