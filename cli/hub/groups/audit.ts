/** `hub audit`: recomputes every total of the hub from its rows. */
import { auditHub } from '#domain/audit/audit-hub.ts';
import { type CommandGroup, endWith } from '../command-line.ts';
import { withOperator } from '../operator/open-operator.ts';
import type { Output } from '../output.ts';

export const addAuditCommand: CommandGroup = (program, line) => {
  program
    .command('audit')
    .description('recompute every total from its rows and report any drift')
    .addHelpText(
      'after',
      '\nEnds with 1 when there is drift. A hub that runs may be audited: each check is one statement, and so of one instant.\n\nExample:\n  hub audit --json',
    )
    .action(async () => endWith(await audit(line.output())));
};

/** @returns whether there is no drift */
function audit(output: Output): Promise<boolean> {
  return withOperator(async ({ ctx }) => {
    const checks = await auditHub(ctx);
    const drifts = checks.reduce((sum, check) => sum + check.drifts.length, 0);
    const shown = checks.map(({ tookMs, ...check }) => ({ ...check, took_ms: tookMs }));
    output.result({ ok: drifts === 0, checks: shown }, [
      ...checks.flatMap(({ name, promise, drifts: found, tookMs }) => [
        `${found.length === 0 ? 'ok   ' : 'DRIFT'}  ${name.padEnd(16)} ${promise} (${tookMs} ms)`,
        ...found.map(
          ({ subject, kept, found: counted }) => `         ${subject}: kept ${kept}, found ${counted}`,
        ),
      ]),
      drifts === 0 ? 'No drift.' : `${drifts} drifts shown; no check shows more than 20.`,
    ]);
    return drifts === 0;
  });
}
