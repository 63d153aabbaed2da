/** `hub setup --check`: judges an installation, check by check, and says for each fault what to do. */
import { hubOfCommand } from '#cli/running-hub.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { findOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { Output } from '../../output.ts';
import { hubHere, machineChecks } from './check-machine.ts';
import { networkChecks } from './check-network.ts';
import { storeChecks } from './check-stores.ts';
import { type Check, fault, type Finding, type Installation, skipped } from './finding.ts';

export const checks: readonly Check[] = [hubHere, ...networkChecks, ...machineChecks, ...storeChecks];
const marks = { ok: 'ok   ', fault: 'FAULT', skipped: '-    ' } as const;

/** @returns whether there is no fault */
export async function diagnose(output: Output): Promise<boolean> {
  const { environment, settingsFile, runningSince } = hubOfCommand();
  const settings = parseSettings(environment);
  const installation: Installation = {
    settings,
    settingsFile,
    operatorKey: await findOperatorKey(settings).catch(() => null),
    runningSince,
    version: packageJson.version,
  };
  const findings = await examine(installation);
  const faults = findings.filter(({ state }) => state === 'fault').length;
  const width = Math.max(...checks.map(({ name }) => name.length));
  output.result({ ok: faults === 0, data_dir: settings.dataDir, checks: findings }, [
    ...findings.flatMap((one) => [
      `${marks[one.state]}  ${one.name.padEnd(width)}  ${one.found}`,
      ...(one.state === 'fault' ? [`${' '.repeat(width + 9)}${one.advice}`] : []),
    ]),
    faults === 0
      ? 'No fault.'
      : findings.length === 1
        ? 'Nothing else was checked.'
        : `${faults} of ${findings.length} checks found a fault.`,
  ]);
  return faults === 0;
}

export type Result = {
  readonly name: string;
  readonly found: string;
} & ({ readonly state: 'ok' | 'skipped' } | { readonly state: 'fault'; readonly advice: string });

/** Carries out the checks; only the first where there is no hub. A cause that several of them see is one fault. */
export async function examine(installation: Installation): Promise<readonly Result[]> {
  const findings: { readonly name: string; readonly finding: Finding }[] = [];
  for (const check of checks) {
    const isSpared = findings.some(({ name, finding }) => name === check.needs && finding.state === 'fault');
    const finding = isSpared ? skipped(`needs the ${check.needs}`) : await findingOf(check, installation);
    findings.push({ name: check.name, finding });
    if (check === hubHere && finding.state === 'fault') break;
  }
  const faulty = findings.filter(({ finding }) => finding.state === 'fault').map(({ name }) => name);
  return findings.map(({ name, finding }) => {
    if (finding.state !== 'fault') return { name, ...finding };
    const { state, found, advice, follows } = finding;
    const cause = follows.find((one) => faulty.includes(one));
    if (cause === undefined) return { name, state, found, advice };
    return { name, state: 'skipped', found: `${found} This follows from the fault of \`${cause}\`.` };
  });
}

/** A check that cannot do its work has found a fault. */
export async function findingOf(check: Check, installation: Installation): Promise<Finding> {
  try {
    return await check.run(installation);
  } catch (error) {
    const advice = 'Fix what it reports, and check again.';
    if (error instanceof StartError) return fault(error.message, advice);
    return fault(error instanceof Error ? error.message : String(error), advice);
  }
}
