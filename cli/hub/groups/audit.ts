/** `hub audit`: recomputes every stored total from its rows. */
import { auditHub } from '#domain/audit/audit-hub.ts';
import { endWith } from '../command-line.ts';
import { operatorCommand } from '../operator-command.ts';

export const addCommands = operatorCommand({
  name: 'audit',
  about: 'Recompute every stored total from its rows and report drift',
  help: 'Exits with 1 if there is drift. Safe on a running hub: each check is one statement and sees one snapshot.',
  examples: ['--json'],
  run: async (ctx) => {
    const checks = await auditHub(ctx);
    const drifts = checks.reduce((sum, check) => sum + check.drifts.length, 0);
    const width = Math.max(...checks.map(({ name }) => name.length));
    const shown = checks.map(({ tookMs, ...check }) => ({ ...check, took_ms: tookMs }));
    endWith(drifts === 0);
    return [
      { ok: drifts === 0, checks: shown },
      [
        ...checks.flatMap(({ name, promise, drifts: found, tookMs }) => [
          `${found.length === 0 ? 'ok   ' : 'DRIFT'}  ${name.padEnd(width)} ${promise} (${tookMs} ms)`,
          ...found.map(
            ({ subject, kept, found: counted }) => `         ${subject}: stored ${kept}, computed ${counted}`,
          ),
        ]),
        drifts === 0 ? 'No drift.' : `${drifts} drifts shown, at most 20 per check.`,
      ],
    ];
  },
});
