/** `hub audit`: recomputes every total of the hub from its rows, straight from the database that the settings name. */
import { openDatabase } from '#db/open-database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { parseSettings } from '#runtime/settings.ts';
import { StartError } from '#runtime/start-error.ts';
import { type CommandGroup, endWith } from '../command-line.ts';
import type { Output } from '../output.ts';

export const addAuditCommand: CommandGroup = (program, line) => {
  program
    .command('audit')
    .description(
      'for operators: recompute every total from its rows and report any drift (reads DATABASE_URL and DATA_DIR)',
    )
    .addHelpText('after', '\nExample:\n  hub audit --json')
    .action(async () => endWith(await audit(line.output())));
};

/** @returns whether there is no drift */
async function audit(output: Output): Promise<boolean> {
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
